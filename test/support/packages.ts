import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { packages } from '../../client/build/packages.ts';
import { copyRepository, linkPackages, makeFolder } from './content/repository-copy.ts';
import { type Block, compileCacheOf, isStep, openReader, PATH, type Reader, readBlocks } from './guides.ts';

/** Page that describes how to build the packages. */
const BUILD_PAGE = 'client/build/README.md';
const INSTALLATION = 'Installation';

/** Name of a package's folder in `dist/`. */
export type PackageFolder = keyof typeof packages;

/** A built package. */
export interface BuiltPackage {
  /** Folder of its files. */
  folder: string;
  tarball: string;
  manifest: {
    name: string;
    version: string;
    dependencies: Record<string, string>;
  };
}

/** All packages, built and packed in a copy of the repository as their page describes. */
export interface BuiltPackages {
  of(name: PackageFolder): BuiltPackage;
  /** Folder that contains the tarballs, for projects. */
  place: string;
  /** Variables of programs that use the packages. */
  environment: Record<string, string>;
  remove(): Promise<void>;
}

export async function buildPackages(): Promise<BuiltPackages> {
  const { folder: place, remove } = await makeFolder();
  const clone = join(place, 'colophon');
  // A user of a package has a version of Node that it supports.
  const path = `${dirname(process.execPath)}${delimiter}${PATH}`;
  await copyRepository(clone);
  await linkPackages(clone);
  const reader = openReader({ folder: clone, environment: { PATH: path } });
  try {
    for (const block of readBlocks(BUILD_PAGE)) {
      await reader.follow(block);
    }
  } catch (error) {
    await remove();
    throw error;
  } finally {
    await reader.close();
  }
  const dist = join(clone, 'dist');
  const built = new Map<string, BuiltPackage>();
  for (const entry of await readdir(dist, { withFileTypes: true })) {
    if (entry.isDirectory()) {
      const folder = join(dist, entry.name);
      const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
      const tarball = join(place, `colophon-${entry.name}-${manifest.version}.tgz`);
      await copyFile(join(dist, `colophon-${entry.name}-${manifest.version}.tgz`), tarball);
      built.set(entry.name, { folder, tarball, manifest });
    }
  }
  return {
    of: (name) => {
      const found = built.get(name);
      if (found === undefined) {
        throw new Error(`${BUILD_PAGE} does not build the package ${name}.`);
      }
      return found;
    },
    place,
    environment: { PATH: path, ...compileCacheOf(clone) },
    remove,
  };
}

/** Name of the folder of the project that installs a package. */
const projectOf = (name: PackageFolder) => `my-${name}`;

/**
 * Returns the command that links the packages of the project that installed a package into a folder next to it. npm
 * then completes them, and installs the package itself again, which takes a third of the CPU time of an installation
 * in an empty folder.
 */
export function linkPackagesOf(name: PackageFolder): string {
  // npm writes to its list of installed packages, so that the projects must not share it.
  return `cp -al ../${projectOf(name)}/node_modules . && rm node_modules/.package-lock.json`;
}

/** A project that installed a package as the README of the package describes. */
export interface Project extends BuiltPackage {
  /** Folder of the project. */
  project: string;
  /** Terminal in the project. */
  reader: Reader;
  /** Blocks of the README after the installation. */
  usage: Block[];
  /** Runs a program in the project. Rejects with its output if it fails. */
  run(program: string, ...args: string[]): Promise<string>;
}

/**
 * Installs a package in an empty project.
 * @param page README of the package
 * @param replace replaces values of the page by those of this run
 */
export async function installPackage(
  built: BuiltPackages,
  name: PackageFolder,
  page: string,
  environment: Record<string, string> = {},
  replace: (text: string) => string = (text) => text,
): Promise<Project> {
  const project = join(built.place, projectOf(name));
  await mkdir(project);
  const reader = openReader({
    folder: project,
    environment: { ...built.environment, ...environment },
    replace,
  });
  const blocks = readBlocks(page);
  for (const block of blocks.filter(({ section }) => section === INSTALLATION)) {
    await reader.follow(block);
  }
  // The command of an `npm exec -c` that started the tests is left out: every `npx` would read it as its own.
  const { npm_config_call: _, ...inherited } = process.env;
  const env = { ...inherited, ...built.environment };
  return {
    ...built.of(name),
    project,
    reader,
    usage: blocks.filter((block) => isStep(block) && block.section !== INSTALLATION),
    run: async (program, ...args) => (await promisify(execFile)(program, args, { cwd: project, env })).stdout,
  };
}
