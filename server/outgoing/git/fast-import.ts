import type { GitProcess } from '../processes.ts';

/** The content of a file as a stream. */
export interface StreamedContent {
  /** Size in bytes. Must equal the total size of the chunks. */
  size: number;
  chunks: AsyncIterable<Uint8Array>;
}

/** A changed file of a new commit. */
export interface TreeChange {
  /** From the repository's root. */
  path: string;
  /** The new content; null to delete the file. */
  content: Uint8Array | StreamedContent | null;
  /** Git's file mode; that of a regular file by default. */
  mode?: string;
}

/** The metadata of a commit. */
export interface CommitMetadata {
  message: string;
  author: { name: string; email: string };
  /** Time of the commit. Commits with equal content, metadata and time have the same ID. */
  at: Date;
}

/** A commit to write to a ref. */
export interface WrittenCommit extends CommitMetadata {
  /** The full name of the ref, which the commit becomes the latest of. */
  ref: string;
  /** The commit or ref that it follows; none by default. */
  parent?: string | undefined;
  /** Whether the files of the parent are removed first. */
  replacesAll?: boolean;
  changes: AsyncIterable<TreeChange>;
}

/** Arguments of a process that {@link writeCommit} writes to. */
export const FAST_IMPORT = ['fast-import', '--quiet', '--force', '--done', '--date-format=raw'] as const;

/**
 * Writes a commit to `git fast-import`.
 *
 * @param onBytes called with the size of each file before it is written; may throw
 */
export async function writeCommit(
  git: GitProcess,
  { ref, parent, replacesAll = false, message, author, at, changes }: WrittenCommit,
  onBytes: (bytes: number) => void = () => {},
): Promise<void> {
  const write = async (part: string | Uint8Array) => {
    if (git.stdin.write(part)) {
      return;
    }
    // A process that has ended accepts no input. Its exit has the error.
    await Promise.race([new Promise((resolve) => git.stdin.once('drain', resolve)), git.done]);
  };
  const signature = `${sanitize(author.name)} <${sanitize(author.email)}> ${Math.floor(at.getTime() / 1000)} +0000`;
  await write(`commit ${ref}\nauthor ${signature}\ncommitter ${signature}\n`);
  await write(data(Buffer.from(message.replaceAll('\0', '\uFFFD'))));
  if (parent !== undefined) {
    await write(`from ${parent}\n`);
  }
  if (replacesAll) {
    await write('deleteall\n');
  }
  for await (const { path, content, mode = '100644' } of changes) {
    if (content === null) {
      await write(`D ${quoted(path)}\n`);
      continue;
    }
    const { size, chunks } =
      content instanceof Uint8Array ? { size: content.byteLength, chunks: [content] } : content;
    onBytes(size);
    await write(`M ${mode} inline ${quoted(path)}\ndata ${size}\n`);
    let remaining = size;
    for await (const chunk of chunks) {
      remaining -= chunk.byteLength;
      await write(chunk);
    }
    if (remaining !== 0) {
      throw new Error(`The size of the file ${path} does not match its content.`);
    }
    await write('\n');
  }
}

/** Ends the input of `git fast-import`, and waits until it has stored everything. */
export async function endCommits(git: GitProcess): Promise<void> {
  git.stdin.end('done\n');
  await git.done;
}

function data(content: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`data ${content.byteLength}\n`), content, Buffer.from('\n')]);
}

/** Quotes a path for `git fast-import`. The path is UTF-8 without NUL. */
function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}

/** Removes characters that are not allowed in an author line. */
function sanitize(name: string): string {
  return name.replace(/[<>\p{Cc}]/gu, '').trim();
}
