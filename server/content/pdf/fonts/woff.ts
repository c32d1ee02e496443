/** Decompresses WOFF fonts (WOFF 1.0, W3C) once: fontkit would decompress a whole table for each of its glyphs. */
import { inflateSync } from 'node:zlib';

const HEADER_BYTES = 44;
const ENTRY_BYTES = 20;
const SFNT_HEADER_BYTES = 12;
const SFNT_ENTRY_BYTES = 16;

/** Converts a WOFF font to OpenType. Other fonts are returned unchanged. */
export function unpackWoff(file: Buffer): Buffer {
  if (file.toString('latin1', 0, 4) !== 'wOFF') {
    return file;
  }
  const count = file.readUInt16BE(12);
  const head = Buffer.alloc(SFNT_HEADER_BYTES + SFNT_ENTRY_BYTES * count);
  file.copy(head, 0, 4, 8);
  head.writeUInt16BE(count, 4);
  const log = Math.floor(Math.log2(count));
  head.writeUInt16BE(2 ** log * SFNT_ENTRY_BYTES, 6);
  head.writeUInt16BE(log, 8);
  head.writeUInt16BE((count - 2 ** log) * SFNT_ENTRY_BYTES, 10);
  const tables: Buffer[] = [];
  let at = head.length;
  for (let index = 0; index < count; index++) {
    const entry = file.subarray(HEADER_BYTES + ENTRY_BYTES * index, HEADER_BYTES + ENTRY_BYTES * (index + 1));
    const [offset, packed, length] = [entry.readUInt32BE(4), entry.readUInt32BE(8), entry.readUInt32BE(12)];
    const bytes = file.subarray(offset, offset + packed);
    const table = packed < length ? inflateSync(bytes, { maxOutputLength: length }) : bytes;
    const entryStart = SFNT_HEADER_BYTES + SFNT_ENTRY_BYTES * index;
    entry.copy(head, entryStart, 0, 4);
    entry.copy(head, entryStart + 4, 16, 20);
    head.writeUInt32BE(at, entryStart + 8);
    head.writeUInt32BE(length, entryStart + 12);
    // Tables start at multiples of four.
    const padded = Buffer.alloc(Math.ceil(length / 4) * 4);
    table.copy(padded);
    tables.push(padded);
    at += padded.length;
  }
  return Buffer.concat([head, ...tables]);
}
