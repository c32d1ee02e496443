/** Streaming replicas execute reads, at the level of the database: `served-replicas` tests those of requests. */
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Database, openDatabase } from '../../../../server/database/database.ts';
import { selectRecentWrites } from '../../../../server/database/replicas/recent-writes.ts';
import type { Reader } from '../../../../server/database/replicas/replicas.ts';
import { followWrites } from '../../../../server/database/writes.ts';
import { testEngine } from '../../../support/database/engines.ts';
import {
  hasOwnPostgres,
  increment,
  type OwnPostgres,
  pauseReplay,
  type RecordedLog,
  type Replica,
  readCount,
  recordLog,
  resumeReplay,
  startOwnPostgres,
  startReplica,
} from '../../../support/database/own-postgres.ts';
import { administer } from '../../../support/database/postgres.ts';

describe.runIf(testEngine() === 'postgres' && hasOwnPostgres())('replicas', () => {
  let own: OwnPostgres;
  let replica: Replica;
  let log: RecordedLog;
  let database: Database;
  let name: string;
  let names = 0;

  beforeAll(async () => {
    own = await startOwnPostgres();
    await (await openDatabase({ url: own.server.url })).close();
    replica = await startReplica(own);
  });
  beforeEach(async () => {
    log = recordLog();
    names += 1;
    name = `count ${names}`;
    database = await openDatabase({ url: own.url }, { log, migrated: true, replicas: [replica.url] });
    await isUsed();
  });
  afterEach(async () => {
    replica.proxy.mode = 'pass';
    await replica.server.resume();
    await replica.proxy.listen();
    await resumeReplay(replica);
    await database.close();
  });
  afterAll(async () => {
    await replica.close();
    await own.close();
  });

  const reading = <T>(reader: Reader, work: () => Promise<T>): Promise<T> => {
    if (!database.replicas) {
      throw new Error('There is no replica.');
    }
    return database.replicas.reading(reader, work);
  };
  const readAs = (reader: Reader) => reading(reader, () => readCount(database, name));
  /** The user as the statement that authenticates a request selects it. */
  const callerOf = async (id: string): Promise<Reader> => {
    const { rows } = await sql<{ writes: string }>`
      select ${selectRecentWrites(sql.val(id))} as "writes"`.execute(database.query);
    return { id, recentWrites: rows[0]?.writes };
  };
  const writeAs = (caller: string) =>
    followWrites({ committed: false, caller }, () => increment(database, name));
  const countReads = async (work: () => Promise<unknown>) => {
    const before = database.load().reads ?? { primary: 0, replica: 0 };
    await work();
    const { primary, replica } = database.load().reads ?? { primary: 0, replica: 0 };
    return { primary: primary - before.primary, replica: replica - before.replica };
  };
  const isUsed = () =>
    vi.waitFor(async () => expect(await countReads(() => readAs({ id: 'usr' }))).toEqual(atReplica), {
      timeout: 30_000,
      interval: 50,
    });
  const servesCaller = (id: string, count: number) =>
    vi.waitFor(
      async () => {
        const caller = await callerOf(id);
        const counts = await countReads(async () => expect(await readAs(caller)).toBe(count));
        expect(counts).toEqual(atReplica);
      },
      { timeout: 30_000, interval: 50 },
    );
  const atReplica = { primary: 0, replica: 1 };
  const atPrimary = { primary: 1, replica: 0 };
  const warnings = () => log.lines.filter(({ message }) => message.includes('replica is'));

  test('execute the reads of a unit of work until it writes', async () => {
    const counts = await countReads(() =>
      reading({ id: 'usr' }, async () => {
        expect(await readCount(database, name)).toBe(0);
        await increment(database, name);
        expect(await readCount(database, name)).toBe(1);
      }),
    );
    expect(counts).toEqual({ primary: 1, replica: 1 });
    const single = await countReads(() =>
      reading({ id: 'usr' }, async () => {
        await database.query.updateTable('counters').set({ value: 7 }).where('name', '=', name).execute();
        expect(await readCount(database, name)).toBe(7);
      }),
    );
    expect(single).toEqual(atPrimary);
  });

  test('execute no read outside a unit of work, or after its end', async () => {
    expect(await countReads(() => readCount(database, name))).toEqual(atPrimary);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    let late: Promise<number> | undefined;
    await reading({ id: 'usr' }, async () => {
      late = ended.then(() => readCount(database, name));
    });
    expect(
      await countReads(async () => {
        end();
        await late;
      }),
    ).toEqual(atPrimary);
  });

  test('serve callers who have not written, while those who have read their own writes', async () => {
    await pauseReplay(replica);
    await writeAs('usr_writer');
    const writer = await callerOf('usr_writer');
    expect(await readAs(writer)).toBe(1);
    expect(await readAs(await callerOf('usr_other'))).toBe(0);
    await writeAs('usr_writer');
    expect(await readAs(await callerOf('usr_writer'))).toBe(2);
    await resumeReplay(replica);
    await servesCaller('usr_writer', 2);
  });

  test('serve no caller of a transaction that commits after a later one', async () => {
    const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>();
    const writes = { committed: false, caller: 'usr_slow' };
    const slow = followWrites(writes, () =>
      database.transaction(async (trx) => {
        await trx.insertInto('counters').values({ organization: 'org_2', name, value: 1 }).execute();
        await mayCommit;
      }),
    );
    await writeAs('usr_slow');
    await servesCaller('usr_slow', 1);
    await pauseReplay(replica);
    commit();
    await slow;
    const found = await reading(await callerOf('usr_slow'), () =>
      database.query.selectFrom('counters').selectAll().where('name', '=', name).execute(),
    );
    expect(found).toHaveLength(2);
  });

  test('are not used while they lag too far behind', async () => {
    await pauseReplay(replica);
    await writeAs('usr_writer');
    await vi.waitFor(async () => expect(await readAs({ id: 'usr' })).toBe(1), {
      timeout: 30_000,
      interval: 100,
    });
    await resumeReplay(replica);
    await isUsed();
    expect(warnings()).toEqual([
      expect.objectContaining({ level: 'warn', reason: 'lagging' }),
      { level: 'info', message: 'the replica is used again' },
    ]);
  });

  test.each(['crashes', 'is silent', 'refuses connections'])(
    'that %s is not used until it returns',
    async (how) => {
      await writeAs('usr_writer');
      if (how === 'crashes') {
        await replica.server.halt('immediate');
      } else if (how === 'is silent') {
        replica.proxy.mode = 'silent';
      } else {
        await replica.proxy.refuse();
      }
      const reads = Array.from({ length: 20 }, () => readAs({ id: 'usr' }));
      expect(await Promise.all(reads)).toEqual(reads.map(() => 1));
      expect(await countReads(() => readAs({ id: 'usr' }))).toEqual(atPrimary);
      expect(warnings()).toEqual([expect.objectContaining({ level: 'warn', reason: 'unreachable' })]);
      replica.proxy.mode = 'pass';
      await replica.server.resume();
      await replica.proxy.listen();
      await isUsed();
      expect(warnings().at(-1)).toEqual({ level: 'info', message: 'the replica is used again' });
    },
  );

  test('leave a read to the primary that conflicts with the replay', async () => {
    const slow = reading({ id: 'usr' }, () => sql`select pg_sleep(1)`.execute(database.query));
    await vi.waitFor(
      () =>
        administer(
          replica.server.url,
          `select 1 / count(pg_terminate_backend(pid)) from pg_stat_activity where query like '%pg_sleep(1)' and state = 'active'`,
        ),
      { timeout: 10_000, interval: 20 },
    );
    await slow;
    await isUsed();
  });

  test('know the writes in a database of an earlier release', async () => {
    await administer(
      own.server.url,
      `drop table transaction_outcomes; create table transaction_outcomes
         (token text primary key, committed boolean not null, at timestamptz not null default now())`,
    );
    await Promise.all([1, 2, 3].map(async () => (await openDatabase({ url: own.server.url })).close()));
    await writeAs('usr_upgraded');
    expect((await callerOf('usr_upgraded')).recentWrites).toMatch(/ 1 \d+$/);
  });

  test('are no servers that are primaries themselves', async () => {
    const options = { log, migrated: true, replicas: [own.server.url] };
    const misled = await openDatabase({ url: own.server.url }, options);
    await vi.waitFor(
      () => expect(warnings().at(-1)).toMatchObject({ reason: 'not a replica of the primary' }),
      { timeout: 10_000 },
    );
    await misled.replicas?.reading({ id: 'usr' }, () => readCount(misled, name));
    expect(misled.load().reads).toEqual(atPrimary);
    await misled.close();
  });
});
