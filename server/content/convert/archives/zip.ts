import { type Entry, fromBufferPromise, fromFdPromise, type ZipFile } from 'yauzl';
import { MAX_INFLATION_RATIO, maxInflatedBytes } from '../../../contract/limits/inflation-ratio.ts';
import type { ScratchFile } from '../../../threads/scratch-file.ts';
import { UnreadableError } from '../errors.ts';
import type { SourceFile, SourceFiles } from '../types.ts';

/** Maximum entries of an archive. */
export const MAX_ARCHIVE_ENTRIES = 50_000;
const SYMBOLIC_LINK = 0o120000;
const FILE_TYPE_BITS = 0o170000;
/** Files that systems and tools add to archives. */
const SYSTEM_FILE =
  /(?:^|\/)(?:__MACOSX|\.git|node_modules)\/|(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini)$/;

/**
 * Unpacks an archive on disk; at most a part of one file is in memory at a time. No path of the archive is used for
 * writing; links in it are omitted.
 *
 * @param archive a file that contains only the archive
 * @param bytes maximum unpacked size, regardless of the size that the archive declares
 * @param into receives the files; the result reads from it
 * @throws UnreadableError for another format, an encrypted archive, a path outside the archive, or if the unpacked
 *   size exceeds the limit or the compression ratio
 */
export async function unpack(archive: ScratchFile, bytes: number, into: ScratchFile): Promise<SourceFiles> {
  const files = new Map<string, SourceFile>();
  const open = () => fromFdPromise(archive.descriptor, { lazyEntries: true, autoClose: false });
  await readEntries({ open, size: archive.size, bytes, isRead: isContent }, async (name, parts) => {
    const range = await into.appendAll(parts);
    files.set(name, { size: range.length, read: () => into.read(range) });
  });
  return files;
}

/**
 * Returns the names of the files in an archive, after unpacking each of them within the limit: also those that a reader
 * of its format can reach, although they are not content.
 *
 * @throws UnreadableError like {@link unpack}
 */
export async function namesIn(archive: Uint8Array, bytes: number): Promise<string[]> {
  const names: string[] = [];
  const buffer = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  const open = () => fromBufferPromise(buffer, { lazyEntries: true });
  await readEntries({ open, size: archive.byteLength, bytes, isRead: () => true }, async (name, parts) => {
    names.push(name);
    for await (const _ of parts) {
      // Only its size is counted.
    }
  });
  return names;
}

/** An archive to read. */
interface Archive {
  open: () => Promise<ZipFile>;
  /** Its own size in bytes. */
  size: number;
  /** Maximum unpacked size. */
  bytes: number;
  isRead: (entry: Entry) => boolean;
}

async function readEntries(
  { open, size, bytes, isRead }: Archive,
  onEntry: (name: string, parts: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<void> {
  let unpacked = 0;
  async function* limited(parts: AsyncIterable<Uint8Array>) {
    for await (const part of parts) {
      unpacked += part.byteLength;
      if (unpacked > bytes) {
        throw new UnreadableError(`The archive exceeds ${bytes} bytes when extracted. Split it.`);
      }
      if (unpacked > maxInflatedBytes(size)) {
        throw new UnreadableError(
          `The archive exceeds the compression ratio of ${MAX_INFLATION_RATIO}. Create it without compression.`,
        );
      }
      yield part;
    }
  }
  try {
    const zip = await open();
    if (zip.entryCount > MAX_ARCHIVE_ENTRIES) {
      throw new UnreadableError(`The archive has more than ${MAX_ARCHIVE_ENTRIES} files. Split it.`);
    }
    for await (const entry of zip.eachEntry()) {
      const { fileName } = entry;
      if (!isRead(entry)) {
        continue;
      }
      if (entry.isEncrypted()) {
        throw new UnreadableError(
          `The file "${fileName}" of the archive is encrypted. Create the archive without a password.`,
        );
      }
      await onEntry(fileName, limited(await zip.openReadStreamPromise(entry)));
    }
  } catch (error) {
    if (error instanceof UnreadableError) {
      throw error;
    }
    const reason = error instanceof Error ? error.message : String(error);
    throw new UnreadableError(`The archive cannot be extracted: ${reason}. Create it again.`);
  }
}

/** Returns whether an entry is a file of the author. */
const isContent = (entry: Entry): boolean =>
  !entry.fileName.endsWith('/') && !isLink(entry) && !SYSTEM_FILE.test(entry.fileName);

/** Unix stores the file type in the upper half of the attributes. */
function isLink({ externalFileAttributes }: Entry): boolean {
  return ((externalFileAttributes >>> 16) & FILE_TYPE_BITS) === SYMBOLIC_LINK;
}
