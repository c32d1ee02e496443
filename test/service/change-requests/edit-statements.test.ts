import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { addPages, type Branch, createBranch } from '../../support/content/branch-pages.ts';
import { statementsOf } from '../../support/database/statements.ts';
import { untilJobsEnd } from '../../support/jobs.ts';
import { type Person, startTestServer, type TestServer } from '../../support/server.ts';

/** Maximum statements of a page insert, including those that begin and end its transaction. */
const MAX_INSERT_STATEMENTS = { admin: 12, member: 14 };
/** Maximum statements of a merge. */
const MAX_MERGE_STATEMENTS = { admin: 16, member: 18 };

/**
 * What is read before the transaction, to reject the caller and to plan the change, and again in the transaction, since
 * it may have changed: the space with the membership of the caller, the grants on it, and the change request.
 */
const READ_TWICE = [/^select "spaces"\.\*/, /^select "changeRequests"\.\*/, /from "grants"|join "grants"/];

let server: TestServer;
let people: Record<keyof typeof MAX_INSERT_STATEMENTS, Person>;

beforeAll(async () => {
  server = await startTestServer();
  people = { admin: server.admin, member: await server.member('Member', 'review') };
});
afterAll(() => server.stop());

/** Creates a change request with pages that the caller added, on a space whose jobs have ended. */
async function prepare({ client }: Person): Promise<Branch> {
  const branch = await createBranch(server.admin, server.organization);
  await addPages({ ...branch, client }, ['First', 'Second']);
  await untilJobsEnd(server.database, server.organization);
  return branch;
}

/** Returns the statements of a request with one transaction: those before it, and its own. Jobs begin after it. */
async function statementsOfWrite(work: () => Promise<unknown>): Promise<[string[], string[]]> {
  const { sql, parameters } = await statementsOf(work);
  const begin = sql.findIndex((text) => text.startsWith('begin'));
  const commit = sql.findIndex((text) => /\bcommit$/.test(text));
  expect([begin, commit], sql.join('\n')).not.toContain(-1);
  const statements = sql.map((text, at) => `${text.trim()} ${JSON.stringify(parameters[at])}`);
  return [statements.slice(0, begin), statements.slice(begin, commit + 1)];
}

const repeated = (statements: readonly string[]): string[] =>
  statements.filter((statement, at) => statements.indexOf(statement) !== at);

/** Asserts the number of statements, and that none repeats except those that the transaction reads again. */
function expectOnce([before, inside]: [string[], string[]], limit: number): void {
  const all = [...before, ...inside];
  expect(all.length, all.join('\n')).toBeLessThanOrEqual(limit);
  expect(repeated(before)).toEqual([]);
  expect(repeated(inside)).toEqual([]);
  const unexpected = repeated(all).filter((statement) => !READ_TWICE.some((read) => read.test(statement)));
  expect(unexpected).toEqual([]);
}

describe.each(['admin', 'member'] as const)(
  'the branch is authorized once before its transaction, for %s:',
  (caller) => {
    test('an insert of a page', async () => {
      const branch = await prepare(people[caller]);
      const statements = await statementsOfWrite(() =>
        ok(
          people[caller].client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', {
            params: { path: branch },
            body: {
              changes: [{ operation: 'insert_page', title: 'Third', document: { markdown: 'Third' } }],
            },
          }),
        ),
      );
      expectOnce(statements, MAX_INSERT_STATEMENTS[caller]);
    });

    test('a merge of a change request', async () => {
      const branch = await prepare(people[caller]);
      const statements = await statementsOfWrite(() =>
        ok(
          people[caller].client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge', {
            params: { path: branch },
          }),
        ),
      );
      expectOnce(statements, MAX_MERGE_STATEMENTS[caller]);
    });
  },
);
