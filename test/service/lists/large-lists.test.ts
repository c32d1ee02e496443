import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { operations } from '../../../generated/operations.ts';
import { engineOf } from '../../../server/database/engine.ts';
import { SEARCH_LIMIT } from '../../../server/database/search/matches.ts';
import { rankSections } from '../../../server/database/search/search.ts';
import { callerIdOf } from '../../../server/identity/caller.ts';
import { requireMember } from '../../../server/identity/membership.ts';
import { countSpacesVisibleBySubject, seesMoreSpacesThan } from '../../../server/identity/visible-counts.ts';
import { searchedSpaces } from '../../../server/identity/visible-spaces.ts';
import { type Statements, statementsOf } from '../../support/database/statements.ts';
import type { Wire } from '../../support/http/wire.ts';
import { FIRST_NUMBER } from '../../support/large/fill-table.ts';
import { type LargeRead, largeLists, largeReads, publishedReads } from '../../support/large/large-lists.ts';
import type { LargeOrganization } from '../../support/large/large-organization.ts';
import { startLargeServer } from '../../support/large/large-server.ts';
import type { TestServer } from '../../support/server.ts';

/** Rows of each kind: many more than any read may load. */
const COUNT = 2100;
/** Maximum statements of a read for any caller. */
const MAX_STATEMENTS = 14;
/**
 * Maximum rows: the items of a page and one more, as many again for their sizes, for related resources and for users
 * who are related to them, and a few for the caller.
 */
const MAX_ROWS = 4 * 51 + 15;

/** Lists of the content of a revision, which is not a table; `npm run bench -- content` measures them. */
const OF_CONTENT = /(Files|Links|Backlinks)$/;
/** Lists that count their rows, because the number is not stored. */
const COUNTED = [
  'listSpaceCommenters',
  'listChangeRequestCommenters',
  'listChangeRequestReviews',
  'listRequestedReviewers',
  'listImportRuns',
  'listSiteFeedback',
  'listSiteRedirects',
  'listInstallations',
  'listSpaceInstallations',
  'listInstallationSpaces',
  'listSiteInstallations',
  'listInstallationSites',
];

let server: TestServer;
let wire: Wire;
let large: LargeOrganization;
beforeAll(async () => {
  ({ server, wire, large } = await startLargeServer(COUNT));
}, 240_000);
afterAll(async () => {
  wire.close();
  await server.stop();
});

const get = (target: string) => ({ method: 'GET', target, headers: {} });

/**
 * Returns the statements of the first of three reads that passes, or of the one with the fewest: the first one fills
 * caches, and others such as jobs run statements, too.
 */
async function leastOf(
  { target }: LargeRead,
  token: string | undefined,
  passes: (statements: Statements) => boolean = () => false,
): Promise<Statements> {
  const tried: Statements[] = [];
  for (let repetition = 0; repetition < 3; repetition++) {
    const statements = await statementsOf(async () => {
      const { status, text } = await wire.send(get(target), token);
      expect([200, 403, 404], text).toContain(status);
    });
    if (passes(statements)) {
      return statements;
    }
    tried.push(statements);
  }
  return tried.reduce((least, item) => (item.sql.length < least.sql.length ? item : least));
}

/** Returns the statements that rank the sections of a search, which otherwise run in a thread. */
async function rankingOf({ operation, target }: LargeRead, { id }: { id: string }): Promise<Statements> {
  const { query } = server.database;
  const organization = large.organizationId;
  const text = new URL(target, server.url).searchParams.get('query') ?? '';
  const member = await requireMember(query, callerIdOf(id), organization);
  const searched =
    operation === 'searchSpace'
      ? { spaces: [large.spaceId], languages: [null] }
      : await searchedSpaces(query, member);
  return await statementsOf(() => rankSections(query, { organization, query: text, ...searched }));
}

const searches = () => largeLists(large).filter(({ operation }) => operation.startsWith('search'));

const countedIn = ({ sql }: Statements) =>
  sql.filter((item) => /^select count\(\*\) as "count" from/.test(item));

describe.each(['admin', 'member', 'guest'] as const)('reads by %s of a large organization', (caller) => {
  test('load only what they return', async () => {
    for (const read of [...largeReads(large), ...largeLists(large)]) {
      // Those of the embedded engine are loaded in a thread.
      const maxRows = MAX_ROWS + (read.operation.startsWith('search') ? SEARCH_LIMIT : 0);
      const { sql, rows } = await leastOf(
        read,
        large[caller].token,
        (statements) => statements.sql.length <= MAX_STATEMENTS && statements.rows <= maxRows,
      );
      expect(sql.length, `statements of ${read.target}: ${sql.join('\n')}`).toBeLessThanOrEqual(
        MAX_STATEMENTS,
      );
      expect(rows, `rows of ${read.target}: ${sql.join('\n')}`).toBeLessThanOrEqual(maxRows);
    }
  }, 240_000);

  test('rank at most the limit of sections', async () => {
    for (const search of searches()) {
      const { sql, rows } = await rankingOf(search, large[caller]);
      expect(sql.length, sql.join('\n')).toBeLessThanOrEqual(MAX_STATEMENTS);
      // Up to 20 sections of 200 pages by their titles in addition, and the sections counted and languages.
      expect(rows, sql.join('\n')).toBeLessThanOrEqual(SEARCH_LIMIT + 15);
    }
  });
});

/** Query plans of SQLite for statements; those of PostgreSQL depend on the numbers of rows. */
async function plansOf(statements: string[]): Promise<string[]> {
  const { query } = server.database;
  const plans = await Promise.all(
    statements.map((item) =>
      sql<{
        detail: string;
      }>`explain query plan select * from (${sql.raw(item.replaceAll('?', "''"))})`.execute(query),
    ),
  );
  return plans.flatMap(({ rows }) => rows.map(({ detail }) => detail));
}

const read = (operation: string, filter?: string): LargeRead => {
  const list = largeLists(large).find((item) => item.operation === operation && item.filter === filter);
  if (!list) {
    throw new Error(`There is no list ${operation} with the filter ${filter}.`);
  }
  return list;
};

describe('a query that could scan each row', () => {
  const comparing = ({ sql }: Statements) => sql.filter((item) => /instr\(| like \$/.test(item));

  test.each([
    ['listMembers', 'search=person100', /^SEARCH members USING COVERING INDEX/, /^$/],
    ['listTeams', 'title=team 1', /^SEARCH teams USING COVERING INDEX/, /^$/],
    [
      'listMemberTeams',
      'title=team 1',
      /^SEARCH membership USING COVERING INDEX/,
      // Teams with outdated copies of their titles.
      /SUBQUERY|BLOOM FILTER|^SEARCH teams USING (COVERING INDEX teams_outdated_copies|INDEX .*\(id=)/,
    ],
  ] as const)('uses an index once for names: %s by %s', async (operation, filter, search, others) => {
    const unfiltered = read(operation);
    const target = `${unfiltered.target}?${encodeURI(filter)}`;
    const compared = comparing(await statementsOf(() => wire.send(get(target), large.admin.token)));
    expect(compared).toHaveLength(2);
    // Rows of the page are not counted again.
    expect(compared[1]).toMatch(/count\(\*\).* and \("\w+"\."\w+", "\w+"\."\w+"\) [<>] /s);
    if (engineOf(server.database.query) === 'postgres') {
      return;
    }
    const plans = await plansOf(compared);
    expect(plans).toEqual(expect.arrayContaining([expect.stringMatching(search)]));
    for (const plan of plans) {
      expect(plan).toMatch(new RegExp(`${search.source}|^(CO-ROUTINE|SCAN) \\(|${others.source}`));
    }
  });

  test.each([
    ['listMembers', 'search=person1000', 0],
    ['listTeams', 'title=team', 0],
    // Only its count is cached.
    ['listMemberTeams', 'title=team', 1],
  ] as const)('searches and counts once: %s by %s', async (operation, filter, again) => {
    expect(comparing(await leastOf(read(operation, filter), large.admin.token))).toHaveLength(again);
  });

  test('does not count if the first page is the last', async () => {
    const target = `${read('listMembers').target}?search=person${FIRST_NUMBER}`;
    const compared = comparing(await statementsOf(() => wire.send(get(target), large.admin.token)));
    expect(compared).toHaveLength(1);
  });

  test('does not search again if nothing was found', async () => {
    expect(comparing(await leastOf(read('listMembers', 'search=nobody'), large.admin.token))).toEqual([]);
  });

  test.each(['listSpaceCommenters', 'listChangeRequestCommenters'])(
    'finds a row once: %s',
    async (operation) => {
      const { sql } = await leastOf(read(operation), large.admin.token);
      expect(sql.filter((item) => /recursive "author"/.test(item))).toHaveLength(1);
    },
  );

  test('finds a row by its id without statistics', async () => {
    if (engineOf(server.database.query) === 'postgres') {
      return;
    }
    for (const operation of ['listTeams', 'listMemberTeams', 'listSpaceTeamGrants']) {
      const { sql } = await leastOf(read(operation), large.admin.token);
      const teams = sql.filter((item) => /from "teams".*"teams"."id" in/.test(item));
      expect(teams, operation).toHaveLength(1);
      expect(await plansOf(teams), operation).toEqual(
        expect.arrayContaining(['SEARCH teams USING INDEX sqlite_autoindex_teams_1 (id=?)']),
      );
    }
  });

  test('ranks only some of many sections', async () => {
    const target = `/v1/orgs/${large.organizationId}/search?query=common`;
    const { sql } = await rankingOf({ operation: 'searchOrganization', target }, large.admin);
    const [ranking = ''] = sql.filter((item) => /as "rank"/.test(item));
    // Ranks rows below the limit, instead of limiting ranked rows.
    expect(ranking).toMatch(
      /(?: order by "searchWords"\."rowid" desc limit \S+| limit \S+\) as "matching")$/,
    );
  });

  test('searches in one pass over the words, with any statistics', async () => {
    if (engineOf(server.database.query) === 'postgres') {
      return;
    }
    // With them an engine could look up the words of each section of a space.
    await sql`analyze`.execute(server.database.query);
    for (const read of searches()) {
      const statements = await rankingOf(read, large.admin);
      const plans = await plansOf(statements.sql.filter((item) => /as "rank"/.test(item)));
      expect(plans, read.target).toContainEqual(
        expect.stringMatching(/^SCAN searchWords VIRTUAL TABLE INDEX \d+:M\d(><)?$/),
      );
      expect(plans, read.target).toContain('SEARCH searchSections USING INTEGER PRIMARY KEY (rowid=?)');
      // The few sections of one space are compared first.
      if (read.operation === 'searchSpace') {
        expect(plans).toContainEqual(expect.stringMatching(/^LIST SUBQUERY/));
      }
    }
  });

  test('counts once for guests and teams', async () => {
    const counting = ({ sql }: Statements) =>
      sql.filter((text) => /"visible"\."subject"|"largest"/.test(text));
    for (const item of [...largeReads(large), ...largeLists(large)]) {
      const statements = await leastOf(item, large.guest.token, (tried) => counting(tried).length === 0);
      expect(counting(statements), item.target).toEqual([]);
    }
  }, 240_000);

  test.each([
    ['published=true', (number: number) => number % 1000 !== 0, false],
    ['published=false', (number: number) => number % 1000 === 0, false],
    ['title=site', () => true, false],
    ['title=1000000', (number: number) => String(number).includes('1000000'), false],
    ['title=nothing', () => false, false],
    ['type=basic', () => true, false],
    // Many match, and many do not.
    ['title=5', (number: number) => String(number).includes('5'), true],
  ] as const)('is not read to count those that match %s for a guest', async (filter, matches, isRead) => {
    const { target } = read('listSites', filter);
    const expectReads = async (expected: number) => {
      const statements = await statementsOf(async () => {
        const { text } = await wire.send(get(target), large.guest.token);
        const numbers = Array.from({ length: COUNT }, (_, index) => FIRST_NUMBER + index);
        expect(JSON.parse(text).count).toBe(numbers.filter(matches).length);
      });
      const counted = countedIn(statements).filter(
        (text) => /from "sites" where "sites"\."organization"/.test(text) && /"siteSpaces"/.test(text),
      );
      expect(counted).toHaveLength(expected);
      // Whether a site is visible is not checked for the changes before the cached count.
      const adjusting = statements.sql.filter((text) => /"nameChanges".*"siteSpaces"/s.test(text));
      for (const text of adjusting) {
        expect(text).toMatch(/case when "nameChanges"\."version" > /);
      }
      return adjusting.length;
    };
    await wire.send(get(target), large.guest.token);
    await grantAgain();
    await expectReads(isRead ? 1 : 0);

    const { client } = server.admin;
    const ofShelf = { collectionId: large.shelfId };
    const ofSite = { organizationId: large.organizationId, siteId: `site_${FIRST_NUMBER + 1}` };
    // Does not change what the guest sees, who is in none of the teams.
    await ok(
      client.POST('/v1/collections/{collectionId}/permissions', {
        params: { path: ofShelf },
        body: { teams: [large.teamId], role: 'read' },
      }),
    );
    await ok(
      client.DELETE('/v1/collections/{collectionId}/permissions/teams/{teamId}', {
        params: { path: { ...ofShelf, teamId: large.teamId } },
      }),
    );
    // The matches are adjusted by the site.
    for (const title of ['Renamed', `Site ${FIRST_NUMBER + 1}`]) {
      await ok(
        client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}', {
          params: { path: ofSite },
          body: { title },
        }),
      );
    }
    expect(await expectReads(0)).toBe(1);
  });

  /** Changes what the guest sees. */
  async function grantAgain(): Promise<void> {
    const { client } = server.admin;
    const path = { spaceId: large.spaceId };
    await client.DELETE('/v1/spaces/{spaceId}/permissions/users/{userId}', {
      params: { path: { ...path, userId: large.guest.id } },
    });
    await ok(
      client.POST('/v1/spaces/{spaceId}/permissions', {
        params: { path },
        body: { users: [large.guest.id], role: 'read' },
      }),
    );
  }

  test('is not read to find a site that shows a space to visitors', async () => {
    for (const read of publishedReads(large).filter(({ operation }) => operation === 'getSpace')) {
      const { rows } = await leastOf(read, undefined);
      expect(rows).toBeLessThanOrEqual(5);
    }
  });

  test('is not read to count it for a guest with many grants', async () => {
    for (const operation of ['listMembers', 'listSpaces', 'listCollections', 'listSites']) {
      await grantAgain();
      const statements = await statementsOf(() => wire.send(get(read(operation).target), large.guest.token));
      const counted = countedIn(statements).filter((text) => /from "(?:sites|spaces)"/.test(text));
      expect(counted, operation).toEqual([]);
      const counting = statements.sql.filter((text) => /"largest"/.test(text));
      expect(counting, operation).toHaveLength(1);
      const exceptions = statements.sql.filter((text) => text.includes('"siteCount"'));
      const countsSites = operation === 'listSites' || operation === 'listMembers';
      expect(exceptions, operation).toHaveLength(countsSites ? 2 : 0);
      if (engineOf(server.database.query) === 'sqlite') {
        for (const plan of await plansOf(exceptions)) {
          expect(plan, operation).not.toMatch(/USING (COVERING )?INDEX spaces_organization/);
        }
        // Starts from the few deleted spaces and collections with spaces.
        const plans = await plansOf(counting);
        expect(plans, operation).not.toContainEqual(
          expect.stringMatching(/^SCAN (grants|spaces|collections)\b/),
        );
      }
    }
  });

  test('is counted for two guests by the grants of the one with fewer', async () => {
    const { organizationId: organization, guest } = large;
    const other = { organization, user: `usr_${FIRST_NUMBER + 10}`, role: undefined };
    const subjects = { organization, kind: 'user', ids: [guest.id] } as const;
    const { query } = server.database;
    let counts: ReadonlyMap<string, number> | undefined;
    const { sql } = await statementsOf(async () => {
      counts = await countSpacesVisibleBySubject(query, subjects, other);
    });
    // The space that was granted to everybody.
    expect(counts).toEqual(new Map([[guest.id, 1]]));
    expect(sql.filter((text) => /"largest"/.test(text))).toEqual([]);
  });

  test('is not counted for a guest who sees many more than a limit', async () => {
    const { organizationId: organization, guest } = large;
    const { query } = server.database;
    const member = { organization, user: guest.id, role: undefined };
    for (const [limit, expected, counted] of [
      [COUNT / 30, true, 0],
      [COUNT - 10, true, 1],
      [COUNT + 10, false, 1],
    ] as const) {
      await grantAgain();
      const { sql } = await statementsOf(async () => {
        expect(await seesMoreSpacesThan(query, member, limit)).toBe(expected);
      });
      expect(sql.filter((text) => /"largest"/.test(text))).toHaveLength(counted);
    }
  });

  test('starts with the fewer of grants to teams and of teams', async () => {
    if (engineOf(server.database.query) === 'postgres') {
      return;
    }
    const { sql } = await leastOf(
      { operation: 'getSpace', target: `/v1/spaces/${large.spaceId}` },
      large.guest.token,
    );
    const [grants = ''] = sql.filter((text) => /'teams of member'/.test(text));
    // The choice is made before the first row of either is read.
    expect(await plansOf([grants])).toEqual(expect.arrayContaining(['SCAN condition']));
  });
});

describe('lists without filters', () => {
  test('read their count', async () => {
    for (const read of largeLists(large)) {
      if (read.filter !== undefined || COUNTED.includes(read.operation)) {
        continue;
      }
      const statements = await leastOf(read, large.admin.token, (tried) => countedIn(tried).length === 0);
      expect(countedIn(statements), read.target).toEqual([]);
    }
  }, 240_000);

  test('are all tested', () => {
    const lists = Object.entries(operations)
      .filter(([id, { list }]) => list && !OF_CONTENT.test(id))
      .map(([id]) => id);
    const tried = largeLists(large).map(({ operation }) => operation);
    expect([...new Set(tried)].sort()).toEqual(lists.sort());
  });
});
