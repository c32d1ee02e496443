import type { Kysely } from 'kysely';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../server/database/database.ts';
import type { Schema } from '../../../server/database/schema.ts';
import { createEarlierDatabase } from '../../support/earlier-release.ts';
import { testLocation } from '../../support/engines.ts';
import { organizationRow, userRow } from './rows.ts';

const TIME = '2026-01-01T00:00:00.000Z';

test('copies the titles of the teams of an earlier release to their members', async () => {
  const { location, remove } = await testLocation({ blank: true });
  await createEarlierDatabase(location, '0026-printed-pdfs', async (before) => {
    // The written columns of these tables are those of the current release.
    const database = before as unknown as Kysely<Schema>;
    await database.insertInto('organizations').values(organizationRow('org_a')).execute();
    await database
      .insertInto('users')
      .values([userRow('usr_a'), userRow('usr_b')])
      .execute();
    await database
      .insertInto('teams')
      .values({ id: 'team_a', organization: 'org_a', title: 'ÄRZTE', createdAt: TIME, createdBy: null })
      .execute();
    await database.insertInto('teamMembers').values(memberRow('usr_a')).execute();
  });
  const database = await openDatabase(location);
  const { query } = database;
  const readCopies = async () => {
    const rows = await query.selectFrom('teamMembers').selectAll().orderBy('user').execute();
    return rows.map((row) => row.teamSearchedText);
  };
  await query.insertInto('teamMembers').values(memberRow('usr_b')).execute();
  expect(await readCopies()).toEqual(['ärzte', 'ärzte']);

  const readVersion = async () => {
    const rows = await query
      .selectFrom('visibilityVersions')
      .select('value')
      .where('owner', '=', 'teams')
      .execute();
    return rows.reduce((sum, { value }) => sum + value, 0);
  };
  const version = await readVersion();
  await query.updateTable('teams').set({ title: 'Pflege' }).execute();
  expect(await readCopies()).toEqual(['pflege', 'pflege']);
  const changes = await query.selectFrom('nameChanges').selectAll().orderBy('delta').execute();
  expect(changes.map(({ owner, delta, searchedText }) => [owner, delta, searchedText])).toEqual([
    ['teams', -1, 'ärzte'],
    ['teams', 1, 'pflege'],
  ]);
  // The triggers of the earlier release no longer increase the version, too.
  expect(await readVersion()).toBe(version + new Set(changes.map((change) => change.version)).size);
  await database.close();
  await remove();
});

const memberRow = (user: string) => ({
  organization: 'org_a',
  team: 'team_a',
  user,
  role: 'member' as const,
  joinedAt: TIME,
  teamCreatedAt: TIME,
});
