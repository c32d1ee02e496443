import { type Kysely, type RawBuilder, sql } from 'kysely';
import { engineOf } from '../../engine.ts';

type Row = RawBuilder<unknown>;

/** A table with a record of its latest changes. */
export interface NamedTable {
  /** Name of the table, and owner of its versions and changes. */
  name: string;
  /** Column of the ID. */
  id: string;
  /** Column with the time that orders the list. */
  createdAt: string;
  /** Columns of `nameChanges` that filters compare, with their values in a row. */
  values: Readonly<Record<string, (row: Row) => RawBuilder<unknown>>>;
}

/** Number of shard versions with retained changes. */
const RETAINED_VERSIONS = 256;
/** Maximum number of rows of a version. */
const MAX_VERSION_ROWS = 16;
/** Number of shards of a version, as of those of other owners. */
const SHARDS = 64;

/**
 * Creates triggers that record the changes of a table in `nameChanges`, and increase its version in
 * `visibilityVersions`, in the transaction that changes its rows.
 */
export const createNameChangeTriggers = async (db: Kysely<unknown>, named: NamedTable): Promise<void> =>
  engineOf(db) === 'postgres' ? await createStatementTriggers(db, named) : await createRowTriggers(db, named);

const namesOf = ({ values }: NamedTable) => ['createdAt', 'id', ...Object.keys(values)];

const references = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)));

const columnsOf = (named: NamedTable) =>
  references(['organization', 'owner', 'shard', 'slot', 'number', 'version', 'delta', ...namesOf(named)]);

const valuesOf = (row: Row, { createdAt, id, values }: NamedTable) =>
  sql.join([
    sql`${row}.${sql.ref(createdAt)}`,
    sql`${row}.${sql.ref(id)}`,
    ...Object.values(values).map((value) => value(row)),
  ]);

/** Slots are reused instead of deleting rows, which would read those of concurrent transactions. */
const reuseSlot = (named: NamedTable) => sql`
  on conflict ("organization", "owner", "shard", "slot", "number") do update set ${sql.join(
    ['version', 'delta', ...namesOf(named)].map(
      (name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`,
    ),
  )}`;

/** Creates one trigger per event, called for each row. The rows before and after a change have a version each. */
async function createRowTriggers(db: Kysely<unknown>, named: NamedTable): Promise<void> {
  const [created, removed] = [sql`new`, sql`old`];
  const owner = sql.lit(named.name);
  const record = (row: Row, delta: number) => sql`
    insert into "visibilityVersions" ("organization", "owner", "shard", "value")
    values (${row}."organization", ${owner}, 0, 1)
    on conflict ("organization", "owner", "shard") do update set "value" = "value" + 1;
    insert into "nameChanges" (${columnsOf(named)})
    select "organization", "owner", "shard", "value" % ${sql.lit(RETAINED_VERSIONS)}, 0, "value", ${sql.lit(delta)},
      ${valuesOf(row, named)}
    from "visibilityVersions"
    where "organization" = ${row}."organization" and "owner" = ${owner} and "shard" = 0
    ${reuseSlot(named)};`;
  const allOf = (row: Row) => sql`${row}."organization", ${valuesOf(row, named)}`;
  const trigger = (event: string, when: Row, body: Row) =>
    sql`
    create trigger ${sql.ref(`nameChanges_${named.name}_${event}`)} after ${sql.raw(event)}
    on ${sql.table(named.name)} when ${when} begin ${body} end`.execute(db);
  await trigger('insert', sql`1 = 1`, record(created, 1));
  await trigger('delete', sql`1 = 1`, record(removed, -1));
  await trigger(
    'update',
    sql`(${allOf(created)}) is not (${allOf(removed)})`,
    sql`${record(created, 1)} ${record(removed, -1)}`,
  );
}

/** Creates one trigger per event, called once for all rows of a statement, which lead to one version. */
async function createStatementTriggers(db: Kysely<unknown>, named: NamedTable): Promise<void> {
  const owner = sql.lit(named.name);
  const values = references(namesOf(named));
  const names = sql`("organization", ${values})`;
  const [created, removed] = [sql.table('created'), sql.table('removed')];
  const rows = (row: Row) => sql`select ${row}."organization", ${valuesOf(row, named)} from ${row}`;
  const after = sql`select 1 as "delta", * from (${rows(created)}) as after ${names}`;
  const before = sql`select -1 as "delta", * from (${rows(removed)}) as before ${names}`;
  const events = {
    insert: { tables: sql`new table as created`, changes: after },
    delete: { tables: sql`old table as removed`, changes: before },
    update: {
      tables: sql`old table as removed new table as created`,
      // Updates of other columns, such as the time of the last activity, do not count as changes.
      changes: sql`
        select 1 as "delta", * from (${rows(created)} except ${rows(removed)}) as after ${names}
        union all
        select -1 as "delta", * from (${rows(removed)} except ${rows(created)}) as before ${names}`,
    },
  };
  for (const [event, { tables, changes }] of Object.entries(events)) {
    const trigger = sql.ref(`nameChanges_${named.name}_${event}`);
    await sql`
      create function ${trigger}() returns trigger language plpgsql as $$
      begin
        with changes as materialized (
          select *, row_number() over in_organization - 1 as "number", count(*) over in_organization as "rows"
          from (${changes}) as changes window in_organization as (partition by "organization")
        ), versions as (
          insert into "visibilityVersions" ("organization", "owner", "shard", "value")
          -- In one order, so that no two writers wait for each other.
          select distinct "organization", ${owner}, pg_backend_pid() % ${sql.lit(SHARDS)}, 1 from changes
          order by "organization"
          on conflict ("organization", "owner", "shard")
            do update set "value" = "visibilityVersions"."value" + 1
          returning "organization", "owner", "shard", "value"
        )
        insert into "nameChanges" (${columnsOf(named)})
        select "organization", "owner", "shard", "value" % ${sql.lit(RETAINED_VERSIONS)}, "number", "value",
          case when "isRecorded" then "delta" else 0 end, ${values}
        from (select *, "rows" <= ${sql.lit(MAX_VERSION_ROWS)} as "isRecorded" from changes) as recorded
        join versions using ("organization")
        where "isRecorded" or "number" = 0
        ${reuseSlot(named)};
        return null;
      end $$`.execute(db);
    await sql`
      create trigger ${trigger} after ${sql.raw(event)} on ${sql.table(named.name)}
      referencing ${tables} for each statement execute function ${trigger}()`.execute(db);
  }
}
