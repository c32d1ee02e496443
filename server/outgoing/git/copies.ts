import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { remoteEnvironment } from '../environment.ts';
import { OutgoingError } from '../errors.ts';
import { type GitProcess, type GitProcessOptions, startGit } from '../processes.ts';
import { type CacheLocation, moveFromCache } from './copy-cache.ts';
import type { RepositoryLocation } from './locate.ts';
import { mebibytes, tooLarge } from './reading.ts';

/*
 * Temporary bare copies of one commit, without history, other branches, working tree, submodules, hooks or filters.
 */

/** The ref of the copied commit. */
export const LOCAL_REF = 'refs/import/head';
const FOLDER_PREFIX = 'clone-';
const LEFTOVER_AGE_MS = 86_400_000;
const SIZE_CHECK_MS = 20;

/**
 * Creates a folder with a repository: the cached copy with a key, or else an empty one.
 *
 * @param cache location of cached copies
 */
export async function createCopyFolder(
  parent: string,
  cache?: CacheLocation,
): Promise<{ folder: string; isCached: boolean }> {
  await removeLeftovers(parent);
  const prefix = join(parent, FOLDER_PREFIX);
  const cached = cache && (await moveFromCache(cache, prefix));
  if (cached !== undefined) {
    return { folder: cached, isCached: true };
  }
  const folder = await mkdtemp(prefix);
  await initialize(folder);
  return { folder, isCached: false };
}

/** Creates an empty repository like `git init`, but without starting a process and without templates. */
export async function initialize(folder: string, head: string = LOCAL_REF): Promise<void> {
  await Promise.all([
    mkdir(join(folder, 'objects', 'pack'), { recursive: true }),
    mkdir(join(folder, 'refs'), { recursive: true }),
    writeFile(join(folder, 'HEAD'), `ref: ${head}\n`),
    writeFile(join(folder, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n'),
  ]);
}

/** A ref to fetch. */
export interface FetchedRef {
  name: string;
  /** Local name. */
  as?: string;
  depth?: number;
  /** Which objects are omitted (git-rev-list, `--filter`), if the server supports it. */
  filter?: string;
}

/**
 * Fetches a ref of the remote into a copy.
 *
 * @throws {GitExit} if git fails; {@link OutgoingError} `too-large`, `timeout`
 */
export async function fetchInto(
  folder: string,
  location: RepositoryLocation,
  { name, as = LOCAL_REF, depth = 1, filter }: FetchedRef,
  limits: { bytes: number },
  options: Omit<GitProcessOptions, 'environment'>,
): Promise<void> {
  const git = startGit(
    [
      ...inFolder(folder),
      'fetch',
      '--quiet',
      `--depth=${depth}`,
      ...(filter === undefined ? [] : [`--filter=${filter}`]),
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
  const packs = new Packs(folder);
  const watch = watchSize(packs, git, limits);
  try {
    await git.done;
  } finally {
    clearInterval(watch);
  }
  requireSize(await packs.bytes(), limits);
}

function watchSize(packs: Packs, git: GitProcess, limits: { bytes: number }): NodeJS.Timeout {
  const check = async () => {
    try {
      requireSize(await packs.bytes(), limits);
    } catch (error) {
      if (error instanceof OutgoingError) {
        git.stop(error);
      }
    }
  };
  return setInterval(check, SIZE_CHECK_MS);
}

/** The packs of a copy. */
class Packs {
  readonly #folder: string;
  /** Sizes of complete packs, which never change: a cached copy has many. */
  readonly #complete = new Map<string, number>();

  constructor(folder: string) {
    this.#folder = join(folder, 'objects', 'pack');
  }

  /** Returns the total size of the packs, including incomplete ones. */
  async bytes(): Promise<number> {
    const sizes = (await readdir(this.#folder)).map((name) => this.#complete.get(name) ?? this.#sizeOf(name));
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  }

  async #sizeOf(name: string): Promise<number> {
    const size = await stat(join(this.#folder, name)).then(
      ({ size }) => size,
      () => 0,
    );
    // Git writes to files with other names, and renames them at the end.
    if (name.startsWith('pack-')) {
      this.#complete.set(name, size);
    }
    return size;
  }
}

function requireSize(bytes: number, limits: { bytes: number }): void {
  if (bytes > limits.bytes) {
    throw tooLarge(`more than ${mebibytes(limits.bytes)}`);
  }
}

/** Removes folders left behind by killed processes. Newer folders may be in use by another process. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(FOLDER_PREFIX)) {
      continue;
    }
    const path = join(folder, name);
    const age = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > LEFTOVER_AGE_MS) {
      await rm(path, { recursive: true, force: true });
    }
  }
}

/** Returns the first arguments of every git process of a copy. */
export const inFolder = (folder: string): string[] => [
  `--git-dir=${folder}`,
  '--no-pager',
  '--literal-pathspecs',
];
