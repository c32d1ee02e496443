import { type Kysely, type RawBuilder, sql } from 'kysely';
import { engineOf } from '../engine.ts';
import { columnTypes, required, table } from './columns.ts';
import { addTeamTitles } from './team-titles.ts';

/*
 * The last changes of the members and the teams of an organization: cached counts of those that match a filter are
 * adjusted by the changes since, so that the names are not read again after each change. The triggers that increase the
 * versions of both lists record the changes, too.
 */

/** Number of versions of a shard whose changes are retained. */
const RETAINED_VERSIONS = 256;
/** Maximum number of rows of a version. */
const MAX_VERSION_ROWS = 16;
/** Number of shards of a version, as of those of other owners. */
const SHARDS = 64;

type Row = RawBuilder<unknown>;

const NAMED_TABLES = [
  {
    name: 'members',
    id: 'user',
    createdAt: 'joinedAt',
    role: (row: Row) => sql`${row}."role"`,
    isSeen: (row: Row) => sql`case when ${row}."lastSeenAt" is null then 0 else 1 end`,
  },
  { name: 'teams', id: 'id', createdAt: 'createdAt', role: () => sql`null`, isSeen: () => sql`0` },
] as const;
type NamedTable = (typeof NAMED_TABLES)[number];

const COLUMNS = sql.raw(
  [
    'organization',
    'owner',
    'shard',
    'slot',
    'number',
    'version',
    'delta',
    'createdAt',
    'id',
    'searchedText',
    'role',
    'isSeen',
  ]
    .map((name) => `"${name}"`)
    .join(', '),
);

/** Slots are reused instead of deleting rows, which would read those of concurrent transactions. */
const REUSE_SLOT = sql`
  on conflict ("organization", "owner", "shard", "slot", "number") do update set
    "version" = excluded."version", "delta" = excluded."delta",
    "createdAt" = excluded."createdAt", "id" = excluded."id", "searchedText" = excluded."searchedText", "role" = excluded."role", "isSeen" = excluded."isSeen"`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await addTeamTitles(db);
  const { text, integer } = columnTypes(db);
  await table(db, 'nameChanges')
    .addColumn('organization', text, required)
    .addColumn('owner', text, required)
    .addColumn('shard', integer, required)
    .addColumn('slot', integer, required)
    .addColumn('number', integer, required)
    .addColumn('version', integer, required)
    .addColumn('delta', integer, required)
    .addColumn('createdAt', text, required)
    .addColumn('id', text, required)
    .addColumn('searchedText', text, required)
    .addColumn('role', text)
    .addColumn('isSeen', integer, required)
    .addPrimaryKeyConstraint('nameChanges_key', ['organization', 'owner', 'shard', 'slot', 'number'])
    .execute();
  const isPostgres = engineOf(db) === 'postgres';
  for (const named of NAMED_TABLES) {
    for (const event of ['insert', 'delete', 'update']) {
      // The triggers of 0020-name-versions.ts, which only increase the version.
      const trigger = sql.ref(`names_${named.name}_${event}`);
      await (isPostgres
        ? sql`drop function ${trigger} cascade`.execute(db)
        : sql`drop trigger ${trigger}`.execute(db));
    }
    await (isPostgres ? createStatementTriggers(db, named) : createRowTriggers(db, named));
  }
}

const valuesOf = (row: Row, { createdAt, id, role, isSeen }: NamedTable) => sql`
  ${row}.${sql.ref(createdAt)}, ${row}.${sql.ref(id)}, ${row}."searchedText", ${role(row)}, ${isSeen(row)}`;

/** Creates one trigger per event, called for each row. The rows before and after a change have a version each. */
async function createRowTriggers(db: Kysely<unknown>, named: NamedTable): Promise<void> {
  const [created, removed] = [sql`new`, sql`old`];
  const owner = sql.lit(named.name);
  const record = (row: Row, delta: number) => sql`
    insert into "visibilityVersions" ("organization", "owner", "shard", "value")
    values (${row}."organization", ${owner}, 0, 1)
    on conflict ("organization", "owner", "shard") do update set "value" = "value" + 1;
    insert into "nameChanges" (${COLUMNS})
    select "organization", "owner", "shard", "value" % ${sql.lit(RETAINED_VERSIONS)}, 0, "value", ${sql.lit(delta)},
      ${valuesOf(row, named)}
    from "visibilityVersions"
    where "organization" = ${row}."organization" and "owner" = ${owner} and "shard" = 0
    ${REUSE_SLOT};`;
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
  const names = sql`("organization", "createdAt", "id", "searchedText", "role", "isSeen")`;
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
        insert into "nameChanges" (${COLUMNS})
        select "organization", "owner", "shard", "value" % ${sql.lit(RETAINED_VERSIONS)}, "number", "value",
          case when "isRecorded" then "delta" else 0 end, "createdAt", "id", "searchedText", "role", "isSeen"
        from (select *, "rows" <= ${sql.lit(MAX_VERSION_ROWS)} as "isRecorded" from changes) as recorded
        join versions using ("organization")
        where "isRecorded" or "number" = 0
        ${REUSE_SLOT};
        return null;
      end $$`.execute(db);
    await sql`
      create trigger ${trigger} after ${sql.raw(event)} on ${sql.table(named.name)}
      referencing ${tables} for each statement execute function ${trigger}()`.execute(db);
  }
}
