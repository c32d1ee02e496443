import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';
import type { DatabaseLocation } from '../database.ts';
import { syncFolder } from '../folder/private-folder.ts';
import { requireKnown } from '../migrate.ts';
import { BackupError } from './errors.ts';
import { openSnapshot, readMigrations } from './open-snapshot.ts';
import { type BackupContent, readBackup } from './read-backup.ts';
import { BACKUP_FORMAT, BACKUP_VERSION, type BackupHeader, type EndRecord, printRow } from './records.ts';
import type { Snapshot } from './snapshot.ts';
import { backedUpTables } from './tables.ts';

const compress = promisify(zstdCompress);

/** Number of characters of lines after which a block ends. */
const BLOCK_CHARACTERS = 1_048_576;
/** Access for the owner only: a backup contains all data. */
const BACKUP_MODE = 0o600;

/** The secret key of the data, as the application knows it. */
export interface KeyToBackUp {
  fingerprint: string;
  /** The key; undefined if it is configured, so that it is kept elsewhere. */
  key: string | undefined;
}

export interface BackupOptions {
  location: DatabaseLocation;
  /** Returns the key of the data. @param setting reads a value of the settings in the snapshot */
  secretKey(setting: (key: string) => Promise<string | undefined>): Promise<KeyToBackUp>;
  now: Date;
  /** Stops the backup, which leaves no file. */
  signal?: AbortSignal;
}

/**
 * Writes a backup of a database and its secret key to a new file, also while servers write to the database: the backup
 * contains what was committed when it began, and nothing of what was committed later. The file is read again before it
 * gets its name, so that a file with this name is complete.
 *
 * @returns its content
 * @throws BackupError if the file exists, or the data cannot be backed up; DatabaseUnavailableError; errors of the disk
 */
export async function writeBackup(path: string, options: BackupOptions): Promise<BackupContent> {
  const file = resolve(path);
  requireAbsent(file);
  const draft = `${file}.${randomBytes(6).toString('hex')}.partial`;
  try {
    await writeDraft(draft, options);
    const content = await readBackup(draft, options.signal);
    requireAbsent(file);
    await rename(draft, file);
    await syncFolder(dirname(file));
    return content;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function writeDraft(draft: string, options: BackupOptions): Promise<void> {
  const snapshot = await openSnapshot(options.location);
  try {
    const handle = await open(draft, 'wx', BACKUP_MODE);
    try {
      await writeSnapshot(handle, snapshot, options);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } finally {
    await snapshot.close();
  }
}

function requireAbsent(file: string): void {
  if (existsSync(file)) {
    throw new BackupError(`The file ${file} exists. Backups do not overwrite files: choose another name.`);
  }
}

async function writeSnapshot(
  handle: FileHandle,
  snapshot: Snapshot,
  { secretKey, now, signal }: BackupOptions,
): Promise<void> {
  const columns = await snapshot.columns();
  const migrations = await readMigrations(snapshot, columns);
  await requireKnown(migrations);
  const settings = await snapshot.all('select "key", "value" from "settings"');
  const { fingerprint, key } = await secretKey(async (name) => {
    const value = settings.find((row) => row.key === name)?.value;
    return value === undefined ? undefined : String(value);
  });
  const header: BackupHeader = {
    format: BACKUP_FORMAT,
    version: BACKUP_VERSION,
    createdAt: now.toISOString(),
    engine: snapshot.engine,
    migrations,
    secretKey: { fingerprint, place: key === undefined ? 'configuration' : 'backup' },
  };
  const blocks = new BlockWriter(handle);
  await blocks.writeHeader(header);
  if (key !== undefined) {
    await blocks.add(JSON.stringify({ key }));
  }
  const rows: EndRecord['end']['rows'] = {};
  for (const table of backedUpTables(columns)) {
    await blocks.add(JSON.stringify(table));
    let count = 0;
    for await (const batch of snapshot.rows(table)) {
      signal?.throwIfAborted();
      for (const row of batch) {
        await blocks.add(printRow(row));
      }
      count += batch.length;
    }
    rows[table.table] = count;
  }
  const sequences = Object.entries(await snapshot.sequences()).filter(([table]) => table in rows);
  await blocks.end(rows, Object.fromEntries(sequences));
}

/** Writes lines in compressed blocks. */
class BlockWriter {
  readonly #handle: FileHandle;
  readonly #hash = createHash('sha256');
  #lines: string[] = [];
  #characters = 0;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  async writeHeader(header: BackupHeader): Promise<void> {
    const line = `${JSON.stringify(header)}\n`;
    this.#hash.update(line);
    await this.#handle.writeFile(line);
  }

  async add(line: string): Promise<void> {
    this.#lines.push(line);
    this.#characters += line.length;
    if (this.#characters >= BLOCK_CHARACTERS) {
      await this.#flush();
    }
  }

  async end(rows: EndRecord['end']['rows'], sequences: EndRecord['end']['sequences']): Promise<void> {
    await this.#flush();
    const record: EndRecord = { end: { rows, sequences, sha256: this.#hash.copy().digest('hex') } };
    this.#lines.push(JSON.stringify(record));
    await this.#flush();
  }

  async #flush(): Promise<void> {
    if (this.#lines.length === 0) {
      return;
    }
    const block = Buffer.from(`${this.#lines.join('\n')}\n`);
    this.#lines = [];
    this.#characters = 0;
    this.#hash.update(block);
    // The checksum detects damage in the block where it is.
    const data = await compress(block, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
    const lengths = Buffer.alloc(8);
    lengths.writeUInt32BE(data.length, 0);
    lengths.writeUInt32BE(block.length, 4);
    await this.#handle.writeFile(Buffer.concat([lengths, data]));
  }
}
