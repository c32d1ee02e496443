import { text } from 'node:stream/consumers';
import { inFolder } from './copies.ts';
import { remoteEnvironment } from './environment.ts';
import { OutgoingError } from './errors.ts';
import {
  type CloneOptions,
  type Copy,
  type GitCommit,
  type GitRepository,
  makeCopy,
  openCopy,
  readCommitTree,
} from './git.ts';
import { explainFailure, isMissingRef } from './git-failure.ts';
import { readObjects } from './objects.ts';
import { GitExit, startGit } from './processes.ts';
import { megabytes, type RepositoryTree } from './reading.ts';

/** The bytes of a file that are read while they are written. */
export interface StreamedContent {
  /** In bytes: just as many have to come. */
  size: number;
  chunks: AsyncIterable<Uint8Array>;
}

/** A file of the next commit: its bytes, or null where it goes away. */
export interface TreeChange {
  /** From the repository's root. */
  path: string;
  content: Uint8Array | StreamedContent | null;
  /** Git's file mode; that of a plain file when left out. */
  mode?: string;
}

/** What a commit says beside its files. */
export interface CommitFacts {
  message: string;
  author: { name: string; email: string };
  /** The same commit of the same files at the same time has the same id. */
  at: Date;
}

/** A copy of a branch that commits can be put on top of. Close it, or hold it with `await using`. */
export interface GitBranch extends AsyncDisposable {
  /** The commit at its tip; undefined where there is no such branch yet. */
  readonly head: GitCommit | undefined;
  /** Lists the files at the tip, or in one of its directories: none where that is not there. */
  readTree(directory?: string): Promise<RepositoryTree>;
  readBlobs: GitRepository['readBlobs'];
  /**
   * Makes a commit on top, in the copy alone.
   *
   * @returns its id, undefined where it would change nothing
   */
  commit(changes: AsyncIterable<TreeChange>, facts: CommitFacts): Promise<string | undefined>;
  /** Lists the files of a commit that was made here. */
  readTreeOf(oid: string, directory?: string): Promise<RepositoryTree>;
  /**
   * Makes a commit the tip of the branch, if the tip still is what it was when the branch was opened.
   *
   * @throws {OutgoingError} `moved` where it is not
   */
  push(oid: string): Promise<void>;
  /** Whether a commit is among the latest of the branch. */
  contains(oid: string): Promise<boolean>;
  close(): Promise<void>;
}

const exportRef = 'refs/export/head';
const knownRef = 'refs/export/known';
/** Commits that are looked through for one. */
const latest = 100;
const nothing: RepositoryTree = { files: [], skipped: [] };
const oidPattern = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const movedPattern =
  /stale info|fetch first|non-fast-forward|cannot lock ref|incorrect old value|failed to update ref|reference already exists/i;

/**
 * Fetches the tip of a branch to put a commit on top of it, with the guards of `cloneRepository`; a branch that is
 * not there yet may be made.
 *
 * @throws {OutgoingError} Its message holds no credentials, and nothing is left on the disk.
 */
export async function openBranch(options: CloneOptions): Promise<GitBranch> {
  const copy = await makeCopy(options);
  const { ref } = options;
  try {
    const tip = await fetchTip(copy, ref);
    return {
      head: tip?.commit,
      readTree: async (directory) => (tip ? await readExisting(copy, tip.commit.oid, directory) : nothing),
      readBlobs: (oids) => (tip ?? copyReader(copy)).readBlobs(oids),
      commit: (changes, facts) => commit(copy, tip?.commit.oid, changes, facts),
      readTreeOf: (oid, directory) => readExisting(copy, oid, directory),
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

async function fetchTip(copy: Copy, ref: string): Promise<GitRepository | undefined> {
  try {
    await copy.fetch({ name: ref });
  } catch (error) {
    if (isMissingRef(error)) return undefined;
    throw error;
  }
  return await openCopy(copy);
}

/** Reads from a copy without a commit of the remote. */
function copyReader({ folder, limits, local }: Copy): Pick<GitRepository, 'readBlobs'> {
  return { readBlobs: (oids) => readObjects(oids, limits, inFolder(folder), local) };
}

async function readExisting(copy: Copy, oid: string, directory = ''): Promise<RepositoryTree> {
  try {
    return await readCommitTree(copy, oid, directory);
  } catch (error) {
    if (error instanceof OutgoingError && error.code === 'not-found') return nothing;
    throw error;
  }
}

async function commit(
  copy: Copy,
  parent: string | undefined,
  changes: AsyncIterable<TreeChange>,
  { message, author, at }: CommitFacts,
): Promise<string | undefined> {
  const base = inFolder(copy.folder);
  const git = startGit(
    [...base, 'fast-import', '--quiet', '--force', '--done', '--date-format=raw'],
    copy.local,
  );
  git.stdout.resume();
  const write = async (part: string | Uint8Array) => {
    if (git.stdin.write(part)) return;
    // A process that ended takes nothing any more: its end tells why.
    await Promise.race([new Promise((resolve) => git.stdin.once('drain', resolve)), git.done]);
  };
  const who = `${plain(author.name)} <${plain(author.email)}> ${Math.floor(at.getTime() / 1000)} +0000`;
  let bytes = 0;
  try {
    await write(`commit ${exportRef}\nauthor ${who}\ncommitter ${who}\n`);
    await write(data(Buffer.from(message.replaceAll('\0', '\uFFFD'))));
    if (parent !== undefined) await write(`from ${parent}\n`);
    for await (const { path, content, mode = '100644' } of changes) {
      if (content === null) {
        await write(`D ${quoted(path)}\n`);
        continue;
      }
      const { size, chunks } =
        content instanceof Uint8Array ? { size: content.byteLength, chunks: [content] } : content;
      bytes += size;
      if (bytes > copy.limits.bytes) throw tooMuch(copy.limits.bytes);
      await write(`M ${mode} inline ${quoted(path)}\ndata ${size}\n`);
      let left = size;
      for await (const chunk of chunks) {
        left -= chunk.byteLength;
        await write(chunk);
      }
      if (left !== 0) throw new Error(`The file ${path} has another size than its content.`);
      await write('\n');
    }
    git.stdin.end('done\n');
    await git.done;
  } catch (error) {
    git.stop(
      error instanceof OutgoingError ? error : new OutgoingError('aborted', 'The commit was not made.'),
    );
    throw error instanceof GitExit ? explainFailure(error, exportRef, undefined, 'push') : error;
  }
  const [made, before] = await Promise.all([
    readTreeId(copy, exportRef),
    parent === undefined ? undefined : readTreeId(copy, parent),
  ]);
  return made.tree === before?.tree ? undefined : made.commit;
}

/** The tree that a commit has, and the commit's id. */
async function readTreeId(
  { folder, limits, local }: Copy,
  name: string,
): Promise<{ commit: string; tree: string }> {
  for await (const { oid, content } of readObjects([`${name}^{commit}`], limits, inFolder(folder), local)) {
    const [, tree = ''] = /^tree ([0-9a-f]+)\n/.exec(content.toString('latin1')) ?? [];
    return { commit: oid, tree };
  }
  throw new OutgoingError('failed', 'Git made a commit that it cannot find. Check the disk of the server.');
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
      // Nobody else's commit is pushed away, nor brought back: the server compares before it moves the branch.
      `--force-with-lease=${ref}:${expected ?? ''}`,
      '--end-of-options',
      location.url.href,
      `${oid}:${ref}`,
    ],
    { environment: remoteEnvironment(location, folder), milliseconds: limits.milliseconds, signal },
  );
  git.stdin.end();
  const told = text(git.stdout);
  try {
    await git.done;
  } catch (error) {
    if (!(error instanceof GitExit)) throw error;
    const said = await told;
    if (/^!/m.test(said) && movedPattern.test(`${said}\n${error.stderr}`))
      throw new OutgoingError(
        'moved',
        `The branch ${ref} moved while the content was written. Export again.`,
      );
    throw explainFailure(new GitExit(`${said}\n${error.stderr}`), ref, location.credentials, 'push');
  }
}

/**
 * That the remote has the commit would not do: a push that is refused for the branch having moved leaves its
 * objects behind.
 */
async function contains(copy: Copy, ref: string, oid: string): Promise<boolean> {
  if (!oidPattern.test(oid)) return false;
  try {
    await copy.fetch({ name: ref, as: knownRef, depth: latest });
    const base = inFolder(copy.folder);
    const git = startGit([...base, 'merge-base', '--is-ancestor', oid, knownRef], copy.local);
    git.stdin.end();
    git.stdout.resume();
    await git.done;
    return true;
  } catch (error) {
    if (error instanceof GitExit) return false;
    throw error;
  }
}

function data(content: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`data ${content.byteLength}\n`), content, Buffer.from('\n')]);
}

/** A path as git reads it in double quotes; it is UTF-8 and holds no NUL. */
function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}

/** What stands in the line of an author. */
function plain(name: string): string {
  return name.replace(/[<>\p{Cc}]/gu, '').trim();
}

function tooMuch(bytes: number): OutgoingError {
  return new OutgoingError(
    'too-large',
    `There is more than ${megabytes(bytes)} to write, which is the most that is exported. Remove large files.`,
  );
}
