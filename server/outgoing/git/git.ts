import { rm } from 'node:fs/promises';
import type { AllowedRanges, Lookup } from '../addresses.ts';
import { localEnvironment } from '../environment.ts';
import { OutgoingError } from '../errors.ts';
import type { GitProcessOptions } from '../processes.ts';
import { createCopyFolder, type FetchedRef, fetchInto, inFolder, LOCAL_REF } from './copies.ts';
import { type CacheLocation, moveToCache } from './copy-cache.ts';
import { isObjectId, parseRepositoryUrl, requireRef } from './git-address.ts';
import { explainFailure } from './git-failure.ts';
import { readHistory } from './history.ts';
import { locateRepository, type RepositoryLocation } from './locate.ts';
import { ObjectReader } from './object-reader.ts';
import { type GitObject, type StreamedObject, streamObjects } from './objects.ts';
import type { ReadLimits } from './reading.ts';
import { TreeCache } from './tree-cache.ts';
import { type RepositoryTree, readTree } from './trees.ts';

/** Limits of a clone. */
export interface GitLimits extends ReadLimits {
  /** Packed size of the fetched objects. */
  bytes: number;
  /** Time limit for locating and fetching, and for each later read of the local copy. */
  milliseconds: number;
  /**
   * Memory that git, and each of its helpers, can allocate (Linux). Reading a file of the maximum size takes twice its
   * size if it is stored as the difference from another one.
   */
  dataBytes: number;
}

/** Limits of reading a Git repository. */
export const GIT_LIMITS: GitLimits = {
  bytes: 1_073_741_824,
  contentBytes: 4_294_967_296,
  fileBytes: 268_435_456,
  files: 200_000,
  milliseconds: 300_000,
  dataBytes: 805_306_368,
};

/** Options of a clone. */
export interface CloneOptions {
  /** An `http`, `https` or `ssh` URL. Credentials in it are not exposed afterwards. */
  url: string;
  /** A full name: `refs/heads/<branch>` or `refs/tags/<tag>`. */
  ref: string;
  /** Allowed non-public address ranges, from {@link parseAllowedRanges}. */
  allow: AllowedRanges;
  /** An existing folder that will contain a temporary folder. */
  folder: string;
  /**
   * Where {@link GitRepository.cache} stores the copy: a folder of the same file system, and a key. The next fetch into
   * it transfers only what changed.
   */
  cache?: CacheLocation;
  limits?: Partial<GitLimits>;
  lookup?: Lookup;
  signal?: AbortSignal;
}

/** A commit. */
export interface GitCommit {
  oid: string;
  /** The full message without a trailing newline. */
  message: string;
  /** Time of the commit. */
  committedAt: Date;
  /** IDs of its parents. */
  parents: string[];
}

/** A temporary bare copy of one commit. Must be closed (`await using`), which removes its folder. */
export interface GitRepository extends AsyncDisposable {
  readonly commit: GitCommit;
  /**
   * Lists the files of the commit or one of its directories. Paths are relative to the repository's root. Symbolic
   * links and submodules are listed under `skipped`.
   *
   * @throws {OutgoingError} `too-large`, or `not-found` if the directory does not exist
   */
  readTree(directory?: string): Promise<RepositoryTree>;
  /** Reads complete file contents in the order of the IDs. For files of bounded size. */
  readBlobs(oids: Iterable<string>): AsyncGenerator<GitObject, void, undefined>;
  /** Streams file contents in the order of the IDs. For files of any size. */
  streamBlobs(oids: Iterable<string>): AsyncGenerator<StreamedObject, void, undefined>;
  /**
   * Returns the times of the last commits of all files by path, as far as the history is read; see `HISTORY_LIMITS`.
   *
   * @throws {OutgoingError} without credentials in its message
   */
  readDates(): Promise<ReadonlyMap<string, Date>>;
  /** Folder of the copy. Other files in it are cached with it. */
  readonly folder: string;
  /** Closes the repository and, if it was cloned with a key, caches its copy for the next clone. */
  cache(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Fetches one commit of a repository into a temporary bare copy, without history, other branches, working tree,
 * submodules, hooks or filters. Git connects only to checked addresses, and credentials are passed only in the
 * environment of the process that requires them.
 *
 * @throws {OutgoingError} without credentials in its message; the local copy is removed
 */
export async function cloneRepository(options: CloneOptions): Promise<GitRepository> {
  const copy = await createCopy(options);
  try {
    await copy.fetch({ name: options.ref });
    return await openCopy(copy, options);
  } catch (error) {
    await copy.close();
    if (copy.isCached && !(error instanceof OutgoingError && isFinal(error))) {
      // The copy may be damaged, or too large with the objects of earlier commits.
      return await cloneRepository(options);
    }
    throw explainFailure(error, options.ref, copy.location.credentials);
  }
}

const isFinal = ({ code }: OutgoingError): boolean => code === 'aborted' || code === 'timeout';

/** A local repository and the remote repository to fetch from. */
export interface Copy {
  folder: string;
  /** Whether the copy was cached, and contains an earlier commit. */
  isCached: boolean;
  location: RepositoryLocation;
  limits: GitLimits;
  signal: AbortSignal | undefined;
  /** Options of processes that use only the local copy. */
  local: GitProcessOptions;
  /** Reads objects of the local copy. */
  objects: ObjectReader;
  /** The trees of the earlier commit of a cached copy, and those that were read. */
  trees: TreeCache;
  /** Fetches a ref of the remote repository. */
  fetch(ref: FetchedRef): Promise<void>;
  cache(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Locates the remote repository and creates an empty local one.
 *
 * @throws {OutgoingError} if the target must not be called or is not a repository
 */
export async function createCopy(options: CloneOptions): Promise<Copy> {
  const { url, credentials } = parseRepositoryUrl(options.url);
  requireRef(options.ref);
  const limits = { ...GIT_LIMITS, ...options.limits };
  const startedAt = performance.now();
  const { allow, lookup, signal } = options;
  const { milliseconds, dataBytes } = limits;
  const location = await locateRepository(url, credentials, { allow, lookup, milliseconds, signal });
  const cached = options.cache;
  const { folder, isCached } = await createCopyFolder(options.folder, cached);
  const local = { environment: localEnvironment(folder), milliseconds, dataBytes, signal };
  const objects = new ObjectReader(limits, inFolder(folder), local);
  const trees = new TreeCache(folder);
  if (isCached) {
    await trees.open();
  }
  const close = async () => {
    await objects.close();
    await rm(folder, { recursive: true, force: true });
  };
  return {
    folder,
    isCached,
    location,
    limits,
    signal,
    local,
    objects,
    trees,
    fetch: (ref) => {
      const remainingMs = Math.max(1, milliseconds - (performance.now() - startedAt));
      return fetchInto(folder, location, ref, limits, { milliseconds: remainingMs, dataBytes, signal });
    },
    cache: async () => {
      if (!cached) {
        return await close();
      }
      await objects.close();
      await trees.save();
      await moveToCache(cached, folder);
    },
    close,
  };
}

/** Opens a fetched copy as a repository. Closing the repository closes the copy. */
export async function openCopy(
  copy: Copy,
  { ref, folder: parent }: Pick<CloneOptions, 'ref' | 'folder'>,
): Promise<GitRepository> {
  const { folder, limits, local, objects, location, signal, cache, close } = copy;
  const commit = await readCommit(objects);
  return {
    commit,
    readTree: (directory) => readCommitTree(copy, commit.oid, directory),
    readBlobs: (oids) => objects.read(requireOids(oids)),
    streamBlobs: (oids) => streamObjects(requireOids(oids), limits, inFolder(folder), local),
    readDates: async () => {
      const { oid } = commit;
      const process = { dataBytes: limits.dataBytes, signal };
      return await readHistory({ folder: parent, location, ref, oid, process }).catch((error) => {
        throw explainFailure(error, ref, location.credentials);
      });
    },
    folder,
    cache,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function requireOids(oids: Iterable<string>): string[] {
  const names = Array.from(oids);
  if (!names.every(isObjectId)) {
    throw new TypeError('An object id is 40 or 64 hexadecimal digits.');
  }
  return names;
}

/**
 * Lists the tree of a commit in a copy, or of one of its directories.
 *
 * @throws {OutgoingError} `too-large`, or `not-found` if the directory does not exist
 */
export async function readCommitTree(
  { limits, objects, trees }: Copy,
  oid: string,
  directory = '',
): Promise<RepositoryTree> {
  const path = directory
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
  return await readTree(objects, { commit: oid, directory: path }, limits, trees);
}

async function readCommit(objects: ObjectReader): Promise<GitCommit> {
  for await (const { oid, content } of objects.read([`${LOCAL_REF}^{commit}`])) {
    const text = content.toString('utf8');
    const body = text.indexOf('\n\n');
    const message = body === -1 ? '' : text.slice(body + 2).trimEnd();
    const lines = (body === -1 ? text : text.slice(0, body)).split('\n');
    return {
      oid,
      message: message.replaceAll('\0', '\uFFFD'),
      committedAt: timeOf(lines.find((line) => line.startsWith('committer ')) ?? ''),
      parents: lines.flatMap((line) => (line.startsWith('parent ') ? [line.slice('parent '.length)] : [])),
    };
  }
  throw new OutgoingError(
    'not-found',
    'The ref does not point to a commit. Use a branch, or a tag of a commit.',
  );
}

/** Returns the time at the end of a line of a commit: seconds and a time zone after the email address. */
function timeOf(line: string): Date {
  const seconds = Number.parseInt(line.slice(line.lastIndexOf('> ') + 2), 10);
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? new Date(0) : date;
}
