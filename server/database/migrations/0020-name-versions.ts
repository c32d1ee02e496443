import { type Kysely, sql } from 'kysely';
import { createVersionTriggers, type Watched } from './version-triggers.ts';

/*
 * How often the members and the teams of an organization, or their names, have changed: what was counted of those that
 * pass a filter stays true for as long as the number does.
 */

const WATCHED: readonly Watched[] = [
  {
    table: 'members',
    columns: ['organization', 'user', 'role', 'searchedText'],
    // Members are seen again all the time: only the first time matters.
    values: (row) => [sql`${row}."lastSeenAt" is null`],
    owner: () => sql`'members'`,
  },
  { table: 'teams', columns: ['organization', 'id', 'searchedText'], owner: () => sql`'teams'` },
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await createVersionTriggers(db, 'names', WATCHED);
}
