import { text } from 'node:stream/consumers';
import { remoteEnvironment } from '../environment.ts';
import { OutgoingError } from '../errors.ts';
import { GitExit, startGit } from '../processes.ts';
import { inFolder } from './copies.ts';
import { type CommitMetadata, endCommits, FAST_IMPORT, type TreeChange, writeCommit } from './fast-import.ts';
import {
  type CloneOptions,
  type Copy,
  createCopy,
  type GitCommit,
  type GitRepository,
  openCopy,
  readCommitTree,
} from './git.ts';
import { isObjectId } from './git-address.ts';
import { explainFailure, isMissingRef } from './git-failure.ts';
import { mebibytes } from './reading.ts';
import type { RepositoryTree } from './trees.ts';

/** A local copy of a branch to add commits to. Must be closed (`await using`). */
export interface GitBranch extends AsyncDisposable {
  /** The latest commit; undefined if the branch does not exist yet. */
  readonly head: GitCommit | undefined;
  /** Lists the files of the latest commit or one of its directories; empty if it does not exist. */
  readTree(directory?: string): Promise<RepositoryTree>;
  readBlobs: GitRepository['readBlobs'];
  /**
   * Creates a commit in the local copy.
   *
   * @returns its ID; undefined if it would change nothing
   */
  commit(changes: AsyncIterable<TreeChange>, metadata: CommitMetadata): Promise<string | undefined>;
  /** Lists the files of a commit of the local copy. */
  readTreeOf(oid: string, directory?: string): Promise<RepositoryTree>;
  /**
   * Pushes a commit, if the remote branch has not changed since it was opened.
   *
   * @throws {OutgoingError} `moved` if it has changed
   */
  push(oid: string): Promise<void>;
  /** Returns whether a commit is among the latest of the remote branch. */
  contains(oid: string): Promise<boolean>;
  close(): Promise<void>;
}

const EXPORT_REF = 'refs/export/head';
const REMOTE_REF = 'refs/export/remote';
/** Number of commits that `contains` searches. */
const MAX_SEARCHED_COMMITS = 100;
const EMPTY_TREE: RepositoryTree = { files: [], skipped: [] };
const MOVED_PATTERN =
  /stale info|fetch first|non-fast-forward|cannot lock ref|incorrect old value|failed to update ref|reference already exists/i;

/**
 * Fetches the latest commit of a branch to add commits to it, with the safeguards of `cloneRepository`. The branch
 * does not have to exist.
 *
 * @throws {OutgoingError} without credentials in its message; the local copy is removed
 */
export async function openBranch(options: CloneOptions): Promise<GitBranch> {
  const copy = await createCopy(options);
  const { ref } = options;
  try {
    const tip = await fetchTip(copy, options);
    return {
      head: tip?.commit,
      readTree: async (directory) =>
        tip ? await readDirectory(copy, tip.commit.oid, directory) : EMPTY_TREE,
      readBlobs: (oids) => (tip ? tip.readBlobs(oids) : copy.objects.read(oids)),
      commit: (changes, metadata) => commit(copy, tip?.commit.oid, changes, metadata),
      readTreeOf: (oid, directory) => readDirectory(copy, oid, directory),
      push: (oid) => push(copy, ref, { oid, expected: tip?.commit.oid }),
      contains: (oid) => contains(copy, ref, oid),
      close: copy.close,
      [Symbol.asyncDispose]: copy.close,
    };
  } catch (error) {
    await copy.close();
    throw explainFailure(error, ref, copy.location.credentials);
  }
}

async function fetchTip(copy: Copy, options: CloneOptions): Promise<GitRepository | undefined> {
  try {
    await copy.fetch({ name: options.ref });
  } catch (error) {
    if (isMissingRef(error)) {
      return undefined;
    }
    throw error;
  }
  return await openCopy(copy, options);
}

async function readDirectory(copy: Copy, oid: string, directory = ''): Promise<RepositoryTree> {
  try {
    return await readCommitTree(copy, oid, directory);
  } catch (error) {
    if (error instanceof OutgoingError && error.code === 'not-found') {
      return EMPTY_TREE;
    }
    throw error;
  }
}

async function commit(
  copy: Copy,
  parent: string | undefined,
  changes: AsyncIterable<TreeChange>,
  metadata: CommitMetadata,
): Promise<string | undefined> {
  const base = inFolder(copy.folder);
  const git = startGit([...base, ...FAST_IMPORT], copy.local);
  git.stdout.resume();
  let bytes = 0;
  try {
    await writeCommit(git, { ...metadata, ref: EXPORT_REF, parent, changes }, (size) => {
      bytes += size;
      if (bytes > copy.limits.bytes) {
        throw exportTooLarge(copy.limits.bytes);
      }
    });
    await endCommits(git);
  } catch (error) {
    git.stop(
      error instanceof OutgoingError ? error : new OutgoingError('aborted', 'The commit was aborted.'),
    );
    throw error instanceof GitExit ? explainFailure(error, EXPORT_REF, undefined, 'push') : error;
  }
  const [created, previous] = await Promise.all([
    readTreeId(copy, EXPORT_REF),
    parent === undefined ? undefined : readTreeId(copy, parent),
  ]);
  return created.tree === previous?.tree ? undefined : created.commit;
}

/** Reads the tree ID and the ID of a commit. */
async function readTreeId({ objects }: Copy, name: string): Promise<{ commit: string; tree: string }> {
  for await (const { oid, content } of objects.read([`${name}^{commit}`])) {
    const [, tree = ''] = /^tree ([0-9a-f]+)\n/.exec(content.toString('latin1')) ?? [];
    return { commit: oid, tree };
  }
  throw new OutgoingError('failed', 'Git cannot read the commit it created. Check the disk of the server.');
}

async function push(
  { folder, location, limits, signal }: Copy,
  ref: string,
  { oid, expected }: { oid: string; expected: string | undefined },
): Promise<void> {
  const git = startGit(
    [
      ...inFolder(folder),
      'push',
      '--porcelain',
      '--no-verify',
      '--no-signed',
      '--no-follow-tags',
      '--no-recurse-submodules',
      // Never overwrites commits of others: the server compares the ref before it updates it.
      `--force-with-lease=${ref}:${expected ?? ''}`,
      '--end-of-options',
      location.url.href,
      `${oid}:${ref}`,
    ],
    { ...limits, environment: remoteEnvironment(location, folder), signal },
  );
  git.stdin.end();
  const stdout = text(git.stdout);
  try {
    await git.done;
  } catch (error) {
    if (!(error instanceof GitExit)) {
      throw error;
    }
    const output = `${await stdout}\n${error.stderr}`;
    if (/^!/m.test(await stdout) && MOVED_PATTERN.test(output)) {
      throw new OutgoingError('moved', `The branch ${ref} was updated during the export. Export again.`);
    }
    throw explainFailure(new GitExit(output), ref, location.credentials, 'push');
  }
}

/**
 * Checks the ancestry of the branch. Checking for the commit alone is not enough: a rejected push may leave its objects
 * on the remote.
 */
async function contains(copy: Copy, ref: string, oid: string): Promise<boolean> {
  if (!isObjectId(oid)) {
    return false;
  }
  try {
    await copy.fetch({ name: ref, as: REMOTE_REF, depth: MAX_SEARCHED_COMMITS });
    const base = inFolder(copy.folder);
    const git = startGit([...base, 'merge-base', '--is-ancestor', oid, REMOTE_REF], copy.local);
    git.stdin.end();
    git.stdout.resume();
    await git.done;
    return true;
  } catch (error) {
    if (error instanceof GitExit) {
      return false;
    }
    throw error;
  }
}

function exportTooLarge(bytes: number): OutgoingError {
  return new OutgoingError(
    'too-large',
    `The content exceeds the export limit of ${mebibytes(bytes)}. Remove large files.`,
  );
}
