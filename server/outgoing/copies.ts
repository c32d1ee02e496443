import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { remoteEnvironment } from './environment.ts';
import { OutgoingError } from './errors.ts';
import type { RepositoryLocation } from './locate.ts';
import { type GitProcess, type GitProcessOptions, startGit } from './processes.ts';
import { megabytes, tooLarge } from './reading.ts';

/*
 * Bare copies of one commit, each in a folder of its own: no history, no other branch, no working tree, no
 * submodules, no hooks or filters.
 */

/** Where the copy keeps the commit that it was made of. */
export const localRef = 'refs/import/head';
const folderPrefix = 'clone-';
const leftoverAge = 86_400_000;
const watchInterval = 20;

/** Makes a folder for a copy, with an empty repository in it. */
export async function makeCopyFolder(parent: string): Promise<string> {
  await removeLeftovers(parent);
  const folder = await mkdtemp(join(parent, folderPrefix));
  await initialize(folder);
  return folder;
}

/** Lays out an empty repository by hand: what `git init` does in a process of its own, without its templates. */
async function initialize(folder: string): Promise<void> {
  await Promise.all([
    mkdir(join(folder, 'objects', 'pack'), { recursive: true }),
    mkdir(join(folder, 'refs'), { recursive: true }),
    writeFile(join(folder, 'HEAD'), `ref: ${localRef}\n`),
    writeFile(join(folder, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n'),
  ]);
}

/** What to fetch, under which name to keep it, and how many commits of its history. */
export interface FetchedName {
  name: string;
  as?: string;
  depth?: number;
}

/**
 * Fetches what a name of the remote stands for into the copy.
 *
 * @throws {GitExit} what git said; {@link OutgoingError} `too-large`, `timeout`
 */
export async function fetchInto(
  folder: string,
  location: RepositoryLocation,
  { name, as = localRef, depth = 1 }: FetchedName,
  limits: { bytes: number },
  options: Omit<GitProcessOptions, 'environment'>,
): Promise<void> {
  const git = startGit(
    [
      ...inFolder(folder),
      'fetch',
      '--quiet',
      `--depth=${depth}`,
      '--no-tags',
      '--no-recurse-submodules',
      '--no-auto-maintenance',
      '--no-write-fetch-head',
      '--end-of-options',
      location.url.href,
      `+${name}:${as}`,
    ],
    { ...options, environment: remoteEnvironment(location, folder) },
  );
  git.stdin.end();
  git.stdout.resume();
  const watch = watchSize(folder, git, limits);
  try {
    await git.done;
  } finally {
    clearInterval(watch);
  }
  requireSize(await packedBytes(folder), limits);
}

function watchSize(folder: string, git: GitProcess, limits: { bytes: number }): NodeJS.Timeout {
  const look = async () => {
    try {
      requireSize(await packedBytes(folder), limits);
    } catch (error) {
      if (error instanceof OutgoingError) git.stop(error);
    }
  };
  return setInterval(look, watchInterval);
}

async function packedBytes(folder: string): Promise<number> {
  const packs = join(folder, 'objects', 'pack');
  const sizes = (await readdir(packs)).map((name) =>
    stat(join(packs, name)).then(
      (found) => found.size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

function requireSize(bytes: number, limits: { bytes: number }): void {
  if (bytes > limits.bytes) throw tooLarge(`more than ${megabytes(limits.bytes)}`);
}

/** Removes what a killed process left behind; what is younger may be in use by another one. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(folderPrefix)) continue;
    const path = join(folder, name);
    const age = await stat(path).then(
      (found) => Date.now() - found.mtimeMs,
      () => 0,
    );
    if (age > leftoverAge) await rm(path, { recursive: true, force: true });
  }
}

/** The parameters that every git process of a copy starts with. */
export const inFolder = (folder: string): string[] => [
  `--git-dir=${folder}`,
  '--no-pager',
  '--literal-pathspecs',
];
