import { type Kysely, type RawBuilder, sql } from 'kysely';
import { engineOf } from '../engine.ts';
import { columnTypes, required, table } from './columns.ts';

/*
 * Numbers of rows in large tables, maintained by triggers: they are read instead of counted, and change in the
 * transaction that changes the rows.
 */

/** Rows of a table that are counted together. The functions receive a row as `new` or `old`. */
interface CountedRows {
  table: string;
  kind: (row: RawBuilder<unknown>) => RawBuilder<unknown>;
  /** ID of the owner of the rows; '' for the organization. */
  owner?: (row: RawBuilder<unknown>) => RawBuilder<unknown>;
  /** Condition of the counted rows. If omitted, all rows are counted. */
  when?: (row: RawBuilder<unknown>) => RawBuilder<unknown>;
}

const column = (name: string) => (row: RawBuilder<unknown>) => sql`${row}.${sql.ref(name)}`;
const constant = (value: string) => () => sql`${sql.lit(value)}`;
const branchOf = (row: RawBuilder<unknown>) => sql`coalesce(${row}."changeRequest", ${row}."space")`;

const COUNTED_ROWS: readonly CountedRows[] = [
  { table: 'members', kind: constant('members') },
  { table: 'members', kind: (row) => sql`'members ' || coalesce(${row}."role", 'guest')` },
  { table: 'members', kind: constant('members seen'), when: (row) => sql`${row}."lastSeenAt" is not null` },
  { table: 'teams', kind: constant('teams') },
  { table: 'teamMembers', kind: constant('members of team'), owner: column('team') },
  { table: 'teamMembers', kind: constant('teams of member'), owner: column('user') },
  { table: 'grants', kind: (row) => sql`'grants ' || ${row}."subjectKind"`, owner: column('target') },
  { table: 'linkInvites', kind: constant('link invites') },
  { table: 'collections', kind: constant('collections') },
  {
    table: 'collections',
    kind: constant('collections at root'),
    when: (row) => sql`${row}."parent" is null`,
  },
  { table: 'spaces', kind: constant('spaces'), when: (row) => sql`${row}."deletedAt" is null` },
  {
    table: 'spaces',
    kind: constant('spaces in collection'),
    owner: column('parent'),
    when: (row) => sql`${row}."parent" is not null and ${row}."deletedAt" is null`,
  },
  { table: 'openAPISpecs', kind: constant('OpenAPI specs') },
  { table: 'openAPISpecVersions', kind: constant('OpenAPI spec versions'), owner: column('spec') },
  { table: 'changeRequests', kind: constant('change requests'), owner: column('space') },
  {
    table: 'changeRequests',
    kind: (row) => sql`'change requests ' || ${row}."status"`,
    owner: column('space'),
  },
  {
    table: 'comments',
    kind: (row) => sql`'comments ' || ${row}."status"`,
    owner: branchOf,
    when: (row) => sql`${row}."parent" is null`,
  },
  {
    table: 'comments',
    kind: constant('replies'),
    owner: column('parent'),
    when: (row) => sql`${row}."parent" is not null`,
  },
  { table: 'auditEvents', kind: constant('audit events') },
];

export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);
  await table(db, 'rowCounts')
    .addColumn('organization', text, required)
    .addColumn('kind', text, required)
    .addColumn('owner', text, required)
    // A count is the sum of its shards, so that writers of different shards do not wait for each other.
    .addColumn('shard', integer, required)
    .addColumn('value', integer, required)
    .addPrimaryKeyConstraint('rowCounts_key', ['organization', 'kind', 'owner', 'shard'])
    .execute();
  for (const counted of COUNTED_ROWS) {
    const row = sql.table(counted.table);
    const existing = sql`select ${keyOf(counted, row)}, 1 as delta from ${row} where ${whenOf(counted, row)}`;
    await sql`
      insert into "rowCounts" ("organization", "kind", "owner", "shard", "value")
      select "organization", "kind", "owner", 0, count(*) from (${existing}) as existing
      group by "organization", "kind", "owner"`.execute(db);
  }
  if (engineOf(db) === 'postgres') {
    await createStatementTriggers(db);
  } else {
    await createRowTriggers(db);
  }
}

const keyOf = ({ kind, owner = constant('') }: CountedRows, row: RawBuilder<unknown>) =>
  sql`${row}."organization" as "organization", ${kind(row)} as "kind", ${owner(row)} as "owner"`;

const whenOf = ({ when }: CountedRows, row: RawBuilder<unknown>) => when?.(row) ?? sql`1 = 1`;

/** Creates one trigger per event and count, called for each row. */
async function createRowTriggers(db: Kysely<unknown>): Promise<void> {
  const [created, removed] = [sql`new`, sql`old`];
  for (const [number, counted] of COUNTED_ROWS.entries()) {
    const add = (row: RawBuilder<unknown>, delta: number) => sql`
      insert into "rowCounts" ("organization", "kind", "owner", "shard", "value")
      select ${keyOf(counted, row)}, 0, ${sql.lit(delta)} where ${whenOf(counted, row)}
      on conflict ("organization", "kind", "owner", "shard")
        do update set "value" = "value" + excluded."value";`;
    // A count of 0 has no row.
    const subtract = sql`${add(removed, -1)}
      delete from "rowCounts" where "value" = 0 and ("organization", "kind", "owner") =
        (select "organization", "kind", "owner" from (select ${keyOf(counted, removed)}));`;
    const trigger = (event: string, when: RawBuilder<unknown>, body: RawBuilder<unknown>) =>
      sql`
        create trigger ${sql.ref(`rowCounts_${number}_${event}`)} after ${sql.raw(event)}
        on ${sql.table(counted.table)} when ${when} begin ${body} end`.execute(db);
    const keys = (row: RawBuilder<unknown>) =>
      sql`(${row}."organization", ${counted.kind(row)}, ${counted.owner?.(row) ?? sql`''`}, ${whenOf(counted, row)})`;
    await trigger('insert', whenOf(counted, created), add(created, 1));
    await trigger('delete', whenOf(counted, removed), subtract);
    await trigger(
      'update',
      sql`${keys(created)} is not ${keys(removed)}`,
      sql`${add(created, 1)} ${subtract}`,
    );
  }
}

/** Number of shards of a count: more than the connections that are usually active. */
const SHARDS = 64;

/** Creates one trigger per table and event, called once for all rows of a statement. */
async function createStatementTriggers(db: Kysely<unknown>): Promise<void> {
  const events = {
    insert: { tables: sql`new table as created`, rows: [['created', 1]] },
    delete: { tables: sql`old table as removed`, rows: [['removed', -1]] },
    update: {
      tables: sql`old table as removed new table as created`,
      rows: [
        ['created', 1],
        ['removed', -1],
      ],
    },
  } as const;
  for (const name of new Set(COUNTED_ROWS.map((counted) => counted.table))) {
    for (const [event, { tables, rows }] of Object.entries(events)) {
      const changes = COUNTED_ROWS.filter((counted) => counted.table === name).flatMap((counted) =>
        rows.map(([rowName, delta]) => {
          const row = sql.table(rowName);
          return sql`select ${keyOf(counted, row)}, ${sql.lit(delta)} as delta from ${row} where ${whenOf(counted, row)}`;
        }),
      );
      const trigger = sql.ref(`rowCounts_${name}_${event}`);
      await sql`
        create function ${trigger}() returns trigger language plpgsql as $$
        begin
          insert into "rowCounts" ("organization", "kind", "owner", "shard", "value")
          select "organization", "kind", "owner", pg_backend_pid() % ${sql.lit(SHARDS)}, sum(delta)
          from (${sql.join(changes, sql` union all `)}) as changes
          group by "organization", "kind", "owner" having sum(delta) <> 0
          -- In one order, so that no two writers wait for each other.
          order by "organization", "kind", "owner"
          on conflict ("organization", "kind", "owner", "shard")
            do update set "value" = "rowCounts"."value" + excluded."value";
          return null;
        end $$`.execute(db);
      await sql`
        create trigger ${trigger} after ${sql.raw(event)} on ${sql.table(name)}
        referencing ${tables} for each statement execute function ${trigger}()`.execute(db);
    }
  }
}
