import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase, type Queries } from '../../../server/database/database.ts';
import {
  MAX_PREPARED_STATEMENTS,
  MIN_EXECUTIONS,
} from '../../../server/database/engines/prepared-statements.ts';
import { testEngine } from '../../support/database/engines.ts';
import {
  hasOwnPostgres,
  increment,
  type OwnPostgres,
  readCount,
  startOwnPostgres,
} from '../../support/database/own-postgres.ts';
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../../support/database/pgbouncer.ts';
import { administer } from '../../support/database/postgres.ts';
import { userRow } from './rows.ts';

/** Repeats some work sequentially. */
async function repeat(times: number, work: (index: number) => Promise<unknown>): Promise<void> {
  for (let index = 0; index < times; index++) {
    await work(index);
  }
}

/** Returns the statements that the connection of a transaction has prepared. */
async function preparedBy(queries: Queries): Promise<string[]> {
  const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(
    queries,
  );
  return rows.map(({ statement }) => statement);
}

const findUser = (queries: Queries, id: string) =>
  queries.selectFrom('users').selectAll().where('id', '=', id).execute();

const preparedReadsOfUsers = async (queries: Queries) =>
  (await preparedBy(queries)).filter((statement) => statement.includes('"users"'));

describe.runIf(testEngine() === 'postgres' && hasOwnPostgres())('prepared statements', () => {
  let own: OwnPostgres;
  let database: Database;

  beforeAll(async () => {
    own = await startOwnPostgres();
    database = await openDatabase({ url: own.server.url });
    await database.query.insertInto('users').values(userRow('usr_1')).execute();
  });
  afterAll(async () => {
    await database.close();
    await own.close();
  });

  test('are those that are executed repeatedly', async () => {
    await database.transaction(async (trx) => {
      await repeat(MIN_EXECUTIONS - 1, (index) => findUser(trx, `usr_${index}`));
      expect(await preparedReadsOfUsers(trx)).toEqual([]);
      await repeat(3, (index) => findUser(trx, `usr_${index}`));
      expect(await preparedReadsOfUsers(trx)).toHaveLength(1);
      expect(await findUser(trx, 'usr_1')).toHaveLength(1);
      expect(await findUser(trx, 'usr_other')).toEqual([]);
    });
  });

  test('are limited to the most recently used ones of a connection', async () => {
    const select = (queries: Queries, column: number) =>
      sql<{ value: number }>`select ${1}::int + ${sql.lit(column)} as value`.execute(queries);
    await database.transaction(async (trx) => {
      await repeat(MAX_PREPARED_STATEMENTS + 50, (column) =>
        repeat(MIN_EXECUTIONS, () => select(trx, column)),
      );
      const prepared = await preparedBy(trx);
      expect(prepared).toHaveLength(MAX_PREPARED_STATEMENTS);
      expect(
        prepared.some((statement) => statement.endsWith(` + ${MAX_PREPARED_STATEMENTS + 49} as value`)),
      ).toBe(true);
      const { rows } = await select(trx, 7);
      expect(rows).toEqual([{ value: 8 }]);
    });
  });

  test('are prepared again after another process has migrated the database', async () => {
    await repeat(MIN_EXECUTIONS * 10, () => findUser(database.query, 'usr_1'));
    await administer(own.server.url, `alter table users add column "ofNextRelease" text default 'new'`);
    expect(await findUser(database.query, 'usr_1')).toEqual([
      expect.objectContaining({ ofNextRelease: 'new' }),
    ]);
    await repeat(MIN_EXECUTIONS * 10, () => findUser(database.query, 'usr_1'));
    await administer(own.server.url, 'alter table users drop column "ofNextRelease"');
    let attempts = 0;
    const found = await database.transaction(async (trx) => {
      attempts += 1;
      return await findUser(trx, 'usr_1');
    });
    expect(found).toEqual([expect.not.objectContaining({ ofNextRelease: expect.anything() })]);
    expect(attempts).toBe(2);
  });

  describe.runIf(hasPgBouncer)('through PgBouncer in transaction mode', () => {
    let pooler: PgBouncer;
    let handles: Database[];

    beforeAll(async () => {
      pooler = await startPgBouncer(own.server, 3);
      const location = { url: pooler.url, preparesStatements: false };
      handles = await Promise.all([1, 2].map(() => openDatabase(location)));
    });
    afterAll(async () => {
      await Promise.all(handles.map((handle) => handle.close()));
      await pooler.close();
    });

    test('are not used if they are turned off', async () => {
      const rounds = 20;
      const all = Array.from({ length: rounds }, () => handles).flat();
      await Promise.all(all.map((handle) => increment(handle, 'pooled')));
      expect(await Promise.all(handles.map((handle) => readCount(handle, 'pooled')))).toEqual([
        all.length,
        all.length,
      ]);
      const found = await Promise.all(all.map((handle) => findUser(handle.query, 'usr_1')));
      expect(found.flat()).toHaveLength(all.length);
      const prepared = handles.map((handle) => handle.transaction(preparedBy));
      expect((await Promise.all(prepared)).flat()).toEqual([]);
    });
  });
});
