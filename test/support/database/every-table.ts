import { type QueryExecutorProvider, sql } from 'kysely';
import { openSnapshot } from '../../../server/database/backup/open-snapshot.ts';
import { printRow, type Value } from '../../../server/database/backup/records.ts';
import { backedUpTables } from '../../../server/database/backup/tables.ts';
import { tableColumns } from '../../../server/database/catalog.ts';
import type { DatabaseLocation } from '../../../server/database/database.ts';
import { engineOf } from '../../../server/database/engine.ts';

/** Text that engines, JSON or SQL could change. */
const TEXTS = [
  '',
  'plain',
  `'quoted' "twice" \\n`,
  'línea\r\n\t二\u{1f600}\u007f\u2028',
  '{"a":[1]}',
  '0',
  ' \u00a0 ',
];
const INTEGERS = [0, 1, -1, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER];

/**
 * Inserts rows with unusual values into every table that is backed up, in any order and without triggers. All texts of
 * a row are equal, so that the row exists that another one refers to.
 */
export async function fillEveryTable(db: QueryExecutorProvider, rows: number): Promise<void> {
  const isPostgres = engineOf(db) === 'postgres';
  await (isPostgres ? sql`set session_replication_role = replica` : sql`pragma foreign_keys = off`).execute(
    db,
  );
  if (!isPostgres) {
    const triggers = await sql<{ name: string }>`
      select "name" from sqlite_master where "type" = 'trigger'`.execute(db);
    for (const { name } of triggers.rows) {
      await sql`drop trigger ${sql.ref(name)}`.execute(db);
    }
  }
  const all = await tableColumns(db);
  const texts = new Set(
    all.flatMap(({ table, name, type }) => (type === 'text' ? [`${table}.${name}`] : [])),
  );
  for (const { table, columns, bytes } of backedUpTables(all)) {
    for (let row = 1; row <= rows; row++) {
      const values = columns.map((column, index): Value => {
        if (bytes.includes(column)) {
          return Buffer.from(Array.from({ length: 300 }, (_, at) => (at * row + index) % 256));
        }
        if (texts.has(`${table}.${column}`)) {
          return `${TEXTS[row % TEXTS.length]}${row}`;
        }
        // The first column numbers the rows of some tables, from 1.
        return index === 0 ? row : (INTEGERS[(row + index) % INTEGERS.length] ?? 0);
      });
      await sql`
        insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
        values (${sql.join(values)}) on conflict do nothing`.execute(db);
    }
  }
  await (isPostgres ? sql`set session_replication_role = origin` : sql`pragma foreign_keys = on`).execute(db);
}

/** Returns all rows that are backed up, by table, in a fixed order. */
export async function readEveryTable(location: DatabaseLocation): Promise<Record<string, string[]>> {
  const snapshot = await openSnapshot(location);
  try {
    const tables: Record<string, string[]> = {};
    for (const table of backedUpTables(await snapshot.columns())) {
      const sorted = { ...table, columns: table.columns.toSorted() };
      const lines: string[] = [];
      for await (const rows of snapshot.rows(sorted)) {
        lines.push(...rows.map(printRow));
      }
      tables[table.table] = lines.sort();
    }
    return tables;
  } finally {
    await snapshot.close();
  }
}
