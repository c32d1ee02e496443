import { type Entry, fromBufferPromise } from 'yauzl';
import { UnreadableError } from './html.ts';

/** What an archive held that could be taken. */
export interface Unpacked {
  /** The files by their paths, with slashes. */
  files: Map<string, Uint8Array>;
}

/** How many entries an archive may list. */
export const MAX_ARCHIVE_ENTRIES = 50_000;
const SYMBOLIC_LINK = 0o120000;
const FILE_TYPE = 0o170000;
/** What systems and tools leave in archives beside what people put there. */
const CLUTTER = /(?:^|\/)(?:__MACOSX|\.git|node_modules)\/|(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini)$/;

/**
 * Unpacks an archive in memory. Nothing is written anywhere by a name of the archive's; links in it are left out.
 *
 * @param bytes the most that may come of it, unpacked, whatever it says of itself
 * @throws UnreadableError for what is no such archive, is encrypted, names what lies outside of it, or swells
 *   beyond the limit
 */
export async function unpack(archive: Uint8Array, bytes: number): Promise<Unpacked> {
  const files = new Map<string, Uint8Array>();
  let left = bytes;
  try {
    const zip = await fromBufferPromise(Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength), {
      lazyEntries: true,
    });
    if (zip.entryCount > MAX_ARCHIVE_ENTRIES)
      throw new UnreadableError(`It lists more than ${MAX_ARCHIVE_ENTRIES} files. Split it.`);
    for await (const entry of zip.eachEntry()) {
      const { fileName } = entry;
      if (fileName.endsWith('/') || isLink(entry) || CLUTTER.test(fileName)) continue;
      if (entry.isEncrypted())
        throw new UnreadableError(`"${fileName}" in it is encrypted. Pack it without a password.`);
      const chunks: Buffer[] = [];
      for await (const chunk of await zip.openReadStreamPromise(entry)) {
        left -= chunk.length;
        if (left < 0) throw new UnreadableError(`It unpacks to more than ${bytes} bytes. Split it.`);
        chunks.push(chunk);
      }
      files.set(fileName, Buffer.concat(chunks));
    }
  } catch (error) {
    if (error instanceof UnreadableError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new UnreadableError(`It cannot be unpacked: ${why}. Pack it anew.`);
  }
  return { files };
}

/** Unix keeps the kind of a file in the upper half of the attributes. */
function isLink({ externalFileAttributes }: Entry): boolean {
  return ((externalFileAttributes >>> 16) & FILE_TYPE) === SYMBOLIC_LINK;
}
