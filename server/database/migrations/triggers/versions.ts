import { type Kysely, type RawBuilder, sql } from 'kysely';
import { engineOf } from '../../engine.ts';

/** A table whose changes increase versions. The functions receive a row as `new` or `old`. */
export interface VersionedTable {
  table: string;
  /** Columns whose changes increase the version. */
  columns: readonly string[];
  /** Values of other columns whose changes increase the version. */
  values?: (row: RawBuilder<unknown>) => ReadonlyArray<RawBuilder<unknown>>;
  /** Organization of the version that a change increases: by default that of the row; '' for the service. */
  organization?: (row: RawBuilder<unknown>) => RawBuilder<unknown>;
  /** Owner of the version that a change increases. */
  owner: (row: RawBuilder<unknown>) => RawBuilder<unknown>;
  /** Condition of the new rows that increase the version. If omitted, all do. */
  when?: (row: RawBuilder<unknown>) => RawBuilder<unknown>;
}

/**
 * Creates triggers that increase `visibilityVersions` in the transaction that changes rows of the tables.
 *
 * @param name prefix of the names of the triggers
 */
export async function createVersionTriggers(
  db: Kysely<unknown>,
  name: string,
  versionedTables: readonly VersionedTable[],
): Promise<void> {
  if (engineOf(db) === 'postgres') {
    await createStatementTriggers(db, name, versionedTables);
  } else {
    await createRowTriggers(db, name, versionedTables);
  }
}

const columnsOf = (row: RawBuilder<unknown>, { columns, values }: VersionedTable) =>
  sql.join([...columns.map((column) => sql`${row}.${sql.ref(column)}`), ...(values?.(row) ?? [])]);

const organizationOf = (row: RawBuilder<unknown>, { organization }: VersionedTable) =>
  organization?.(row) ?? sql`${row}."organization"`;

const whenOf = ({ when }: VersionedTable, row: RawBuilder<unknown>) => when?.(row) ?? sql`1 = 1`;

/** Creates one trigger per table and event, called for each row. */
async function createRowTriggers(
  db: Kysely<unknown>,
  name: string,
  versionedTables: readonly VersionedTable[],
): Promise<void> {
  const [created, removed] = [sql`new`, sql`old`];
  for (const versioned of versionedTables) {
    const increase = (row: RawBuilder<unknown>) => sql`
      insert into "visibilityVersions" ("organization", "owner", "shard", "value")
      values (${organizationOf(row, versioned)}, ${versioned.owner(row)}, 0, 1)
      on conflict ("organization", "owner", "shard") do update set "value" = "value" + 1;`;
    const trigger = (event: string, when: RawBuilder<unknown>, body: RawBuilder<unknown>) =>
      sql`
        create trigger ${sql.ref(`${name}_${versioned.table}_${event}`)} after ${sql.raw(event)}
        on ${sql.table(versioned.table)} when ${when} begin ${body} end`.execute(db);
    await trigger('insert', whenOf(versioned, created), increase(created));
    await trigger('delete', sql`1 = 1`, increase(removed));
    await trigger(
      'update',
      sql`(${columnsOf(created, versioned)}) is not (${columnsOf(removed, versioned)})`,
      sql`${increase(created)} ${increase(removed)}`,
    );
  }
}

/** Number of shards of a version: more than the connections that are usually active. */
const SHARDS = 64;

/** Creates one trigger per table and event, called once for all rows of a statement. */
async function createStatementTriggers(
  db: Kysely<unknown>,
  name: string,
  versionedTables: readonly VersionedTable[],
): Promise<void> {
  const [created, removed] = [sql.table('created'), sql.table('removed')];
  for (const versioned of versionedTables) {
    const keyOf = (row: RawBuilder<unknown>) =>
      sql`${organizationOf(row, versioned)} as "organization", ${versioned.owner(row)} as "owner"`;
    const rows = (row: RawBuilder<unknown>) => sql`
      select ${keyOf(row)} from ${row}`;
    // Updates of other columns, such as the revision of a space, do not count as changes.
    const changed = (row: RawBuilder<unknown>, other: RawBuilder<unknown>) => sql`
      select distinct ${keyOf(row)} from (
        select ${columnsOf(row, versioned)} from ${row} except select ${columnsOf(other, versioned)} from ${other}
      ) as ${row}`;
    const events = {
      insert: {
        tables: sql`new table as created`,
        changes: sql`${rows(created)} where ${whenOf(versioned, created)}`,
      },
      delete: { tables: sql`old table as removed`, changes: rows(removed) },
      update: {
        tables: sql`old table as removed new table as created`,
        changes: sql`${changed(created, removed)} union ${changed(removed, created)}`,
      },
    };
    for (const [event, { tables, changes }] of Object.entries(events)) {
      const trigger = sql.ref(`${name}_${versioned.table}_${event}`);
      await sql`
        create function ${trigger}() returns trigger language plpgsql as $$
        begin
          insert into "visibilityVersions" ("organization", "owner", "shard", "value")
          select distinct "organization", "owner", pg_backend_pid() % ${sql.lit(SHARDS)}, 1
          from (${changes}) as changes
          -- In one order, so that no two writers wait for each other.
          order by "organization", "owner"
          on conflict ("organization", "owner", "shard")
            do update set "value" = "visibilityVersions"."value" + 1;
          return null;
        end $$`.execute(db);
      await sql`
        create trigger ${trigger} after ${sql.raw(event)} on ${sql.table(versioned.table)}
        referencing ${tables} for each statement execute function ${trigger}()`.execute(db);
    }
  }
}
