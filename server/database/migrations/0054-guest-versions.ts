import { type Kysely, type RawBuilder, sql } from 'kysely';
import { engineOf } from '../engine.ts';
import { createVersionTriggers, type VersionedTable } from './version-triggers.ts';

/*
 * Versions on which what one guest sees depends, besides that of the user: those of the grants to each of their teams,
 * of where spaces and collections are, and of which spaces sites show. Other grants and titles do not change them.
 */

const placements = () => sql`'placements'`;
/** Only resources within a collection can be visible through another resource. */
const hasParent = (row: RawBuilder<unknown>) => sql`${row}."parent" is not null`;

const VERSIONED_TABLES: readonly VersionedTable[] = [
  {
    table: 'grants',
    columns: ['organization', 'targetKind', 'target', 'subjectKind', 'subject'],
    owner: (row) => sql`${row}."subject"`,
    when: (row) => sql`${row}."subjectKind" = 'team'`,
  },
  {
    table: 'spaces',
    columns: ['id', 'organization', 'parent', 'deletedAt'],
    owner: placements,
    when: hasParent,
  },
  { table: 'collections', columns: ['id', 'organization', 'parent'], owner: placements, when: hasParent },
  { table: 'siteSpaces', columns: ['organization', 'site', 'space'], owner: () => sql`'site spaces'` },
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const event of ['insert', 'delete', 'update']) {
    // The triggers of 0041-list-versions.ts, which increase the version of the titles of sites.
    const trigger = sql.ref(`lists_siteSpaces_${event}`);
    await (engineOf(db) === 'postgres'
      ? sql`drop function ${trigger} cascade`.execute(db)
      : sql`drop trigger ${trigger}`.execute(db));
  }
  await createVersionTriggers(db, 'guests', VERSIONED_TABLES);
}
