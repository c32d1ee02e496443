import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AllowedRanges, checkHost, type Lookup } from './addresses.ts';
import { localEnvironment, remoteEnvironment } from './environment.ts';
import { OutgoingError } from './errors.ts';
import { readAddress, requireRef } from './git-address.ts';
import { explainFailure } from './git-failure.ts';
import { locateRepository, type RepositoryLocation } from './locate.ts';
import { GitExit, type GitProcess, type GitProcessOptions, startGit } from './processes.ts';
import {
  type GitObject,
  listTree,
  megabytes,
  type ReadLimits,
  type RepositoryTree,
  readObjects,
  tooLarge,
} from './reading.ts';

/** What a clone may take. */
export interface GitLimits extends ReadLimits {
  /** Bytes fetched, as they lie packed on the disk. */
  bytes: number;
  /** For finding, fetching, and for each later read of the local copy. */
  milliseconds: number;
}

/** Generous for documentation, finite for a server. */
export const defaultGitLimits: GitLimits = {
  bytes: 1_073_741_824,
  contentBytes: 4_294_967_296,
  fileBytes: 268_435_456,
  files: 200_000,
  milliseconds: 300_000,
};

/** What to clone, how far one may go for it, and where the copy lies meanwhile. */
export interface CloneOptions {
  /** `http`, `https` or `ssh`; may hold credentials, which appear nowhere afterwards. */
  url: string;
  /** A full name: `refs/heads/<branch>` or `refs/tags/<tag>`. */
  ref: string;
  /** Ranges beyond public addresses, from {@link parseAllowedRanges}. */
  allow: AllowedRanges;
  /** An existing folder, in which the copy gets a folder of its own until it is closed. */
  folder: string;
  limits?: Partial<GitLimits>;
  lookup?: Lookup;
  signal?: AbortSignal;
}

/** The commit that a ref points to. */
export interface GitCommit {
  oid: string;
  /** The whole message, without the newline at its end. */
  message: string;
}

/** A bare copy of one commit. Close it, or hold it with `await using`; its folder is then removed. */
export interface GitRepository extends AsyncDisposable {
  readonly commit: GitCommit;
  /**
   * Lists the files of the commit, or of one of its directories; paths always start at the repository's root.
   * Symbolic links and submodules are named under `skipped`.
   *
   * @throws {OutgoingError} `too-large`, or `not-found` for a directory that is not there.
   */
  readTree(directory?: string): Promise<RepositoryTree>;
  /** Streams file contents in the order of the ids. */
  readBlobs(oids: Iterable<string>): AsyncGenerator<GitObject, void, undefined>;
  close(): Promise<void>;
}

const localRef = 'refs/import/head';
const folderPrefix = 'clone-';
const leftoverAge = 86_400_000;
const watchInterval = 20;
const oidPattern = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/**
 * Fetches one commit of a repository into a temporary bare copy: no history, no other branch, no working
 * tree, no submodules, no hooks or filters. The address is checked, git is bound to the checked address, and
 * credentials travel in the environment of the one process that needs them.
 *
 * @throws {OutgoingError} Its message holds no credentials, and nothing is left on the disk.
 */
export async function cloneRepository(options: CloneOptions): Promise<GitRepository> {
  const { url, credentials } = readAddress(options.url);
  requireRef(options.ref);
  const limits = { ...defaultGitLimits, ...options.limits };
  const started = performance.now();
  const rules = {
    allow: options.allow,
    lookup: options.lookup,
    milliseconds: limits.milliseconds,
    signal: options.signal,
  };
  const location: RepositoryLocation =
    url.protocol === 'ssh:'
      ? { url, host: await checkHost(url, options.allow, options.lookup) }
      : await locateRepository(url, credentials, rules);

  await removeLeftovers(options.folder);
  const folder = await mkdtemp(join(options.folder, folderPrefix));
  try {
    await initialize(folder);
    const milliseconds = Math.max(1, limits.milliseconds - (performance.now() - started));
    await fetchRef(folder, location, options.ref, limits, { milliseconds, signal: options.signal });
    return await open(folder, limits, options.signal);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw explainFailure(error, options.ref, credentials);
  }
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

async function fetchRef(
  folder: string,
  location: RepositoryLocation,
  ref: string,
  limits: GitLimits,
  options: Omit<GitProcessOptions, 'environment'>,
): Promise<void> {
  const git = startGit(
    [
      ...inFolder(folder),
      'fetch',
      '--quiet',
      '--depth=1',
      '--no-tags',
      '--no-recurse-submodules',
      '--no-auto-maintenance',
      '--no-write-fetch-head',
      '--end-of-options',
      location.url.href,
      `+${ref}:${localRef}`,
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

function watchSize(folder: string, git: GitProcess, limits: GitLimits): NodeJS.Timeout {
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

function requireSize(bytes: number, limits: GitLimits): void {
  if (bytes > limits.bytes) throw tooLarge(`more than ${megabytes(limits.bytes)}`);
}

async function open(
  folder: string,
  limits: GitLimits,
  signal: AbortSignal | undefined,
): Promise<GitRepository> {
  const options = { environment: localEnvironment(folder), milliseconds: limits.milliseconds, signal };
  const base = inFolder(folder);
  const close = () => rm(folder, { recursive: true, force: true });
  const commit = await readCommit(limits, base, options);
  return {
    commit,
    async readTree(directory = '') {
      const path = directory
        .split('/')
        .filter((part) => part !== '' && part !== '.')
        .join('/');
      try {
        return await listTree(
          path === '' ? commit.oid : `${commit.oid}:${path}`,
          path === '' ? '' : `${path}/`,
          limits,
          base,
          options,
        );
      } catch (error) {
        if (!(error instanceof GitExit)) throw error;
        throw new OutgoingError(
          'not-found',
          `The commit has no directory "${path}". Check the project directory.`,
        );
      }
    },
    readBlobs(oids) {
      const names = Array.from(oids);
      if (!names.every((name) => oidPattern.test(name)))
        throw new TypeError('An object id is 40 or 64 hexadecimal digits.');
      return readObjects(names, limits, base, options);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function readCommit(
  limits: ReadLimits,
  base: readonly string[],
  options: GitProcessOptions,
): Promise<GitCommit> {
  for await (const { oid, content } of readObjects([`${localRef}^{commit}`], limits, base, options)) {
    const text = content.toString('utf8');
    const body = text.indexOf('\n\n');
    const message = body === -1 ? '' : text.slice(body + 2).trimEnd();
    return { oid, message: message.replaceAll('\0', '\uFFFD') };
  }
  throw new OutgoingError('not-found', 'The ref points to no commit. Name a branch, or a tag of a commit.');
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

const inFolder = (folder: string): string[] => [`--git-dir=${folder}`, '--no-pager', '--literal-pathspecs'];
