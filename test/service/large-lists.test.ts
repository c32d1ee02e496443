import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../generated/operations.ts';
import { SEARCH_LIMIT } from '../../server/database/search.ts';
import { UNIMPLEMENTED } from '../../server/resources/unimplemented.ts';
import { type LargeRead, largeLists, largeReads } from '../support/large-lists.ts';
import { fillOrganization, type LargeOrganization } from '../support/large-organization.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type Statements, statementsOf } from '../support/statements.ts';
import { Wire } from '../support/wire.ts';

/** Rows of each kind: many more than any read may load. */
const COUNT = 2000;
/** Statements that a read may take, whoever asks. */
const MAX_STATEMENTS = 14;
/** The items of a page and one more, as much again for how large they are and what is shown with them, and a few for who asks. */
const MAX_ROWS = 3 * 51 + 15;

/** Lists of what is in a revision, which is no table; they are measured by `npm run bench -- content`. */
const OF_CONTENT = /(Files|Links|Backlinks)$/;
/** Lists whose rows are counted: nothing keeps their number. */
const COUNTED = ['listSpaceCommenters', 'listChangeRequestCommenters'];

let server: TestServer;
let wire: Wire;
let large: LargeOrganization;
beforeAll(async () => {
  server = await startTestServer();
  wire = new Wire(server.url);
  large = await fillOrganization(server.database, {
    url: server.url,
    token: server.admin.token,
    count: COUNT,
  });
}, 240_000);
afterAll(async () => {
  wire.close();
  await server.stop();
});

/** The least that a read took, since others such as jobs run statements, too. */
async function leastOf({ target }: LargeRead, token: string): Promise<Statements> {
  const found: Statements[] = [];
  for (let repetition = 0; repetition < 3; repetition++)
    found.push(
      await statementsOf(async () => {
        const { status, text } = await wire.send({ method: 'GET', target, headers: {} }, token);
        expect([200, 403, 404], text).toContain(status);
      }),
    );
  return found.reduce((least, one) => (one.sql.length < least.sql.length ? one : least));
}

const countedIn = ({ sql }: Statements) =>
  sql.filter((one) => /^select count\(\*\) as "count" from/.test(one));

describe.each(['admin', 'member', 'guest'] as const)('reads by %s of a large organization', (caller) => {
  it('load no more than they show', async () => {
    for (const read of [...largeReads(large), ...largeLists(large)]) {
      const { sql, rows } = await leastOf(read, large[caller].token);
      const ranked = read.operation.startsWith('search') ? SEARCH_LIMIT : 0;
      expect(sql.length, `statements of ${read.target}: ${sql.join('\n')}`).toBeLessThanOrEqual(
        MAX_STATEMENTS,
      );
      expect(rows, `rows of ${read.target}: ${sql.join('\n')}`).toBeLessThanOrEqual(MAX_ROWS + ranked);
    }
  }, 240_000);
});

describe('lists without filters', () => {
  it('read their count', async () => {
    for (const read of largeLists(large)) {
      if (read.filter !== undefined || COUNTED.includes(read.operation)) continue;
      const found = await leastOf(read, large.admin.token);
      expect(countedIn(found), read.target).toEqual([]);
    }
  }, 240_000);

  it('are all among those that are tried', () => {
    const unimplemented: readonly string[] = UNIMPLEMENTED;
    const lists = Object.entries(operations)
      .filter(([id, { list }]) => list && !unimplemented.includes(id) && !OF_CONTENT.test(id))
      .map(([id]) => id);
    const tried = largeLists(large).map(({ operation }) => operation);
    expect([...new Set(tried)].sort()).toEqual(lists.sort());
  });
});
