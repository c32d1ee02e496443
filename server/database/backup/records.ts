import type { Engine } from '../engine.ts';

/*
 * The format of a backup, which does not depend on the engine, so that the backup of one can be restored into the other:
 * a header, which is a line of JSON that can be read with `head -n 1`, then blocks. A block consists of its compressed
 * length and its length, 32 bits each (big-endian), and lines of JSON, compressed with Zstandard. A line is a record, or
 * the values of a row of the table of the last record. The last block contains only the end record.
 */

/** Identifies the format. */
export const BACKUP_FORMAT = 'colophon-backup';
/** Version of the format; increases if earlier releases cannot read it. */
export const BACKUP_VERSION = 1;

/** The secret key of the data of a backup. */
export interface BackupKey {
  /** Identifies the key, which cannot be derived from it. */
  fingerprint: string;
  /** Where the key is: in the backup, or in the configuration of the server. */
  place: 'backup' | 'configuration';
}

/** The first line of a backup. */
export interface BackupHeader {
  format: typeof BACKUP_FORMAT;
  version: number;
  createdAt: string;
  engine: Engine;
  /** Names of the migrations that the data has run. */
  migrations: string[];
  secretKey: BackupKey;
}

/** The start of a table, whose rows follow. */
export interface TableRecord {
  table: string;
  columns: string[];
  /** Those of `columns` with bytes, which are in Base64. */
  bytes: string[];
}

/** The secret key, if it is in the backup. */
export interface KeyRecord {
  key: string;
}

/** The last record. */
export interface EndRecord {
  end: {
    /** Number of rows by table. */
    rows: Record<string, number>;
    /** The last number that each table with numbered rows has used. */
    sequences: Record<string, number>;
    /** SHA-256 of the header with its line break and of the uncompressed blocks before, in hexadecimal. */
    sha256: string;
  };
}

/** A value of a row. */
export type Value = string | number | null | Uint8Array;
/** The values of a row, in the order of the columns. */
export type Row = Value[];

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');
const isNumbers = (value: unknown): value is Record<string, number> =>
  isObject(value) && Object.values(value).every(Number.isSafeInteger);

/** Returns whether a value is the header of a backup of any version of the format. */
export const isHeader = (value: unknown): value is Pick<BackupHeader, 'format' | 'version'> =>
  isObject(value) && value.format === BACKUP_FORMAT && Number.isSafeInteger(value.version);

/** Returns whether a value is the complete header of this version of the format. */
export const isCurrentHeader = (value: unknown): value is BackupHeader =>
  isObject(value) &&
  value.format === BACKUP_FORMAT &&
  value.version === BACKUP_VERSION &&
  (value.engine === 'sqlite' || value.engine === 'postgres') &&
  typeof value.createdAt === 'string' &&
  isTexts(value.migrations) &&
  isObject(value.secretKey) &&
  typeof value.secretKey.fingerprint === 'string' &&
  (value.secretKey.place === 'backup' || value.secretKey.place === 'configuration');

export const isTableRecord = (value: unknown): value is TableRecord =>
  isObject(value) && typeof value.table === 'string' && isTexts(value.columns) && isTexts(value.bytes);

export const isKeyRecord = (value: unknown): value is KeyRecord =>
  isObject(value) && typeof value.key === 'string';

export const isEndRecord = (value: unknown): value is EndRecord =>
  isObject(value) &&
  isObject(value.end) &&
  isNumbers(value.end.rows) &&
  isNumbers(value.end.sequences) &&
  typeof value.end.sha256 === 'string';

/** Formats a row as a line. */
export const printRow = (row: Row): string =>
  JSON.stringify(
    row.map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value)),
  );

/** Reads the line of a row; undefined if it is not one of the table. */
export function readRow(line: unknown, { columns, bytes }: TableRecord): Row | undefined {
  if (!Array.isArray(line) || line.length !== columns.length) {
    return undefined;
  }
  const row: Row = [];
  for (const [index, column] of columns.entries()) {
    const value: unknown = line[index];
    if (typeof value !== 'string' && typeof value !== 'number' && value !== null) {
      return undefined;
    }
    row.push(typeof value === 'string' && bytes.includes(column) ? Buffer.from(value, 'base64') : value);
  }
  return row;
}
