import { rm } from 'node:fs/promises';
import { type AllowedRanges, checkHost, type Lookup } from './addresses.ts';
import { type FetchedName, fetchInto, inFolder, localRef, makeCopyFolder } from './copies.ts';
import { localEnvironment } from './environment.ts';
import { OutgoingError } from './errors.ts';
import { readAddress, requireRef } from './git-address.ts';
import { explainFailure } from './git-failure.ts';
import { locateRepository, type RepositoryLocation } from './locate.ts';
import { type GitObject, readObjects, type StreamedObject, streamObjects } from './objects.ts';
import { GitExit, type GitProcessOptions } from './processes.ts';
import { listTree, type ReadLimits, type RepositoryTree } from './reading.ts';

/** What a clone may take. */
export interface GitLimits extends ReadLimits {
  /** Bytes fetched, as they lie packed on the disk. */
  bytes: number;
  /** For finding, fetching, and for each later read of the local copy. */
  milliseconds: number;
}

/** What reading one Git repository may take. */
export const GIT_LIMITS: GitLimits = {
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
  /** Reads file contents in the order of the ids, each whole: for texts, whose length is bounded. */
  readBlobs(oids: Iterable<string>): AsyncGenerator<GitObject, void, undefined>;
  /** Streams file contents in the order of the ids: for files of any size. */
  streamBlobs(oids: Iterable<string>): AsyncGenerator<StreamedObject, void, undefined>;
  close(): Promise<void>;
}

const oidPattern = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/**
 * Fetches one commit of a repository into a temporary bare copy: no history, no other branch, no working
 * tree, no submodules, no hooks or filters. The address is checked, git is bound to the checked address, and
 * credentials travel in the environment of the one process that needs them.
 *
 * @throws {OutgoingError} Its message holds no credentials, and nothing is left on the disk.
 */
export async function cloneRepository(options: CloneOptions): Promise<GitRepository> {
  const copy = await makeCopy(options);
  try {
    await copy.fetch({ name: options.ref });
    return await openCopy(copy);
  } catch (error) {
    await copy.close();
    throw explainFailure(error, options.ref, copy.location.credentials);
  }
}

/** An empty local repository and the remote one that it is to be filled from. */
export interface Copy {
  folder: string;
  location: RepositoryLocation;
  limits: GitLimits;
  signal: AbortSignal | undefined;
  /** For processes that touch the copy alone. */
  local: GitProcessOptions;
  /** Fetches what a name of the remote stands for. */
  fetch(what: FetchedName): Promise<void>;
  close(): Promise<void>;
}

/**
 * Finds the remote repository and makes room for a copy.
 *
 * @throws {OutgoingError} for what may not be called, and where no repository is.
 */
export async function makeCopy(options: CloneOptions): Promise<Copy> {
  const { url, credentials } = readAddress(options.url);
  requireRef(options.ref);
  const limits = { ...GIT_LIMITS, ...options.limits };
  const started = performance.now();
  const { allow, lookup, signal } = options;
  const location: RepositoryLocation =
    url.protocol === 'ssh:'
      ? { url, host: await checkHost(url, allow, lookup) }
      : await locateRepository(url, credentials, {
          allow,
          lookup,
          milliseconds: limits.milliseconds,
          signal,
        });
  const folder = await makeCopyFolder(options.folder);
  return {
    folder,
    location,
    limits,
    signal,
    local: { environment: localEnvironment(folder), milliseconds: limits.milliseconds, signal },
    fetch: (what) => {
      const milliseconds = Math.max(1, limits.milliseconds - (performance.now() - started));
      return fetchInto(folder, location, what, limits, { milliseconds, signal });
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Opens a copy that was fetched into; from then on it is the repository's to close. */
export async function openCopy(copy: Copy): Promise<GitRepository> {
  const { limits, local: options, close } = copy;
  const base = inFolder(copy.folder);
  const commit = await readCommit(limits, base, options);
  return {
    commit,
    readTree: (directory) => readCommitTree(copy, commit.oid, directory),
    readBlobs: (oids) => readObjects(requireOids(oids), limits, base, options),
    streamBlobs: (oids) => streamObjects(requireOids(oids), limits, base, options),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function requireOids(oids: Iterable<string>): string[] {
  const names = Array.from(oids);
  if (!names.every((name) => oidPattern.test(name)))
    throw new TypeError('An object id is 40 or 64 hexadecimal digits.');
  return names;
}

/**
 * Lists the tree of a commit in a copy, or of one of its directories.
 *
 * @throws {OutgoingError} `too-large`, or `not-found` for a directory that is not there.
 */
export async function readCommitTree(
  { folder, limits, local }: Copy,
  oid: string,
  directory = '',
): Promise<RepositoryTree> {
  const path = directory
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
  const [tree, prefix] = path === '' ? [oid, ''] : [`${oid}:${path}`, `${path}/`];
  try {
    return await listTree(tree, prefix, limits, inFolder(folder), local);
  } catch (error) {
    if (!(error instanceof GitExit)) throw error;
    throw new OutgoingError(
      'not-found',
      `The commit has no directory "${path}". Check the project directory.`,
    );
  }
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
