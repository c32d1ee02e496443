import { type Kysely, sql } from 'kysely';
import { columnTypes, required, table } from '../../columns.ts';
import { createNameChangeTriggers, type NamedTable } from '../../triggers/name-changes.ts';

/*
 * The last changes of the members, the teams and the sites of an organization: cached counts of those that match a
 * filter are adjusted by the changes since, so that the names are not read again after each change.
 */

const NAMED_TABLES: readonly NamedTable[] = [
  {
    name: 'members',
    id: 'user',
    createdAt: 'joinedAt',
    values: {
      searchedText: (row) => sql`${row}."searchedText"`,
      role: (row) => sql`${row}."role"`,
      // The time of the last activity changes often, but only the first activity affects counts.
      isSeen: (row) => sql`case when ${row}."lastSeenAt" is null then 0 else 1 end`,
    },
  },
  {
    name: 'teams',
    id: 'id',
    createdAt: 'createdAt',
    values: {
      searchedText: (row) => sql`${row}."searchedText"`,
      role: () => sql`null`,
      isSeen: () => sql`0`,
    },
  },
  {
    name: 'sites',
    id: 'id',
    createdAt: 'createdAt',
    values: {
      searchedText: (row) => sql`${row}."searchedText"`,
      isSeen: () => sql`0`,
      siteType: (row) => sql`${row}."type"`,
      isPublished: (row) => sql`${row}."published"`,
    },
  },
];

export async function createNameChanges(db: Kysely<unknown>): Promise<void> {
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
    .addColumn('siteType', text)
    .addColumn('isPublished', integer)
    .addPrimaryKeyConstraint('nameChanges_key', ['organization', 'owner', 'shard', 'slot', 'number'])
    .execute();
  for (const named of NAMED_TABLES) {
    await createNameChangeTriggers(db, named);
  }
}
