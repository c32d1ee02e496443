/** What keeps the database from being sharded by organization: the lists of exceptions may only become shorter. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase, testEngine } from '../../../support/database/engines.ts';
import { CATALOG_EXCEPTIONS } from '../../../support/database/sharded/catalog-exceptions.ts';
import {
  catalogViolations,
  distributedTables,
  violationsOf,
} from '../../../support/database/sharded/rules.ts';
import { STATEMENT_EXCEPTIONS } from '../../../support/database/sharded/statement-exceptions.ts';

describe.runIf(testEngine() === 'postgres')('a database that is sharded by organization', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());

  test('would lack the constraints and triggers that are exceptions, and no others', async () => {
    const exceptions = Object.values(CATALOG_EXCEPTIONS).flatMap(({ violations }) => violations);
    expect(await catalogViolations(database.db.query)).toEqual(exceptions.toSorted());
  });

  test('would distribute all tables with data of organizations', async () => {
    const tables = await distributedTables(database.db.query);
    expect(tables.has('spaces') && tables.has('objects') && tables.has('auditEvents')).toBe(true);
    expect(tables.has('users')).toBe(false);
    const named = Object.values(STATEMENT_EXCEPTIONS)
      .flat()
      .flatMap((violation) => violation.match(/^all shards: \w+ (.*)/)?.[1]?.split(' ') ?? []);
    expect(named.filter((name) => !tables.has(name))).toEqual([]);
  });

  test.each([
    ['select * from "users" where "id" = $1', []],
    ['select * from "spaces" where "organization" = $1 and "id" = $2', []],
    ['select * from "spaces" where "spaces"."organization" in ($1, $2)', []],
    ['insert into "spaces" ("id", "organization") values ($1, $2)', []],
    ['select * from "spaces" where "id" = $1', ['all shards: select spaces']],
    [
      'select * from "sites" inner join "spaces" on "spaces"."organization" = "sites"."organization"',
      ['all shards: select sites spaces'],
    ],
    ['update "spaces" set "title" = $1 where "id" = $2', ['all shards: update spaces']],
    ['delete from "spaces" where "id" in (select "id" from "sites")', ['all shards: delete sites spaces']],
    ['select * from "spaces" where "organization" = $1 for update', ['row lock']],
    ['select pg_advisory_xact_lock(1)', ['advisory lock']],
    ['begin isolation level serializable', ['serializable']],
    [`select pg_notify('channel', $1)`, ['notification']],
  ])('would execute %s, with violations %j', (text, violations) => {
    expect(violationsOf(text, new Set(['sites', 'spaces']))).toEqual(violations);
  });
});
