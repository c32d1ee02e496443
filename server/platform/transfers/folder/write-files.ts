import { createHash } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FileEntry } from './manifest.ts';

/** Access for the owner only: an export contains all data of an organization. */
const FILE_MODE = 0o600;
export const FOLDER_MODE = 0o700;
/** Number of characters of lines that are written at a time. */
const WRITTEN_CHARACTERS = 262_144;

/** Writes a new file. Parts are written as they arrive. */
export async function writeParts(
  folder: string,
  path: string,
  parts: AsyncIterable<Uint8Array | string>,
): Promise<FileEntry> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true, mode: FOLDER_MODE });
  const hash = createHash('sha256');
  let bytes = 0;
  const handle = await open(file, 'wx', FILE_MODE);
  try {
    for await (const part of parts) {
      const data = typeof part === 'string' ? Buffer.from(part) : part;
      hash.update(data);
      bytes += data.byteLength;
      await handle.writeFile(data);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Returns values as lines of JSON, in parts of limited size. */
export async function* jsonLines(values: AsyncIterable<unknown>): AsyncGenerator<string> {
  let part = '';
  for await (const value of values) {
    part += `${JSON.stringify(value)}\n`;
    if (part.length >= WRITTEN_CHARACTERS) {
      yield part;
      part = '';
    }
  }
  if (part !== '') {
    yield part;
  }
}
