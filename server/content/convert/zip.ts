import { type Entry, fromBufferPromise, fromFdPromise, type ZipFile } from 'yauzl';
import type { ScratchFile } from '../../threads/scratch-file.ts';
import { UnreadableError } from './html.ts';
import type { SourceFile, SourceFiles } from './types.ts';

/** How many entries an archive may list. */
export const MAX_ARCHIVE_ENTRIES = 50_000;
const SYMBOLIC_LINK = 0o120000;
const FILE_TYPE = 0o170000;
/** What systems and tools leave in archives beside what people put there. */
const CLUTTER = /(?:^|\/)(?:__MACOSX|\.git|node_modules)\/|(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini)$/;

/**
 * Unpacks an archive on the disk: a part of one file is in memory at a time. Nothing is written anywhere by a name of
 * the archive's; links in it are left out.
 *
 * @param archive a file with nothing else in it
 * @param bytes the most that may come of it, unpacked, whatever it says of itself
 * @param into gets the files, and is what the result reads them from
 * @throws UnreadableError for what is no such archive, is encrypted, names what lies outside of it, or swells
 *   beyond the limit
 */
export async function unpack(archive: ScratchFile, bytes: number, into: ScratchFile): Promise<SourceFiles> {
  const files = new Map<string, SourceFile>();
  const open = () => fromFdPromise(archive.descriptor, { lazyEntries: true, autoClose: false });
  await readEntries(open, bytes, async (name, parts) => {
    const place = await into.appendAll(parts);
    files.set(name, { size: place.length, read: () => into.read(place) });
  });
  return files;
}

/**
 * The names of the files in an archive.
 *
 * @throws UnreadableError as {@link unpack}
 */
export async function namesIn(archive: Uint8Array, bytes: number): Promise<string[]> {
  const names: string[] = [];
  const buffer = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  const open = () => fromBufferPromise(buffer, { lazyEntries: true });
  await readEntries(open, bytes, async (name, parts) => {
    names.push(name);
    for await (const _ of parts) {
      // Its bytes count.
    }
  });
  return names;
}

async function readEntries(
  open: () => Promise<ZipFile>,
  bytes: number,
  take: (name: string, parts: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<void> {
  let left = bytes;
  async function* limited(parts: AsyncIterable<Uint8Array>) {
    for await (const part of parts) {
      left -= part.byteLength;
      if (left < 0) throw new UnreadableError(`It unpacks to more than ${bytes} bytes. Split it.`);
      yield part;
    }
  }
  try {
    const zip = await open();
    if (zip.entryCount > MAX_ARCHIVE_ENTRIES)
      throw new UnreadableError(`It lists more than ${MAX_ARCHIVE_ENTRIES} files. Split it.`);
    for await (const entry of zip.eachEntry()) {
      const { fileName } = entry;
      if (fileName.endsWith('/') || isLink(entry) || CLUTTER.test(fileName)) continue;
      if (entry.isEncrypted())
        throw new UnreadableError(`"${fileName}" in it is encrypted. Pack it without a password.`);
      await take(fileName, limited(await zip.openReadStreamPromise(entry)));
    }
  } catch (error) {
    if (error instanceof UnreadableError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new UnreadableError(`It cannot be unpacked: ${why}. Pack it anew.`);
  }
}

/** Unix keeps the kind of a file in the upper half of the attributes. */
function isLink({ externalFileAttributes }: Entry): boolean {
  return ((externalFileAttributes >>> 16) & FILE_TYPE) === SYMBOLIC_LINK;
}
