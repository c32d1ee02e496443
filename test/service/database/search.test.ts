import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../../server/database/database.ts';
import { engineOf } from '../../../server/database/engine.ts';
import { SEARCH_LIMIT } from '../../../server/database/search/matches.ts';
import { rankSections } from '../../../server/database/search/search.ts';
import {
  MAX_RESULT_PAGES,
  MAX_RESULT_SECTIONS,
  MAX_RESULT_TEXT_CHARACTERS,
} from '../../../server/database/search/searches.ts';
import { MATCHED_SPACE, type SearchPage, type SearchRequest } from '../../../server/database/search/types.ts';
import {
  removeFromSpace,
  removePages,
  replacePages,
  type SearchStep,
} from '../../../server/database/search/writes.ts';
import { codePoint } from '../../../spec/toolchain/model/schema/code-points.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database/engines.ts';
import { statementsOf } from '../../support/database/statements.ts';

let opened: TestDatabase;
let db: Database;

beforeAll(async () => {
  opened = await openTestDatabase();
  db = opened.db;
  await index('spc_docs', [
    page(
      'install',
      'Installing',
      ['Requirements', 'Needs Node 24.'],
      ['Windows', 'Run the installer. Café.'],
    ),
    page('upgrade', 'Upgrading', ['Steps', 'Before installing the new release, read the notes on windows.']),
    page(
      'intl',
      'International',
      ['Scripts', '東京タワーへようこそ. Straße, наука, हिन्दी'],
      ['Code', 'kysely/migration@0.29_x'],
    ),
  ]);
  await index('spc_other', [page('secret', 'Secret', ['Hidden', 'Windows of another space.'])]);
  await index('spc_foreign', [page('foreign', 'Foreign', ['Windows', 'Windows windows'])], 'org_2');
});
afterAll(() => opened.close());

function page(id: string, title: string, ...sections: Array<[title: string, body: string]>): SearchPage {
  return {
    page: id,
    title,
    path: `/${id}`,
    sections: sections.map(([heading, body], n) => ({
      section: `${id}-${n}`,
      title: heading,
      anchor: heading.toLowerCase(),
      body,
    })),
  };
}

async function index(space: string, pages: SearchPage[], organization = 'org_1'): Promise<void> {
  const indexed = pages.map((page) => ({ ...page, version: '1' }));
  await run(replacePages(db.query, { organization, space, language: null }, indexed));
}

async function run(steps: AsyncIterable<SearchStep>): Promise<void> {
  for await (const step of steps) {
    await db.transaction(step);
  }
}

function search(
  query: string,
  options: { spaces?: string[]; groupBy?: 'page' | 'space'; limit?: number; offset?: number } = {},
) {
  return opened.searches.find({
    organization: 'org_1',
    searcher: 'member',
    spaces: options.spaces ?? ['spc_docs'],
    query,
    groupBy: options.groupBy ?? 'page',
    offset: options.offset ?? 0,
    limit: options.limit ?? 50,
  });
}

async function findPages(query: string, spaces?: string[]): Promise<string[]> {
  const { groups } = await search(query, spaces ? { spaces } : {});
  return groups.map((group) => group[0]?.page ?? '');
}

test('finds sections with all words, the last one as a prefix', async () => {
  expect(await findPages('windows')).toEqual(['install', 'upgrade']);
  expect(await findPages('instal')).toEqual(['install', 'upgrade']);
  expect(await findPages('windows release')).toEqual(['upgrade']);
  expect(await findPages('win release')).toEqual(['upgrade']);
  expect(await findPages('win nothing')).toEqual([]);
  expect(await findPages('release win')).toEqual(['upgrade']);
  expect(await findPages('nothing')).toEqual([]);
});

test('ranks a match in a heading before one in the text, best section first', async () => {
  const { groups } = await search('windows');
  expect(groups[0]?.map(({ section }) => section)).toEqual(['install-1']);
  const { groups: byPage } = await search('installing');
  expect(byPage.map((group) => group[0]?.page)).toEqual(['install', 'upgrade']);
});

test('returns a hit with the display fields of its page and section', async () => {
  const { groups } = await search('café');
  expect(groups).toEqual([
    [
      {
        space: 'spc_docs',
        page: 'install',
        pageTitle: 'Installing',
        pagePath: '/install',
        section: 'install-1',
        title: 'Windows',
        anchor: 'windows',
        body: 'Run the installer. Café.',
        rank: expect.any(Number),
        pagePosition: 1,
      },
    ],
  ]);
});

test('ignores case and accents, and finds words of every script', async () => {
  expect(await findPages('CAFE')).toEqual(['install']);
  for (const query of [
    '東京',
    '京タワ',
    'ようこそ',
    'strasse',
    'НАУКА',
    'हिन्दी',
    'kysely/migration',
    'Migration@0',
    '29_x',
  ]) {
    expect.soft([query, await findPages(query)]).toEqual([query, query === 'strasse' ? [] : ['intl']]);
  }
  // Characters of a script without spaces must be adjacent.
  expect(await findPages('京東')).toEqual([]);
});

test('treats no user input as an operator', async () => {
  expect(await findPages('café OR nothing OR unknown OR unheard')).toEqual([]);
  expect(await findPages('café NOT installer')).toEqual(['install', 'upgrade']);
  expect(await findPages('title:windows')).toEqual(['install', 'upgrade']);
  expect(await findPages('(cafe) & {unknown}: unheard unseen *')).toEqual([]);
  expect(await findPages('^windows & (run) *')).toEqual(['install']);
  const odd = fc.string({ unit: codePoint, maxLength: 30 });
  const syntax = fc
    .array(
      fc.constantFrom(
        '"',
        "'",
        '*',
        '(',
        ')',
        ':',
        '^',
        '-',
        '+',
        'AND',
        'NEAR(',
        '<->',
        '!',
        '&',
        '\\',
        'a',
        '東',
        '\0',
        ' ',
      ),
    )
    .map((parts) => parts.join(''));
  await fc.assert(
    fc.asyncProperty(fc.oneof(odd, syntax), async (query) => {
      const { count, groups } = await search(query);
      expect(count).toBe(groups.length);
    }),
    { numRuns: 150 },
  );
});

test('indexes any text and finds it by its words', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: codePoint, maxLength: 60 }), async (body) => {
      await index('spc_any', [page('any', '', ['', `${body} needle`])]);
      expect(await findPages('needle', ['spc_any'])).toEqual(['any']);
    }),
    { numRuns: 60 },
  );
  const huge = Array.from({ length: 12_000 }, (_, n) => `word${n} ${'x'.repeat(200)}`).join(' ');
  await index('spc_any', [page('huge', 'Huge', ['Start', huge])]);
  expect(await findPages('word77', ['spc_any'])).toEqual(['huge']);
  const wide = Array.from({ length: 6_000 }, (_, n) => `${'\u{10400}'.repeat(50)}${n}`).join(' ');
  await index('spc_any', [page('wide', wide, [wide, wide])]);
  expect(await findPages(`${'\u{10400}'.repeat(50)}77`, ['spc_any'])).toEqual(['wide']);
});

test('searches only the requested spaces, and never another organization', async () => {
  expect(await findPages('windows', ['spc_other'])).toEqual(['secret']);
  expect(await findPages('windows', ['spc_other', 'spc_foreign'])).toEqual(['secret']);
  expect(await findPages('windows', [])).toEqual([]);
  const everywhere = await opened.searches.find({
    organization: 'org_1',
    searcher: 'member',
    query: 'windows',
    groupBy: 'space',
    offset: 0,
    limit: 10,
  });
  expect(everywhere.groups.map((group) => group[0]?.space).sort()).toEqual(['spc_docs', 'spc_other']);
});

test('accepts a query that selects the spaces, for all matches or for each', async () => {
  const of = { organization: 'org_1', query: 'windows', groupBy: 'space', offset: 0, limit: 10 } as const;
  const spacesFound = async (where: Pick<SearchRequest, 'spaces' | 'visibleSpace'>) => {
    const { count, groups } = await opened.searches.find({ ...of, ...where, searcher: 'member' });
    expect(count).toBe(groups.length);
    return groups.map((group) => group[0]?.space);
  };
  for (const [space, expected] of [
    ['spc_other', ['spc_other']],
    ['spc_foreign', []],
  ] as const) {
    const selected = db.query.selectFrom('searchPages').select('space').where('space', '=', space);
    expect(await spacesFound({ spaces: selected })).toEqual(expected);
    const visibleSpace = selected.whereRef('space', '=', sql.ref(MATCHED_SPACE));
    expect(await spacesFound({ visibleSpace })).toEqual(expected);
  }
});

test('ranks at most the limit of sections, preferring those with exact words', async () => {
  const pages = (word: string) =>
    Array.from({ length: 3 }, (_, n) =>
      page(`${word}${n}`, 'Many', ...Array.from({ length: 350 }, () => ['Same', word] as [string, string])),
    );
  await index('spc_limit', [...pages('plenum'), ...pages('plenums')]);
  const ranked = (query: string) =>
    rankSections(db.query, { organization: 'org_1', query, spaces: ['spc_limit'] });
  expect(await ranked('plenum')).toHaveLength(SEARCH_LIMIT);
  const { count, groups } = await search('plenum', { spaces: ['spc_limit'] });
  if (engineOf(db.query) === 'sqlite') {
    expect(groups.map((group) => group[0]?.page).sort()).toEqual(['plenum0', 'plenum1', 'plenum2']);
    expect(count).toBe(3);
  }
  expect(await ranked('plen')).toHaveLength(SEARCH_LIMIT);
});

test('reads the best sections of the best pages of an item, and the start of their texts', async () => {
  const long = `lengthy ${'text '.repeat(MAX_RESULT_TEXT_CHARACTERS / 4)}`;
  const pages = Array.from({ length: MAX_RESULT_PAGES + 5 }, (_, n) =>
    page(
      `long${n}`,
      'Long',
      ...Array.from({ length: MAX_RESULT_SECTIONS + 5 }, (): [string, string] => ['Part', long]),
    ),
  );
  await index('spc_long', pages);
  const find = (groupBy: 'page' | 'space') =>
    search('lengthy', { spaces: ['spc_long'], groupBy, limit: 100 });
  const { sql: statements } = await statementsOf(async () => {
    const { count, groups } = await find('space');
    expect(count).toBe(1);
    const hits = groups.flat();
    expect(new Set(hits.map(({ page: id }) => id)).size).toBe(MAX_RESULT_PAGES);
    expect(hits).toHaveLength(MAX_RESULT_PAGES * MAX_RESULT_SECTIONS);
    for (const { body } of hits) {
      expect(body).toBe(long.slice(0, MAX_RESULT_TEXT_CHARACTERS));
    }
  });
  const texts = statements.filter((statement) => statement.includes('"anchor"'));
  expect(texts).toEqual([expect.stringMatching(/substr\("body", 1, \d+\)/)]);
  const byPage = await find('page');
  expect(byPage.groups).toHaveLength(pages.length);
  expect(byPage.groups.map((hits) => hits.length)).toEqual(pages.map(() => MAX_RESULT_SECTIONS));
});

test('reads a list in pages and counts all of it', async () => {
  const pages = Array.from({ length: 30 }, (_, n) => page(`p${n}`, 'Many', ['Same', 'plenty']));
  await index('spc_many', pages);
  const seen: string[] = [];
  for (let offset = 0; offset < 30; offset += 7) {
    const { count, groups } = await search('plenty', { spaces: ['spc_many'], limit: 7, offset });
    expect(count).toBe(30);
    seen.push(...groups.map((group) => group[0]?.page ?? ''));
  }
  expect(new Set(seen).size).toBe(30);
  expect(await search('plenty', { spaces: ['spc_many'], limit: 0 })).toEqual({ count: 30, groups: [] });
});

test('does not find replaced or removed content', async () => {
  const where = { organization: 'org_1', space: 'spc_gone' };
  await index('spc_gone', [
    page('one', 'One', ['A', 'alpha'], ['B', 'beta']),
    page('two', 'Two', ['C', 'alpha']),
  ]);
  await index('spc_gone', [page('one', 'One', ['A', 'gamma'])]);
  expect(await findPages('alpha', ['spc_gone'])).toEqual(['two']);
  expect(await findPages('beta', ['spc_gone'])).toEqual([]);
  expect(await findPages('gamma', ['spc_gone'])).toEqual(['one']);
  await run(removePages(db.query, where, ['two']));
  expect(await findPages('alpha', ['spc_gone'])).toEqual([]);
  expect(await db.transaction((trx) => removeFromSpace(trx, where))).toBe(true);
  expect(await findPages('gamma', ['spc_gone'])).toEqual([]);
  expect(await findPages('windows')).toEqual(['install', 'upgrade']);
});
