import { OutgoingError } from './errors.ts';
import { type GitProcess, type GitProcessOptions, startGit } from './processes.ts';

/** A file of a commit's tree. */
export interface TreeFile {
  /** Path from the repository's root, separated by slashes. */
  path: string;
  /** ID of its content. */
  oid: string;
  /** Size in bytes. */
  size: number;
  /** Git's file mode: `100644`, or `100755` for an executable. */
  mode: string;
}

/** An entry that is not listed. */
export interface SkippedEntry {
  path: string;
  reason: 'symlink' | 'submodule' | 'unsafe-path';
}

/** A commit's tree as a flat list in git's order. */
export interface RepositoryTree {
  files: TreeFile[];
  skipped: SkippedEntry[];
}

/** Limits of reading, against small packs that expand to a huge tree. */
export interface ReadLimits {
  /** Maximum number of entries of a tree. */
  files: number;
  /** Maximum total size of all files of a tree, unpacked. */
  contentBytes: number;
  /** Maximum size of a file, unpacked. */
  fileBytes: number;
}

const entryPattern = /^(\d{6}) (blob|commit|tree) ([0-9a-f]+) +(\d+|-)$/;
const linkMode = '120000';
// Above the maximum path length of Linux. Bounds the memory for malformed output.
const MAX_ENTRY_BYTES = 8_192;

/**
 * Lists a tree with the size of each file, in one process.
 *
 * @param tree a commit ID, or `<commit>:<directory>`
 * @param prefix prepended to each path, so that paths of a directory start at the repository's root
 * @throws {OutgoingError} `too-large`; {@link GitExit} if the tree does not exist
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
  const addEntry = (entry: Buffer) => {
    const tab = entry.indexOf(9);
    const match = entryPattern.exec(entry.toString('latin1', 0, tab));
    if (match === null) {
      throw unexpectedOutput();
    }
    const [, mode = '', type, oid = '', size] = match;
    const path = prefix + entry.toString('utf8', tab + 1);
    const reason = skipReason(mode, type, path);
    if (reason !== undefined) {
      result.skipped.push({ path, reason });
    } else {
      bytes += Number(size);
      result.files.push({ path, oid, size: Number(size), mode });
    }
    if (result.files.length + result.skipped.length > limits.files) {
      throw tooLarge(`more than ${limits.files} files`);
    }
    if (bytes > limits.contentBytes) {
      throw tooLarge(`more than ${megabytes(limits.contentBytes)} of content`);
    }
  };
  await consume(git, splitByNul(addEntry));
  return result;
}

function skipReason(
  mode: string,
  type: string | undefined,
  path: string,
): SkippedEntry['reason'] | undefined {
  if (type === 'commit') {
    return 'submodule';
  }
  if (mode === linkMode) {
    return 'symlink';
  }
  const unsafe =
    path.includes('\uFFFD') ||
    path.includes('\\') ||
    path.split('/').some((part) => part === '' || part === '.' || part === '..');
  return unsafe || type !== 'blob' ? 'unsafe-path' : undefined;
}

function splitByNul(onEntry: (entry: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, start)) {
      onEntry(bytes.subarray(start, end));
      start = end + 1;
    }
    rest = bytes.subarray(start);
    if (rest.length > MAX_ENTRY_BYTES) {
      throw tooLarge('a path that is too long');
    }
  };
}

async function consume(git: GitProcess, onChunk: (chunk: Buffer) => void): Promise<void> {
  try {
    for await (const chunk of git.stdout) {
      onChunk(chunk);
    }
  } catch (error) {
    const reason = error instanceof OutgoingError ? error : unexpectedOutput();
    git.stop(reason);
    // git may have succeeded before; the error of the consumer takes precedence.
    await git.done.catch(() => {});
    throw reason;
  }
  await git.done;
}

/** Creates the error of a repository that exceeds a limit. */
export function tooLarge(excess: string): OutgoingError {
  return new OutgoingError(
    'too-large',
    `The repository exceeds the import limit: it has ${excess}. Import a smaller repository or one of its directories.`,
  );
}

/** Formats a size in megabytes. */
export function megabytes(bytes: number): string {
  return `${Math.round((bytes / 1_048_576) * 10) / 10} MB`;
}

/** Creates the error of an unsupported version of git. */
export function unexpectedOutput(): OutgoingError {
  return new OutgoingError(
    'failed',
    'git returned unexpected output. Install git 2.39 or later on the server.',
  );
}
