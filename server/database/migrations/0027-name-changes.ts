import { type Kysely, sql } from 'kysely';
import { engineOf } from '../engine.ts';
import { columnTypes, required, table } from './columns.ts';
import { createNameChangeTriggers, type NamedTable } from './name-change-triggers.ts';
import { addTeamTitles } from './team-titles.ts';

/*
 * The last changes of the members and the teams of an organization: cached counts of those that match a filter are
 * adjusted by the changes since, so that the names are not read again after each change. The triggers that increase the
 * versions of both lists record the changes, too.
 */

const NAMED_TABLES: readonly NamedTable[] = [
  {
    name: 'members',
    id: 'user',
    createdAt: 'joinedAt',
    values: {
      searchedText: (row) => sql`${row}."searchedText"`,
      role: (row) => sql`${row}."role"`,
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
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await addTeamTitles(db);
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
    .addPrimaryKeyConstraint('nameChanges_key', ['organization', 'owner', 'shard', 'slot', 'number'])
    .execute();
  const isPostgres = engineOf(db) === 'postgres';
  for (const named of NAMED_TABLES) {
    for (const event of ['insert', 'delete', 'update']) {
      // The triggers of 0020-name-versions.ts, which only increase the version.
      const trigger = sql.ref(`names_${named.name}_${event}`);
      await (isPostgres
        ? sql`drop function ${trigger} cascade`.execute(db)
        : sql`drop trigger ${trigger}`.execute(db));
    }
    await createNameChangeTriggers(db, named);
  }
}
