import { OutgoingError } from './errors.ts';
import { type GitProcess, type GitProcessOptions, startGit } from './processes.ts';

/** A file of a commit's tree. */
export interface TreeFile {
  /** From the repository's root, with slashes. */
  path: string;
  /** The id of its content. */
  oid: string;
  /** In bytes. */
  size: number;
  /** Git's file mode: `100644`, or `100755` for an executable. */
  mode: string;
}

/** An entry that is left out, and why. */
export interface SkippedEntry {
  path: string;
  reason: 'symlink' | 'submodule' | 'unsafe-path';
}

/** A commit's tree, flat, in git's order. */
export interface RepositoryTree {
  files: TreeFile[];
  skipped: SkippedEntry[];
}

/** The content behind an object id. */
export interface GitObject {
  oid: string;
  content: Buffer;
}

/** What reading may take, to stop a small pack that unfolds into a huge tree. */
export interface ReadLimits {
  /** Entries of a tree. */
  files: number;
  /** Bytes of all files of a tree together, unpacked. */
  contentBytes: number;
  /** Bytes of one file, unpacked. */
  fileBytes: number;
}

const entryPattern = /^(\d{6}) (blob|commit|tree) ([0-9a-f]+) +(\d+|-)$/;
const linkMode = '120000';
// The longest path that Linux takes; also bounds what is kept of a tree that never ends.
const entryLimit = 8_192;

/**
 * Lists a tree with the size of each file, in one process.
 *
 * @param tree what git resolves to a tree: a commit's id, or `<commit>:<directory>`.
 * @param prefix put before each path, so that paths of a directory's tree start at the repository's root.
 * @throws {OutgoingError} `too-large`; {@link GitExit} when there is no such tree.
 */
export async function listTree(
  tree: string,
  prefix: string,
  limits: ReadLimits,
  base: readonly string[],
  options: GitProcessOptions,
): Promise<RepositoryTree> {
  const git = startGit(
    [...base, 'ls-tree', '-r', '-z', '-l', '--full-tree', '--end-of-options', tree],
    options,
  );
  git.stdin.end();
  const result: RepositoryTree = { files: [], skipped: [] };
  let bytes = 0;
  const take = (entry: Buffer) => {
    const tab = entry.indexOf(9);
    const match = entryPattern.exec(entry.toString('latin1', 0, tab));
    if (match === null) throw unexpectedOutput();
    const [, mode = '', type, oid = '', size] = match;
    const path = prefix + entry.toString('utf8', tab + 1);
    const reason = refusal(mode, type, path);
    if (reason !== undefined) {
      result.skipped.push({ path, reason });
    } else {
      bytes += Number(size);
      result.files.push({ path, oid, size: Number(size), mode });
    }
    if (result.files.length + result.skipped.length > limits.files) {
      throw tooLarge(`more than ${limits.files} files`);
    }
    if (bytes > limits.contentBytes) throw tooLarge(`more than ${megabytes(limits.contentBytes)} of content`);
  };
  await consume(git, splitByNul(take));
  return result;
}

function refusal(mode: string, type: string | undefined, path: string): SkippedEntry['reason'] | undefined {
  if (type === 'commit') return 'submodule';
  if (mode === linkMode) return 'symlink';
  const unsafe =
    path.includes('\uFFFD') ||
    path.includes('\\') ||
    path.split('/').some((part) => part === '' || part === '.' || part === '..');
  return unsafe || type !== 'blob' ? 'unsafe-path' : undefined;
}

function splitByNul(take: (entry: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, start)) {
      take(bytes.subarray(start, end));
      start = end + 1;
    }
    rest = bytes.subarray(start);
    if (rest.length > entryLimit) throw tooLarge('a path that is too long');
  };
}

async function consume(git: GitProcess, take: (chunk: Buffer) => void): Promise<void> {
  try {
    for await (const chunk of git.stdout) take(chunk);
  } catch (error) {
    const reason = error instanceof OutgoingError ? error : unexpectedOutput();
    git.stop(reason);
    // It may have ended well just before: what was found counts.
    await git.done.catch(() => {});
    throw reason;
  }
  await git.done;
}

/**
 * Streams the contents of objects in the order asked for, in one process. Leaving the loop early ends it.
 *
 * @throws {OutgoingError} `too-large` for an object over the limit, `not-found` for one that is missing.
 */
export async function* readObjects(
  names: Iterable<string>,
  limits: ReadLimits,
  base: readonly string[],
  options: GitProcessOptions,
): AsyncGenerator<GitObject, void, undefined> {
  const git = startGit([...base, 'cat-file', '--batch', '--buffer'], options);
  git.stdin.end(Array.from(names, (name) => `${name}\n`).join(''));
  const parse = objectParser(limits);
  let ended = false;
  try {
    for await (const chunk of git.stdout) yield* parse(chunk);
    await git.done;
    ended = true;
  } finally {
    if (!ended)
      git.stop(
        new OutgoingError('aborted', 'The rest of the repository was not read: its reader left early.'),
      );
  }
}

/** Cuts the output of `git cat-file --batch` into objects: `<oid> <type> <size>`, newline, content, newline. */
function objectParser(limits: ReadLimits): (chunk: Buffer) => GitObject[] {
  let pending: Buffer[] = [];
  let pendingLength = 0;
  let wanted = 0;
  let header: { oid: string; size: number } | undefined;
  return (chunk) => {
    pending.push(chunk);
    pendingLength += chunk.length;
    // Joining on each chunk would copy a large file over and over.
    if (pendingLength < wanted) return [];
    let bytes = pending.length === 1 ? chunk : Buffer.concat(pending);
    const found: GitObject[] = [];
    for (;;) {
      if (header === undefined) {
        const end = bytes.indexOf(10);
        wanted = bytes.length + 1;
        if (end === -1) break;
        header = parseHeader(bytes.toString('latin1', 0, end), limits);
        bytes = bytes.subarray(end + 1);
      }
      wanted = header.size + 1;
      if (bytes.length < wanted) break;
      found.push({ oid: header.oid, content: bytes.subarray(0, header.size) });
      bytes = bytes.subarray(wanted);
      header = undefined;
    }
    pending = [bytes];
    pendingLength = bytes.length;
    return found;
  };
}

function parseHeader(line: string, limits: ReadLimits): { oid: string; size: number } {
  const [oid = '', type, size] = line.split(' ');
  if (type === 'missing') {
    throw new OutgoingError(
      'not-found',
      'The repository lacks an object that its tree names. Check it with git fsck and push it again.',
    );
  }
  const bytes = Number(size);
  if (size === undefined || !Number.isSafeInteger(bytes)) throw unexpectedOutput();
  if (bytes > limits.fileBytes) throw tooLarge(`a file of more than ${megabytes(limits.fileBytes)}`);
  return { oid, size: bytes };
}

/** A limit of {@link ReadLimits} or of the clone is passed. */
export function tooLarge(what: string): OutgoingError {
  return new OutgoingError(
    'too-large',
    `The repository has ${what}, which is the most that is imported. Import a smaller repository or a directory of it.`,
  );
}

/** A size for people. */
export function megabytes(bytes: number): string {
  return `${Math.round((bytes / 1_048_576) * 10) / 10} MB`;
}

function unexpectedOutput(): OutgoingError {
  return new OutgoingError(
    'failed',
    'The git program printed what this server cannot read. Install git 2.39 or later.',
  );
}
