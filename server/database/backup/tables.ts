import type { Column } from '../catalog.ts';
import { BackupError } from './errors.ts';
import type { TableRecord } from './records.ts';

/** Tables of running processes, and those of the migrations, which are in the header. */
const EXCLUDED_TABLES: ReadonlySet<string> = new Set([
  ...['kysely_migration', 'kysely_migration_lock', 'transaction_outcomes'],
  ...['lockTickets', 'countingProcesses', 'requestCounts'],
]);
/** Starts of the names of further ones: of SQLite, and of the search index, which is derived from the content. */
const EXCLUDED_PREFIXES = ['sqlite_', 'search'];

const isExcluded = (table: string): boolean =>
  EXCLUDED_TABLES.has(table) || EXCLUDED_PREFIXES.some((prefix) => table.startsWith(prefix));

/** The types of columns of both engines. Values of other types would not be the same in the other one. */
const VALUE_TYPES: ReadonlyMap<string, 'plain' | 'bytes'> = new Map([
  ['text', 'plain'],
  ['integer', 'plain'],
  ['bigint', 'plain'],
  ['blob', 'bytes'],
  ['bytea', 'bytes'],
]);

/** Returns the tables to back up, with their columns. */
export function backedUpTables(columns: readonly Column[]): TableRecord[] {
  const tables = new Map<string, TableRecord>();
  for (const { table, name, type } of columns) {
    if (isExcluded(table)) {
      continue;
    }
    const valueType = VALUE_TYPES.get(type);
    if (valueType === undefined) {
      throw new BackupError(`The column ${table}.${name} cannot be backed up: its type is ${type}.`);
    }
    const record = tables.get(table) ?? { table, columns: [], bytes: [] };
    tables.set(table, record);
    record.columns.push(name);
    if (valueType === 'bytes') {
      record.bytes.push(name);
    }
  }
  return [...tables.values()];
}
