import { type Kysely, type RawBuilder, sql } from 'kysely';
import { columnTypes, partialIndex, required, table } from '../../columns.ts';
import { type CountedRows, column, constant, createRowCounts } from '../../triggers/row-counts.ts';

/*
 * Numbers of rows in large tables, maintained by triggers: they are read instead of counted, and change in the
 * transaction that changes the rows.
 */

const branchOf = (row: RawBuilder<unknown>) => sql`coalesce(${row}."changeRequest", ${row}."space")`;
const isReply = (row: RawBuilder<unknown>) => sql`${row}."parent" is not null`;

/** By the first part of the names of their triggers. */
export const COUNTED_ROWS: Readonly<Record<string, readonly CountedRows[]>> = {
  rowCounts: [
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
    { table: 'comments', kind: constant('replies'), owner: column('parent'), when: isReply },
    { table: 'auditEvents', kind: constant('audit events') },
  ],
  // With the spaces in the trash, the spaces visible to a guest with many grants are counted without reading the grants.
  grantCounts: [
    { table: 'grants', kind: (row) => sql`${row}."targetKind" || 's granted'`, owner: column('subject') },
    {
      table: 'spaces',
      kind: constant('spaces deleted'),
      when: (row) => sql`${row}."deletedAt" is not null`,
    },
  ],
  replierCounts: [
    {
      table: 'comments',
      kind: constant('replies by author'),
      owner: (row) => sql`${row}."parent" || ' ' || ${row}."postedBy"`,
      when: isReply,
    },
  ],
  siteCounts: [{ table: 'sites', kind: constant('sites') }],
  translations: [{ table: 'translations', kind: constant('translations') }],
};

export async function createRowCountsOfTables(db: Kysely<unknown>): Promise<void> {
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
  // The counts of a space in one range of a small index, for lists and structures with many spaces.
  const isShown = `"kind" in ('change requests', 'change requests open', 'change requests draft', 'comments open')`;
  await partialIndex(db, 'rowCounts', 'of_spaces', ['owner'], isShown);
  for (const [name, counts] of Object.entries(COUNTED_ROWS)) {
    await createRowCounts(db, name, counts);
  }
}
