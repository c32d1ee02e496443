import { type Kysely, type QueryExecutorProvider, sql } from 'kysely';
import { tableColumns } from '../catalog.ts';
import type { Queries } from '../database.ts';
import { engineOf } from '../engine.ts';
import { requireKnown } from '../migrate.ts';
import type { NamedMigration } from '../migrations/migration.ts';
import { BackupError } from './errors.ts';
import { type BackupContent, type BackupReceiver, readBackup } from './read-backup.ts';
import type { BackupHeader, Row, TableRecord } from './records.ts';
import { sizeOf } from './snapshot.ts';
import { backedUpTables } from './tables.ts';

/** Limits of the rows that one statement inserts. Engines limit the number of its parameters. */
const STATEMENT_ROWS = 500;
const STATEMENT_PARAMETERS = 16_000;
const STATEMENT_BYTES = 4 * 1_048_576;

/** A backup to load into a database. */
export interface LoadOptions {
  file: string;
  header: BackupHeader;
  /** Runs migrations of the database. */
  migrate(migrations: readonly NamedMigration[]): Promise<unknown>;
  /** Continues with the restored data, before they are used. */
  prepare(queries: Queries): Promise<void>;
  signal?: AbortSignal | undefined;
}

/**
 * Loads a backup into a database without tables: creates the tables of the release that created the backup, inserts the
 * rows while triggers do not run, since the backup also contains what triggers maintain, and migrates to this release.
 * The search index is empty afterwards.
 *
 * @throws BackupError if the backup is damaged or from a newer release. Its rows must then be discarded.
 */
export async function loadBackup(
  queries: Queries,
  { file, header, migrate, prepare, signal }: LoadOptions,
): Promise<BackupContent> {
  await requireKnown(header.migrations);
  const { migrations } = await import('../migrations/index.ts');
  await migrate(migrations.filter(([name]) => header.migrations.includes(name)));
  const enable = await disableConstraints(queries);
  const content = await readBackup(file, signal, await receiverOf(queries));
  await setSequences(queries, content.end.sequences);
  await enable();
  await migrate(migrations);
  await queries.updateTable('spaces').set({ searchedRevision: null, searchedEntries: null }).execute();
  await prepare(queries);
  return content;
}

/** Inserts the rows of a backup into their tables. */
async function receiverOf(queries: Queries): Promise<BackupReceiver> {
  const tables = new Map(
    backedUpTables(await tableColumns(queries)).map((table) => [table.table, new Set(table.columns)]),
  );
  let current: TableRecord;
  return {
    async table(table) {
      const columns = tables.get(table.table);
      const unknown = table.columns.filter((column) => !columns?.has(column));
      if (unknown.length > 0) {
        throw new BackupError(
          `The backup cannot be restored: this release has no column ${table.table}.${unknown[0]}.`,
        );
      }
      current = table;
      // A migration may have inserted rows, which the backup contains.
      await sql`delete from ${sql.table(table.table)}`.execute(queries);
    },
    async rows(rows) {
      for (const batch of statementsOf(rows)) {
        await insert(queries, current, batch);
      }
    },
  };
}

function* statementsOf(rows: readonly Row[]): Generator<Row[]> {
  let batch: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    batch.push(row);
    bytes += sizeOf(row);
    const isFull =
      batch.length >= STATEMENT_ROWS ||
      (batch.length + 1) * row.length > STATEMENT_PARAMETERS ||
      bytes >= STATEMENT_BYTES;
    if (isFull) {
      yield batch;
      batch = [];
      bytes = 0;
    }
  }
  if (batch.length > 0) {
    yield batch;
  }
}

async function insert(
  queries: QueryExecutorProvider,
  { table, columns }: TableRecord,
  rows: readonly Row[],
): Promise<void> {
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const values = sql.join(rows.map((row) => sql`(${sql.join(row)})`));
  await sql`insert into ${sql.table(table)} (${names}) values ${values}`.execute(queries);
}

/** Lets the rows be inserted in any order and without triggers, until the returned function is called. */
async function disableConstraints(queries: Queries): Promise<() => Promise<void>> {
  return await (engineOf(queries) === 'postgres'
    ? disableConstraintsOfPostgres(queries)
    : disableConstraintsOfSqlite(queries));
}

async function disableConstraintsOfSqlite(queries: Kysely<unknown> | Queries): Promise<() => Promise<void>> {
  const { rows } = await sql<{ name: string; definition: string }>`
    select "name", "sql" as "definition" from sqlite_master where "type" = 'trigger'`.execute(queries);
  await sql`pragma foreign_keys = off`.execute(queries);
  for (const { name } of rows) {
    await sql`drop trigger ${sql.ref(name)}`.execute(queries);
  }
  return async () => {
    for (const { definition } of rows) {
      await sql.raw(definition).execute(queries);
    }
    await sql`pragma foreign_keys = on`.execute(queries);
  };
}

async function disableConstraintsOfPostgres(queries: QueryExecutorProvider): Promise<() => Promise<void>> {
  const { rows: tables } = await sql<{ name: string }>`
    select tablename as "name" from pg_tables where schemaname = current_schema()`.execute(queries);
  const { rows: keys } = await sql<{ table: string; name: string; definition: string }>`
    select relname as "table", conname as "name", pg_get_constraintdef(pg_constraint.oid) as "definition"
    from pg_constraint join pg_class on pg_class.oid = conrelid
    where contype = 'f' and connamespace = current_schema()::regnamespace order by relname, conname`.execute(
    queries,
  );
  const setTriggers = async (state: 'enable' | 'disable') => {
    for (const { name } of tables) {
      await sql`alter table ${sql.table(name)} ${sql.raw(state)} trigger user`.execute(queries);
    }
  };
  await setTriggers('disable');
  for (const { table, name } of keys) {
    await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(queries);
  }
  return async () => {
    for (const { table, name, definition } of keys) {
      const constraint = sql`add constraint ${sql.ref(name)} ${sql.raw(definition)}`;
      await sql`alter table ${sql.table(table)} ${constraint}`.execute(queries);
    }
    await setTriggers('enable');
  };
}

/** Continues the numbers of rows after the last one that was used, also by a row that was deleted. */
async function setSequences(
  queries: QueryExecutorProvider,
  sequences: Readonly<Record<string, number>>,
): Promise<void> {
  for (const [table, last] of Object.entries(sequences)) {
    if (engineOf(queries) !== 'postgres') {
      await sql`delete from sqlite_sequence where "name" = ${table}`.execute(queries);
      await sql`insert into sqlite_sequence ("name", "seq") values (${table}, ${last})`.execute(queries);
    } else if (last > 0) {
      await sql`
        select setval(pg_get_serial_sequence(quote_ident(table_name), column_name)::regclass, ${last}::bigint)
        from information_schema.columns
        where table_schema = current_schema() and table_name = ${table} and is_identity = 'YES'`.execute(
        queries,
      );
    }
  }
}
