// `npm run build`: writes the published packages to dist/.
import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, posix, relative } from 'node:path';
import { writeCommonJs } from './commonjs.ts';
import { collectFiles, compile } from './compile.ts';
import { findDependencies, type ProjectManifest, publishedManifest, readProject } from './manifest.ts';
import { type PackageDescription, packages } from './packages.ts';

/**
 * Builds packages: JavaScript modules and declarations for their entries and what these import, in the folders of the
 * sources, each package with its own manifest. Nothing is bundled, so a page that uses a client loads only the client.
 * @param root folder of the project
 * @param out output folder. Its existing content is deleted
 * @param descriptions packages by the name of their folder in the output
 * @throws Error when the sources do not compile, or import a package that is not a dependency of the project
 */
export function build(
  root: string,
  out: string,
  descriptions: Readonly<Record<string, PackageDescription>> = packages,
): void {
  rmSync(out, { recursive: true, force: true });
  const project = readProject(root);
  const entries = Object.values(descriptions).flatMap((description) => [
    ...filesOf(description),
    ...modulesOf(description).map((module) => `${module}.ts`),
  ]);
  const compiled = mkdtempSync(join(tmpdir(), 'colophon-build-'));
  try {
    compile(root, collectFiles(entries.map((entry) => join(root, entry))), compiled);
    for (const [folder, description] of Object.entries(descriptions)) {
      writePackage(root, compiled, join(out, folder), project, description);
    }
  } finally {
    rmSync(compiled, { recursive: true });
  }
}

function writePackage(
  root: string,
  compiled: string,
  out: string,
  project: ProjectManifest,
  description: PackageDescription,
): void {
  const { commands } = description;
  const collect = (paths: readonly string[]) => collectFiles(paths.map((path) => join(compiled, path)));
  const libraries = Object.values(description.exports).flatMap((entry) =>
    'module' in entry ? [entry.module] : [],
  );
  // Only the declarations of libraries: the imports of others would add dependencies to the package.
  const library = collect(libraries.flatMap((module) => [`${module}.js`, `${module}.d.ts`]));
  const programs = collect(Object.values(commands).map((module) => `${module}.js`));
  const files = [...new Set([...library, ...programs])];
  for (const file of [...files, ...collect(filesOf(description))]) {
    cpSync(file, join(out, relative(compiled, file)));
  }
  writeCommonJs(library, compiled, out);
  for (const folder of description.dataFolders) {
    cpSync(join(root, folder), join(out, folder), {
      recursive: true,
      filter: (path) => !path.endsWith('.ts'),
    });
  }
  for (const folder of description.templateFolders) {
    cpSync(join(root, folder), join(out, folder), { recursive: true });
  }
  for (const module of Object.values(commands)) {
    makeExecutable(join(out, `${module}.js`));
  }
  cpSync(join(root, 'LICENSE'), join(out, 'LICENSE'));
  writeFileSync(join(out, 'README.md'), readmeOf(root, description));
  for (const page of description.pages) {
    cpSync(join(root, page), join(out, basename(page)));
  }
  // Last, because it lists the files of the package.
  const dependencies = findDependencies(files, project, compiled, description.additionalDependencies);
  const manifest = publishedManifest(project, description, dependencies, readdirSync(out).sort());
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** README of a package, with its pages next to it. */
function readmeOf(root: string, { readme, pages }: PackageDescription): string {
  const linked = (page: string) => `](${posix.relative(dirname(readme), page)})`;
  const text = readFileSync(join(root, readme), 'utf8');
  return pages.reduce((result, page) => result.replaceAll(linked(page), `](${basename(page)})`), text);
}

/** Modules that start a package, without extension. */
function modulesOf({ exports, commands }: PackageDescription): string[] {
  const libraries = Object.values(exports).flatMap((entry) => ('module' in entry ? [entry.module] : []));
  return [...libraries, ...Object.values(commands)];
}

/** Data files that a package exports. */
function filesOf({ exports }: PackageDescription): string[] {
  return Object.values(exports).flatMap((entry) => ('file' in entry ? [entry.file] : []));
}

/** Makes a module executable from a shell. */
function makeExecutable(path: string): void {
  writeFileSync(path, `#!/usr/bin/env node\n${readFileSync(path, 'utf8')}`);
  chmodSync(path, 0o755);
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '../..');
  build(root, join(root, 'dist'));
}
