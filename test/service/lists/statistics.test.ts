import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { engineOf } from '../../../server/database/engine.ts';
import { statementsOf } from '../../support/database/statements.ts';
import type { Wire } from '../../support/http/wire.ts';
import { largeLists } from '../../support/large/large-lists.ts';
import type { LargeOrganization } from '../../support/large/large-organization.ts';
import { startLargeServer } from '../../support/large/large-server.ts';
import type { TestServer } from '../../support/server.ts';

/** Rows of each kind. */
const COUNT = 100;

let server: TestServer;
let wire: Wire;
let large: LargeOrganization;
beforeAll(async () => {
  ({ server, wire, large } = await startLargeServer(COUNT));
});
afterAll(async () => {
  wire.close();
  await server.stop();
});

/** Returns the statements of the first page of a list, after a change that its cached counts depend on. */
async function firstStatements(operation: string, token: string): Promise<string[]> {
  const read = largeLists(large).find((list) => list.operation === operation && !list.filter);
  await server.database.query.updateTable('visibilityVersions').set({ value: sql`"value" + 1` }).execute();
  const { sql: statements } = await statementsOf(async () => {
    const { status } = await wire.send({ method: 'GET', target: read?.target ?? '', headers: {} }, token);
    expect(status).toBe(200);
  });
  return statements;
}

/** Returns the steps of the plan of a statement that look up rows of a table. */
async function searchesOf(statement: string, table: string): Promise<string[]> {
  const { rows } = await sql<{ detail: string }>`
    explain query plan select * from (${sql.raw(statement.replaceAll('?', "''"))})`.execute(
    server.database.query,
  );
  return rows.flatMap(({ detail }) => (detail.startsWith(`SEARCH ${table} `) ? [detail] : []));
}

/** Lets the planner of SQLite assume that a row has few others with the same first column of an index. */
async function misleadPlanner(): Promise<void> {
  const { query } = server.database;
  const run = async (statement: string) => await sql.raw(statement).execute(query);
  await run('analyze');
  await run(`update sqlite_stat1 set stat = '1000000 5 5 5 5 5 5 5'`);
  // Connections read the statistics with the schema.
  await run('create table "changed" ("id" text)');
  await run('drop table "changed"');
}

// Limited analysis also finds few rows if most organizations are small.
test('rows are looked up by each of several IDs, although a large organization seems small', async () => {
  const statements = [
    ...(await firstStatements('listSpaces', large.member.token)),
    ...(await firstStatements('listTeams', large.guest.token)),
  ];
  if (engineOf(server.database.query) === 'postgres') {
    return;
  }
  await misleadPlanner();
  for (const [pattern, table, condition] of [
    [/"grants"\."role" from/, 'grants', /target=\?/],
    [/as "spaces",.* as "collections"\s+from/s, 'rowCounts', /owner=\?/],
    [/"visible"/, 'grants', /(subject|target)=\?/],
  ] as const) {
    const tested = [...new Set(statements.filter((statement) => pattern.test(statement)))];
    expect(tested, table).not.toEqual([]);
    for (const statement of tested) {
      const searches = await searchesOf(statement, table);
      expect(searches, statement).not.toEqual([]);
      for (const search of searches) {
        expect.soft(search, statement).toMatch(condition);
      }
    }
  }
});
