import { type Kysely, type RawBuilder, sql } from 'kysely';
import { columnTypes, index, required, table } from './columns.ts';
import { createVersionTriggers, type Watched } from './version-triggers.ts';

/*
 * How often what guests and teams see has changed: what was counted of it stays true for as long as the number does.
 * Triggers raise it in the transaction that changes the rows.
 */

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
  await createVersionTriggers(db, 'visibility', WATCHED);

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
