import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { TransferError } from '../errors.ts';
import { type FileEntry, MANIFEST_FILE, type Manifest } from './manifest.ts';

/** Lists the files of a folder and its subfolders, as sorted paths with slashes. */
export async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

/** Determines the size and the hash of a file. */
export async function hashFile(file: string): Promise<FileEntry> {
  const hash = createHash('sha256');
  let bytes = 0;
  // A stream without an encoding returns bytes.
  for await (const chunk of createReadStream(file) as AsyncIterable<Uint8Array>) {
    hash.update(chunk);
    bytes += chunk.byteLength;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/**
 * Compares all files of a folder with its manifest.
 *
 * @throws TransferError if one was changed, added or removed
 */
export async function verifyFiles(
  folder: string,
  { contents }: Pick<Manifest, 'contents'>,
  signal?: AbortSignal,
): Promise<void> {
  const listed = new Set(Object.keys(contents));
  for (const path of await listFiles(folder)) {
    signal?.throwIfAborted();
    if (path === MANIFEST_FILE) {
      continue;
    }
    const expected = contents[path];
    if (!expected || !listed.delete(path)) {
      throw damaged(`${path} is not part of the export`);
    }
    const actual = await hashFile(join(folder, path));
    if (actual.bytes !== expected.bytes || actual.sha256 !== expected.sha256) {
      throw damaged(`${path} was changed`);
    }
  }
  const [missing] = listed;
  if (missing !== undefined) {
    throw damaged(`${missing} is missing`);
  }
}

/** Returns the error of a folder that cannot be imported. */
export const damaged = (problem: string): TransferError =>
  new TransferError(`The folder is damaged: ${problem}. Copy it again, or export the organization again.`);

/** A line of a file with JSON. */
export interface JsonLine {
  value: unknown;
  /** Where the line is, for messages. */
  place: string;
  /** Number of characters. */
  length: number;
}

/** Reads a file with lines of JSON. @throws TransferError for other lines */
export async function* readJsonLines(folder: string, path: string): AsyncGenerator<JsonLine> {
  const handle = await open(join(folder, path));
  let number = 0;
  try {
    for await (const line of handle.readLines()) {
      number += 1;
      const place = `line ${number} of ${path}`;
      yield { value: parse(line, place), place, length: line.length };
    }
  } finally {
    await handle.close();
  }
}

function parse(line: string, place: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw damaged(`${place} is not JSON`);
  }
}
