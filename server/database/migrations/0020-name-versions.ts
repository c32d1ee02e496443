import { type Kysely, sql } from 'kysely';
import { createVersionTriggers, type VersionedTable } from './version-triggers.ts';

/*
 * Versions of the members and the teams of an organization, including their names: counts of those that match a filter
 * are valid as long as the version is unchanged.
 */

const VERSIONED_TABLES: readonly VersionedTable[] = [
  {
    table: 'members',
    columns: ['organization', 'user', 'role', 'searchedText'],
    // The time of the last activity changes often, but only the first activity affects counts.
    values: (row) => [sql`${row}."lastSeenAt" is null`],
    owner: () => sql`'members'`,
  },
  { table: 'teams', columns: ['organization', 'id', 'searchedText'], owner: () => sql`'teams'` },
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await createVersionTriggers(db, 'names', VERSIONED_TABLES);
}
