import type { Kysely } from 'kysely';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../server/database/database.ts';
import { readRowCount } from '../../../server/database/row-counts.ts';
import type { Schema } from '../../../server/database/schema.ts';
import { createEarlierDatabase } from '../../support/earlier-release.ts';
import { testLocation } from '../../support/engines.ts';
import { organizationRow } from './rows.ts';

const TIME = '2026-01-01T00:00:00.000Z';

test('counts the grants and deleted spaces of an earlier release', async () => {
  const { location, remove } = await testLocation({ blank: true });
  await createEarlierDatabase(location, '0020-name-versions', async (before) => {
    // These tables have the columns of the current release.
    const database = before as unknown as Kysely<Schema>;
    await database.insertInto('organizations').values(organizationRow('org_a')).execute();
    for (const [targetKind, target, subject] of [
      ['space', 'spc_a', 'usr_a'],
      ['space', 'spc_b', 'usr_a'],
      ['space', 'spc_a', 'usr_b'],
      ['collection', 'col_a', 'usr_a'],
    ] as const) {
      const grant = { organization: 'org_a', subjectKind: 'user', role: 'read', createdAt: TIME } as const;
      await database
        .insertInto('grants')
        .values({ ...grant, targetKind, target, subject })
        .execute();
    }
    for (const [id, deletedAt] of [
      ['spc_a', null],
      ['spc_b', TIME],
    ] as const) {
      await database
        .insertInto('spaces')
        .values({
          id,
          organization: 'org_a',
          parent: null,
          title: 'Title',
          emoji: null,
          icon: null,
          editMode: 'live',
          language: null,
          defaultLevel: null,
          position: 'V',
          createdAt: TIME,
          updatedAt: TIME,
          deletedAt,
          deletedBy: null,
          revision: 'rev_a',
          searchedRevision: null,
          searchedEntries: null,
          git: null,
          computedSource: null,
          template: null,
        })
        .execute();
    }
  });

  const database = await openDatabase(location);
  const count = (kind: 'spaces granted' | 'collections granted' | 'spaces deleted', owner?: string) =>
    readRowCount(database.query, { organization: 'org_a', kind, ...(owner && { owner }) });
  expect(await count('spaces granted', 'usr_a')).toBe(2);
  expect(await count('spaces granted', 'usr_b')).toBe(1);
  expect(await count('collections granted', 'usr_a')).toBe(1);
  expect(await count('collections granted', 'usr_b')).toBe(0);
  expect(await count('spaces deleted')).toBe(1);
  await database.close();
  await remove();
});
