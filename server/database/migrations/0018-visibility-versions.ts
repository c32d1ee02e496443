import { type Kysely, type RawBuilder, sql } from 'kysely';
import { engineOf } from '../engine.ts';
import { columnTypes, index, required, table } from './columns.ts';

/*
 * How often what guests and teams see has changed: what was counted of it stays true for as long as the number does.
 * Triggers raise it in the transaction that changes the rows.
 */

/** A table that says what is seen. The functions get a row as `new` or `old`. */
interface Watched {
  table: string;
  /** The columns that matter. */
  columns: readonly string[];
  /** Whom a change concerns: the id of a user, or '' for everybody in the organization. */
  owner: (row: RawBuilder<unknown>) => RawBuilder<unknown>;
  /** Which new rows matter; all of them without it. */
  when?: (row: RawBuilder<unknown>) => RawBuilder<unknown>;
}

const everybody = () => sql`''`;
/** What nobody was granted by itself is seen for what is above it. */
const isHeld = (row: RawBuilder<unknown>) => sql`${row}."parent" is not null`;

const WATCHED: readonly Watched[] = [
  {
    table: 'spaces',
    columns: ['id', 'organization', 'parent', 'deletedAt'],
    owner: everybody,
    when: isHeld,
  },
  { table: 'collections', columns: ['id', 'organization', 'parent'], owner: everybody, when: isHeld },
  {
    table: 'grants',
    columns: ['organization', 'targetKind', 'target', 'subjectKind', 'subject'],
    owner: (row) => sql`case ${row}."subjectKind" when 'user' then ${row}."subject" else '' end`,
  },
  {
    table: 'teamMembers',
    columns: ['organization', 'team', 'user'],
    owner: (row) => sql`${row}."user"`,
  },
];

export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);
  await table(db, 'visibilityVersions')
    .addColumn('organization', text, required)
    .addColumn('owner', text, required)
    // A version is the sum of its shards: writers that have a shard each do not wait for each other.
    .addColumn('shard', integer, required)
    .addColumn('value', integer, required)
    .addPrimaryKeyConstraint('visibilityVersions_key', ['organization', 'owner', 'shard'])
    .execute();
  if (engineOf(db) === 'postgres') await createStatementTriggers(db);
  else await createRowTriggers(db);

  // A name is looked for in the order of the list, in the index alone.
  for (const [name, order, filters] of [
    ['members', ['organization', 'joinedAt', 'user'], ['searchedText', 'role']],
    ['teams', ['organization', 'createdAt', 'id'], ['searchedText']],
  ] as const) {
    await db.schema.dropIndex(`${name}_organization_searchedText`).execute();
    await db.schema.dropIndex(`${name}_${order.join('_')}`).execute();
    await index(db, name, [...order, ...filters]);
  }
  // What somebody administers, among much that they read.
  await sql`
    create index "grants_administering" on "grants"
    ("organization", "subjectKind", "subject", "targetKind", "target") where "role" = 'admin'`.execute(db);
}

const columnsOf = (row: RawBuilder<unknown>, { columns }: Watched) =>
  sql.join(columns.map((column) => sql`${row}.${sql.ref(column)}`));

const whenOf = ({ when }: Watched, row: RawBuilder<unknown>) => when?.(row) ?? sql`1 = 1`;

/** One trigger per table and event, which is called for each row. */
async function createRowTriggers(db: Kysely<unknown>): Promise<void> {
  const [created, removed] = [sql`new`, sql`old`];
  for (const watched of WATCHED) {
    const raise = (row: RawBuilder<unknown>) => sql`
      insert into "visibilityVersions" ("organization", "owner", "shard", "value")
      values (${row}."organization", ${watched.owner(row)}, 0, 1)
      on conflict ("organization", "owner", "shard") do update set "value" = "value" + 1;`;
    const trigger = (event: string, when: RawBuilder<unknown>, body: RawBuilder<unknown>) =>
      sql`
        create trigger ${sql.ref(`visibility_${watched.table}_${event}`)} after ${sql.raw(event)}
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
async function createStatementTriggers(db: Kysely<unknown>): Promise<void> {
  const [created, removed] = [sql.table('created'), sql.table('removed')];
  for (const watched of WATCHED) {
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
      const trigger = sql.ref(`visibility_${watched.table}_${event}`);
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
