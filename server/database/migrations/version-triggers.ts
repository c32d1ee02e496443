import { type Kysely, type RawBuilder, sql } from 'kysely';
import { engineOf } from '../engine.ts';

/** A table whose changes raise versions. The functions get a row as `new` or `old`. */
export interface Watched {
  table: string;
  /** The columns that matter. */
  columns: readonly string[];
  /** What matters of further columns. */
  values?: (row: RawBuilder<unknown>) => ReadonlyArray<RawBuilder<unknown>>;
  /** The owner of the version that a change raises. */
  owner: (row: RawBuilder<unknown>) => RawBuilder<unknown>;
  /** Which new rows matter; all of them without it. */
  when?: (row: RawBuilder<unknown>) => RawBuilder<unknown>;
}

/**
 * Makes the triggers that raise `visibilityVersions` in the transaction that changes the rows of some tables.
 *
 * @param name the first part of the names of the triggers
 */
export async function createVersionTriggers(
  db: Kysely<unknown>,
  name: string,
  watches: readonly Watched[],
): Promise<void> {
  if (engineOf(db) === 'postgres') {
    await createStatementTriggers(db, name, watches);
  } else {
    await createRowTriggers(db, name, watches);
  }
}

const columnsOf = (row: RawBuilder<unknown>, { columns, values }: Watched) =>
  sql.join([...columns.map((column) => sql`${row}.${sql.ref(column)}`), ...(values?.(row) ?? [])]);

const whenOf = ({ when }: Watched, row: RawBuilder<unknown>) => when?.(row) ?? sql`1 = 1`;

/** One trigger per table and event, which is called for each row. */
async function createRowTriggers(
  db: Kysely<unknown>,
  name: string,
  watches: readonly Watched[],
): Promise<void> {
  const [created, removed] = [sql`new`, sql`old`];
  for (const watched of watches) {
    const raise = (row: RawBuilder<unknown>) => sql`
      insert into "visibilityVersions" ("organization", "owner", "shard", "value")
      values (${row}."organization", ${watched.owner(row)}, 0, 1)
      on conflict ("organization", "owner", "shard") do update set "value" = "value" + 1;`;
    const trigger = (event: string, when: RawBuilder<unknown>, body: RawBuilder<unknown>) =>
      sql`
        create trigger ${sql.ref(`${name}_${watched.table}_${event}`)} after ${sql.raw(event)}
        on ${sql.table(watched.table)} when ${when} begin ${body} end`.execute(db);
    await trigger('insert', whenOf(watched, created), raise(created));
    await trigger('delete', sql`1 = 1`, raise(removed));
    await trigger(
      'update',
      sql`(${columnsOf(created, watched)}) is not (${columnsOf(removed, watched)})`,
      sql`${raise(created)} ${raise(removed)}`,
    );
  }
}

/** Shards of a version: more than there are connections at work, most of the time. */
const SHARDS = 64;

/** One trigger per table and event, which is called once for all rows of a statement. */
async function createStatementTriggers(
  db: Kysely<unknown>,
  name: string,
  watches: readonly Watched[],
): Promise<void> {
  const [created, removed] = [sql.table('created'), sql.table('removed')];
  for (const watched of watches) {
    const rows = (row: RawBuilder<unknown>) => sql`
      select ${row}."organization", ${watched.owner(row)} as "owner" from ${row}`;
    // Rows that an update leaves as they are where it matters, such as a space with a new revision, are no change.
    const changed = (row: RawBuilder<unknown>, other: RawBuilder<unknown>) => sql`
      select distinct ${row}."organization", ${watched.owner(row)} as "owner" from (
        select ${columnsOf(row, watched)} from ${row} except select ${columnsOf(other, watched)} from ${other}
      ) as ${row}`;
    const events = {
      insert: {
        tables: sql`new table as created`,
        changes: sql`${rows(created)} where ${whenOf(watched, created)}`,
      },
      delete: { tables: sql`old table as removed`, changes: rows(removed) },
      update: {
        tables: sql`old table as removed new table as created`,
        changes: sql`${changed(created, removed)} union ${changed(removed, created)}`,
      },
    };
    for (const [event, { tables, changes }] of Object.entries(events)) {
      const trigger = sql.ref(`${name}_${watched.table}_${event}`);
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
        create trigger ${trigger} after ${sql.raw(event)} on ${sql.table(watched.table)}
        referencing ${tables} for each statement execute function ${trigger}()`.execute(db);
    }
  }
}
