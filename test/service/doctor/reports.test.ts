import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { testEngine } from '../../support/database/engines.ts';
import { fill } from '../../support/large/fill-table.ts';
import { PATIENCE, useExamined } from './fixture.ts';

const examined = useExamined();
const { run, problems, execute } = examined;

test('sound data have no problems, and each check examines something', async () => {
  const results = await run();
  const names = [...results].filter(([, findings]) => findings.examined > 0).map(([name]) => name);
  // The queue is empty, and PostgreSQL checks its own files.
  const exceptions = testEngine() === 'postgres' ? ['database', 'jobs'] : ['jobs'];
  expect(names).toEqual([...results.keys()].filter((name) => !exceptions.includes(name)));
});

/** Rows of a table, which are restored after a fault. */
async function saved(table: 'objects' | 'blobs' | 'blobChunks'): Promise<() => Promise<void>> {
  const rows = await examined.server.database.query.selectFrom(table).selectAll().execute();
  return async () => {
    await examined.server.database.query.deleteFrom(table).execute();
    for (const row of rows) {
      await examined.server.database.query.insertInto(table).values(row).execute();
    }
  };
}

/** Faults that cannot be repaired. */
const IRREPARABLE: Readonly<
  Record<string, [check: string, description: RegExp, seed: () => Promise<() => Promise<void>>]>
> = {
  'a missing text': [
    'objects',
    /The text \S{43} of a page in the revision \w+ .* is missing/,
    async () => {
      const undo = await saved('objects');
      await execute(sql`delete from "objects" where "kind" = 'text' and "data" like '%One value%'`);
      return undo;
    },
  ],
  'a changed text': [
    'objects',
    /The object \S{43} of \w+ is damaged/,
    async () => {
      const undo = await saved('objects');
      await execute(
        sql`update "objects" set "data" = 'Other.' where "kind" = 'text' and "data" like '%One value%'`,
      );
      return undo;
    },
  ],
  'a missing tree': [
    'revisions',
    /The content of the revision \w+ of the space \w+ .* cannot be read/,
    async () => {
      const undo = await saved('objects');
      const root = sql`(select "root" from "revisions" join "spaces" on "spaces"."revision" = "revisions"."id" limit 1)`;
      await execute(sql`delete from "objects" where "hash" = ${root}`);
      return undo;
    },
  ],
  'a missing file': [
    'files',
    /The file \S{43} of \w+ is missing, to which the revision \w+ refers/,
    async () => {
      const undo = [await saved('blobs'), await saved('blobChunks')];
      await execute(sql`delete from "blobs"`);
      await execute(sql`delete from "blobChunks"`);
      return async () => {
        for (const restore of undo) {
          await restore();
        }
      };
    },
  ],
  'a missing part of a file': [
    'files',
    /The file \S{43} of \w+ is damaged: a part is missing/,
    async () => {
      const undo = await saved('blobChunks');
      await execute(sql`delete from "blobChunks"`);
      return undo;
    },
  ],
  'changed bytes of a file': [
    'files',
    /The file \S{43} of \w+ is damaged: its bytes were changed/,
    async () => {
      const undo = await saved('blobChunks');
      const [{ size = 0 } = {}] = await examined.server.database.query
        .selectFrom('blobs')
        .select('size')
        .execute();
      await examined.server.database.query
        .updateTable('blobChunks')
        .set({ data: Buffer.alloc(size, 1) })
        .execute();
      return undo;
    },
  ],
  'a missing revision': [
    'references',
    /The revision rev_none of \w+ in spaces .* does not exist/,
    async () => {
      const { revision } = await examined.server.database.query
        .selectFrom('spaces')
        .select('revision')
        .where('id', '=', examined.space)
        .executeTakeFirstOrThrow();
      const set = (id: string) =>
        examined.server.database.query
          .updateTable('spaces')
          .set({ revision: id })
          .where('id', '=', examined.space)
          .execute();
      await set('rev_none');
      return async () => {
        await set(revision);
      };
    },
  ],
  ...(testEngine() === 'sqlite' && {
    'a row that refers to none': [
      'database',
      /1 rows of teams refer to rows of organizations that do not exist/,
      async () => {
        await execute(sql`pragma foreign_keys = off`);
        await fill(examined.server.database, 'teams', 1, {
          id: 'team_a',
          organization: 'none',
          title: 'A',
          createdAt: '2026',
        });
        await execute(sql`pragma foreign_keys = on`);
        return async () => execute(sql`delete from "teams"`);
      },
    ],
  }),
};

describe('reports, and does not change', () => {
  test.each(Object.entries(IRREPARABLE))('%s', async (_, [check, description, seed]) => {
    const undo = await seed();
    try {
      expect((await problems())[check]).toMatch(description);
      const results = await run(true);
      expect(results.get(check)).toMatchObject({ repaired: 0, problems: expect.any(Number) });
      expect((await problems())[check]).toMatch(description);
    } finally {
      await undo();
    }
    await vi.waitFor(async () => expect(await problems()).toEqual({}), PATIENCE);
  });
});
