import { type Kysely, type RawBuilder, sql } from 'kysely';
import { columnTypes, index, required, table } from './columns.ts';
import { createVersionTriggers, type VersionedTable } from './version-triggers.ts';

/*
 * Versions of the visibility of resources to guests and teams: counts of visible resources are valid as long as the
 * version is unchanged. Triggers increase it in the transaction that changes the rows.
 */

const allOwners = () => sql`''`;
/** Only resources within a collection can be visible through another resource. */
const hasParent = (row: RawBuilder<unknown>) => sql`${row}."parent" is not null`;

const VERSIONED_TABLES: readonly VersionedTable[] = [
  {
    table: 'spaces',
    columns: ['id', 'organization', 'parent', 'deletedAt'],
    owner: allOwners,
    when: hasParent,
  },
  { table: 'collections', columns: ['id', 'organization', 'parent'], owner: allOwners, when: hasParent },
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
    // A version is the sum of its shards, so that writers of different shards do not wait for each other.
    .addColumn('shard', integer, required)
    .addColumn('value', integer, required)
    .addPrimaryKeyConstraint('visibilityVersions_key', ['organization', 'owner', 'shard'])
    .execute();
  await createVersionTriggers(db, 'visibility', VERSIONED_TABLES);

  // Covering indexes for searches in names, in the order of the list.
  for (const [name, order, filters] of [
    ['members', ['organization', 'joinedAt', 'user'], ['searchedText', 'role']],
    ['teams', ['organization', 'createdAt', 'id'], ['searchedText']],
  ] as const) {
    await db.schema.dropIndex(`${name}_organization_searchedText`).execute();
    await db.schema.dropIndex(`${name}_${order.join('_')}`).execute();
    await index(db, name, [...order, ...filters]);
  }
  // For the administered resources of a subject with many other grants.
  await sql`
    create index "grants_administering" on "grants"
    ("organization", "subjectKind", "subject", "targetKind", "target") where "role" = 'admin'`.execute(db);
}
