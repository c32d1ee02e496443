import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { BackupError } from './errors.ts';
import {
  BACKUP_VERSION,
  type BackupHeader,
  type EndRecord,
  isCurrentHeader,
  isEndRecord,
  isHeader,
  isKeyRecord,
  isTableRecord,
  type Row,
  readRow,
  type TableRecord,
} from './records.ts';

const decompress = promisify(zstdDecompress);

/** Maximum length of the header of a backup. */
const MAX_HEADER_LINE_BYTES = 1_048_576;
/** Maximum length of a block of a backup before compression: a block has one row that is larger than others. */
export const MAX_BACKUP_BLOCK_BYTES = 536_870_912;
const LENGTHS_BYTES = 8;

/** What a backup contains, besides the rows. */
export interface BackupContent {
  header: BackupHeader;
  /** The secret key, if it is in the backup. */
  key: string | undefined;
  end: EndRecord['end'];
}

/** Receives the tables of a backup with their rows, in order. */
export interface BackupReceiver {
  table(table: TableRecord): Promise<void>;
  rows(rows: Row[]): Promise<void>;
}

/** Reads the header of a backup. @throws BackupError if the file is not a backup that this release can read */
export async function readHeader(path: string): Promise<BackupHeader> {
  const handle = await openFile(path);
  try {
    return (await headerOf(handle, path)).header;
  } finally {
    await handle.close();
  }
}

/**
 * Reads a backup to its end, in blocks, and checks that it is complete and unchanged. The receiver has all rows before
 * the last check, so it must be able to discard them.
 *
 * @throws BackupError if the file is damaged; errors of the receiver
 */
export async function readBackup(
  path: string,
  signal?: AbortSignal,
  receiver: BackupReceiver = { table: async () => {}, rows: async () => {} },
): Promise<BackupContent> {
  const handle = await openFile(path);
  try {
    return await new BackupReader(path, handle, receiver).read(signal);
  } finally {
    await handle.close();
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    throw isMissing ? new BackupError(`The file ${path} does not exist.`) : cause;
  }
}

async function headerOf(handle: FileHandle, path: string): Promise<{ header: BackupHeader; line: Buffer }> {
  const buffer = Buffer.alloc(MAX_HEADER_LINE_BYTES);
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
  const end = buffer.subarray(0, bytesRead).indexOf('\n');
  const line = buffer.subarray(0, end + 1);
  const header = parse(line.toString());
  if (!isHeader(header)) {
    throw new BackupError(`${path} is not a backup, or its first line is damaged.`);
  }
  if (header.version > BACKUP_VERSION) {
    throw new BackupError(
      `${path} was created by a newer release, in version ${header.version} of the format. Restore it with that release.`,
    );
  }
  if (!isCurrentHeader(header)) {
    throw new BackupError(`${path} is damaged: its first line is incomplete.`);
  }
  return { header, line: Buffer.from(line) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

class BackupReader {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #receiver: BackupReceiver;
  readonly #hash = createHash('sha256');
  readonly #rows: Record<string, number> = {};
  #position = 0;
  #key: string | undefined;
  #table: TableRecord | undefined;

  constructor(path: string, handle: FileHandle, receiver: BackupReceiver) {
    this.#path = path;
    this.#handle = handle;
    this.#receiver = receiver;
  }

  async read(signal: AbortSignal | undefined): Promise<BackupContent> {
    const { header, line } = await headerOf(this.#handle, this.#path);
    this.#hash.update(line);
    this.#position = line.length;
    for (;;) {
      signal?.throwIfAborted();
      const block = await this.#nextBlock();
      const before = this.#hash.copy();
      this.#hash.update(block);
      const end = await this.#readLines(block);
      if (end) {
        await this.#check(end, before.digest('hex'), header);
        return { header, key: this.#key, end };
      }
    }
  }

  async #nextBlock(): Promise<Buffer> {
    const lengths = await this.#bytes(LENGTHS_BYTES);
    const [compressed, length] = [lengths.readUInt32BE(0), lengths.readUInt32BE(4)];
    if (compressed > MAX_BACKUP_BLOCK_BYTES || length > MAX_BACKUP_BLOCK_BYTES) {
      throw this.#damaged('a block has an invalid length');
    }
    const data = await this.#bytes(compressed);
    try {
      const block = await decompress(data, { maxOutputLength: Math.max(1, length) });
      if (block.length === length) {
        return block;
      }
    } catch {
      // Reported below.
    }
    throw this.#damaged('a block cannot be decompressed');
  }

  async #bytes(length: number): Promise<Buffer> {
    const { size } = await this.#handle.stat();
    if (this.#position + length > size) {
      throw this.#damaged('the end of the file is missing');
    }
    const buffer = Buffer.alloc(length);
    for (let read = 0; read < length; ) {
      const { bytesRead } = await this.#handle.read(buffer, read, length - read, this.#position + read);
      if (bytesRead === 0) {
        throw this.#damaged('the end of the file is missing');
      }
      read += bytesRead;
    }
    this.#position += length;
    return buffer;
  }

  /** Reads the lines of a block. Returns the end of the backup if it is in the block. */
  async #readLines(block: Buffer): Promise<EndRecord['end'] | undefined> {
    let rows: Row[] = [];
    const deliver = async () => {
      if (rows.length > 0) {
        await this.#receiver.rows(rows);
        rows = [];
      }
    };
    for (const text of block.toString().split('\n').slice(0, -1)) {
      const line = parse(text);
      if (Array.isArray(line)) {
        rows.push(this.#readRow(line));
        continue;
      }
      await deliver();
      if (isTableRecord(line)) {
        this.#table = line;
        this.#rows[line.table] = 0;
        await this.#receiver.table(line);
      } else if (isKeyRecord(line)) {
        this.#key = line.key;
      } else if (isEndRecord(line)) {
        return line.end;
      } else {
        throw this.#damaged('a line is not a record');
      }
    }
    await deliver();
    return undefined;
  }

  #readRow(line: unknown[]): Row {
    const row = this.#table && readRow(line, this.#table);
    if (!row || !this.#table) {
      throw this.#damaged('a row does not have the columns of its table');
    }
    const { table } = this.#table;
    this.#rows[table] = (this.#rows[table] ?? 0) + 1;
    return row;
  }

  async #check(end: EndRecord['end'], sha256: string, { secretKey }: BackupHeader): Promise<void> {
    for (const table of new Set([...Object.keys(end.rows), ...Object.keys(this.#rows)])) {
      const [expected, existing] = [end.rows[table], this.#rows[table]];
      if (expected !== existing) {
        throw this.#damaged(`the table ${table} has ${existing ?? 'no'} rows instead of ${expected ?? 'no'}`);
      }
    }
    if (sha256 !== end.sha256) {
      throw this.#damaged('its checksum differs from its content');
    }
    if ((await this.#handle.stat()).size !== this.#position) {
      throw this.#damaged('it has content after its end');
    }
    if ((this.#key !== undefined) !== (secretKey.place === 'backup')) {
      throw this.#damaged('its secret key is missing');
    }
  }

  #damaged(problem: string): BackupError {
    const place = this.#table === undefined ? '' : `, in or after the table ${this.#table.table}`;
    return new BackupError(
      `The backup ${this.#path} is damaged: ${problem} (byte ${this.#position}${place}). Use another copy of it.`,
    );
  }
}
