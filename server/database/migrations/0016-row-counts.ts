import { type Kysely, type RawBuilder, sql } from 'kysely';
import { columnTypes, required, table } from './columns.ts';
import { type CountedRows, column, constant, createRowCounts } from './row-count-triggers.ts';

/*
 * Numbers of rows in large tables, maintained by triggers: they are read instead of counted, and change in the
 * transaction that changes the rows.
 */

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
  await createRowCounts(db, 'rowCounts', COUNTED_ROWS);
}
