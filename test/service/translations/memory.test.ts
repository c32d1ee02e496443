// Runs on one engine: runs.test.ts executes the statements of commits, and store/sweep.test.ts those of sweeps.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openContent } from '../../../server/content/store/content.ts';
import { requireRevision } from '../../../server/content/store/revisions.ts';
import { sweepObjects } from '../../../server/content/store/sweep.ts';
import { writeJson } from '../../../server/database/json.ts';
import { BEFORE_FIRST_RUN } from '../../../server/platform/translations/translations/queries.ts';
import type { TestDatabase } from '../../support/database/engines.ts';
import { commitOnlyRun } from '../../support/translations/translation-commit.ts';
import type { ThreadData } from '../../support/translations/translation-thread.ts';
import { userRow } from '../database/rows.ts';
import { newSpace, now, openContentDatabase, page, write } from '../store/fixture.ts';

let open: TestDatabase;
beforeEach(async () => {
  open = await openContentDatabase();
});
afterEach(() => open.close());

/** Starts the run of a translation of pages, named `p0`, `p1` and so on. */
async function startRun(pages: number): Promise<void> {
  const records = Array.from({ length: pages }, (_, at) => page(`p${at}`, null, `p${at}`, 'Text.'));
  const source = await write(await newSpace(), records, ['Text.']);
  const createdAt = now.toISOString();
  // The position of the fixture is not one that the result can follow.
  await open.db.query.updateTable('spaces').set({ position: 'V' }).where('id', '=', source.space).execute();
  await open.db.query.insertInto('users').values(userRow('usr_a')).execute();
  await open.db.query
    .insertInto('translations')
    .values({
      ...BEFORE_FIRST_RUN,
      id: 'trn_a',
      organization: 'org_a',
      sourceSpace: source.space,
      sourceLanguage: 'en',
      language: 'de',
      instructions: writeJson({}),
      status: 'running',
      run: 1,
      running: 1,
      runStartedAt: createdAt,
      runSource: source.id,
      createdBy: 'usr_a',
      createdAt,
      updatedAt: createdAt,
    })
    .execute();
}

/** Returns the Markdown of a page of the result. */
async function translatedText(id: string): Promise<string | undefined> {
  const { status, resultSpace, resultRevision } = await open.db.query
    .selectFrom('translations')
    .select(['status', 'resultSpace', 'resultRevision'])
    .executeTakeFirstOrThrow();
  expect(status).toBe('completed');
  const revision = await requireRevision(open.db.query, resultSpace ?? '', resultRevision ?? '');
  const content = await openContent(open.db.query, revision);
  const record = (await content.readPages([id])).get(id);
  return record && (await content.readBody(record));
}

test('a run commits more text than fits into its heap', async () => {
  await startRun(1500);
  const { location } = open;
  const workerData: ThreadData = { folder: 'folder' in location ? location.folder : '', characters: 100_000 };
  const thread = new Worker(new URL('../../support/translations/translation-thread.ts', import.meta.url), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  });
  expect(await once(thread, 'message')).toEqual(['committed']);
  await thread.terminate();
  expect(await translatedText('p1499')).toHaveLength(100_000);
});

test('texts that a sweep removed before the commit are translated again', async () => {
  await startRun(101);
  let count = 0;
  await commitOnlyRun(open.db, async (title) => {
    count += 1;
    // One batch of texts is stored.
    if (count === 101) {
      expect((await sweepObjects(open.db, 'org_a', () => now)).objects).toBe(100);
    }
    return `Translation of ${title}.`;
  });
  expect(count).toBe(202);
  expect(await translatedText('p0')).toBe('Translation of p0.');
});
