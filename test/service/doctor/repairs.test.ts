import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { hashOf } from '../../../server/content/tree/hash.ts';
import { JOB_KINDS } from '../../../server/platform/kit/job-kinds.ts';
import type { Services } from '../../../server/platform/kit/slice.ts';
import { registerWorkers } from '../../../server/process/workers.ts';
import { testEngine } from '../../support/database/engines.ts';
import { fill } from '../../support/large/fill-table.ts';
import { PATIENCE, useExamined } from './fixture.ts';

const examined = useExamined();
const { run, problems, execute } = examined;

const job = {
  organization: 'org_a',
  orderKey: '',
  payload: '{}',
  state: 'queued',
  createdAt: '2026',
  runAt: '9999',
};

/** Faults that can be repaired: the check that finds them, and a part of its description. */
const REPAIRABLE: Readonly<Record<string, [check: string, description: RegExp, seed: () => Promise<void>]>> =
  {
    'a wrong counter': [
      'counters',
      /"members" of org_\w+ is wrong by 5\./,
      () => execute(sql`update "rowCounts" set "value" = "value" + 5 where "kind" = 'members'`),
    ],
    'a missing counter': [
      'counters',
      /"spaces" of org_\w+ is wrong by -1\./,
      () => execute(sql`delete from "rowCounts" where "kind" = 'spaces'`),
    ],
    'a counter of rows that do not exist': [
      'counters',
      /"teams" of org_none is wrong by 2\./,
      () => execute(sql`insert into "rowCounts" values ('org_none', 'teams', '', 0, 2)`),
    ],
    'a page without an entry in the search index': [
      'search',
      /pages of the space spc?\w* .* are missing, incomplete or outdated/,
      () => execute(sql`delete from "searchPages" where "page" = (select max("page") from "searchPages")`),
    ],
    'a missing section': [
      'search',
      /1 pages of the space/,
      () => execute(sql`delete from "searchSections" where "body" like '%One value%'`),
    ],
    'a missing section at the end of a page': [
      'search',
      /1 pages of the space/,
      () => execute(sql`delete from "searchSections" where "id" = (select max("id") from "searchSections")`),
    ],
    'an outdated page': [
      'search',
      /pages of the space/,
      () => execute(sql`update "searchPages" set "version" = 'old'`),
    ],
    'the index of a space that does not exist': [
      'search',
      /contains the space space_none, which org_a does not have/,
      () => execute(sql`insert into "searchPages" values ('org_a', 'space_none', 'page_a', 'v', null, null)`),
    ],
    'an outdated number of sites': [
      'columns',
      /spaces\.siteCount of \w+ is outdated/,
      () => execute(sql`update "spaces" set "siteCount" = 7`),
    ],
    'an outdated number of pages': [
      'columns',
      /spaces\.pageCount of \w+ is outdated/,
      () => execute(sql`update "spaces" set "pageCount" = 7`),
    ],
    'an outdated searched name': [
      'columns',
      /members\.searchedText of org_\w+ usr_\w+ is outdated/,
      () => execute(sql`update "members" set "searchedText" = 'other'`),
    ],
    'a job of an unknown kind': [
      'jobs',
      /The job job_a of org_a waits for ever: this release has no jobs of the kind other\./,
      () =>
        fill(examined.server.database, 'jobs', 1, {
          ...job,
          id: 'job_a',
          kind: 'other',
          attempts: 0,
          maxAttempts: 1,
        }),
    ],
    'a run without a job': [
      'jobs',
      /The run run_a of the space .* never ends/,
      async () => {
        const { organization } = examined.server;
        const counts = { progress: 0, pages: 0, files: 0, problemCount: 0, problems: '[]' };
        await fill(examined.server.database, 'runs', 1, {
          ...{
            id: 'run_a',
            organization,
            space: examined.space,
            kind: 'git-import',
            url: 'u',
            status: 'pending',
          },
          ...{ ...counts, createdAt: '2026' },
        });
      },
    ],
    'parts of no file': [
      'files',
      /The parts content_a of .* belong to no file/,
      async () => {
        const chunk = {
          organization: examined.server.organization,
          content: 'content_a',
          index: 0,
          data: Buffer.from('a'),
        };
        await examined.server.database.query.insertInto('blobChunks').values(chunk).execute();
      },
    ],
    ...(testEngine() === 'sqlite' && {
      'a section without words': [
        'search',
        /1 pages of the space/,
        () =>
          execute(sql`delete from "searchWords" where "rowid" = (select max("id") from "searchSections")`),
      ],
    }),
  };

describe('repairs', () => {
  test.each(Object.entries(REPAIRABLE))('%s', async (_, [check, description, seed]) => {
    await seed();
    expect(await problems()).toEqual({ [check]: expect.stringMatching(description) });
    // Without being asked to, it changes nothing.
    expect(await problems()).toEqual({ [check]: expect.stringMatching(description) });
    const results = await run(true);
    expect(results.get(check)?.repaired).toBe(results.get(check)?.problems);
    await vi.waitFor(async () => expect(await problems()).toEqual({}), PATIENCE);
    // Those of the search index are repaired by a job.
    const unfinished = examined.server.database.query
      .selectFrom('jobs')
      .select('id')
      .where('state', 'in', ['queued', 'running']);
    await vi.waitFor(async () => expect(await unfinished.execute()).toEqual([]), PATIENCE);
    expect(await problems()).toEqual({});
  });
});

test('what nothing refers to is not a problem, and is deleted on request', async () => {
  const { organization } = examined.server;
  const object = {
    organization,
    hash: 'U1uF-Hm8Q6J2tvTjpGDzyHKZfAEVjCYCp2HhKtSkbyc',
    kind: 'text',
    data: '',
  };
  await examined.server.database.query
    .insertInto('objects')
    .values({ ...object, hash: hashOf('') })
    .execute();
  const before = (await run()).get('objects');
  expect(before).toMatchObject({
    problems: 0,
    notes: [expect.stringMatching(/^1 objects and files .* not referred to/)],
  });
  await run(true);
  expect((await run()).get('objects')?.notes).toEqual([]);
});

test('knows all kinds of jobs', () => {
  const names: string[] = [];
  const queue = {
    registerLater: (kinds: readonly string[]) => names.push(...kinds),
    attach() {},
  };
  // Only what the registration uses.
  registerWorkers({ queue, createId: () => 'a' } as unknown as Services);
  expect(names.toSorted()).toEqual([...JOB_KINDS].sort());
});
