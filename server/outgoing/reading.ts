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

/** The git program is not one that this server knows. */
export function unexpectedOutput(): OutgoingError {
  return new OutgoingError(
    'failed',
    'The git program printed what this server cannot read. Install git 2.39 or later.',
  );
}
