// Runs on one engine: checkpoints of SQLite are tested.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { type Database, openDatabase } from '../../../server/database/database.ts';
import { type Checkpoints, MAX_LOG_PAGES } from '../../../server/database/engines/checkpoints.ts';
import { createSpace } from '../../support/content/imports.ts';
import { type TestLocation, testLocation } from '../../support/database/engines.ts';
import { startTestServer } from '../../support/server.ts';
import { userRow } from './rows.ts';

/** Pages of the write-ahead log: all, and those copied to the database file. */
interface LogSize {
  log: number;
  checkpointed: number;
}

const MEGABYTE = 'x'.repeat(1_000_000);
/** Approximate number of pages of a megabyte. */
const PAGES_PER_MEGABYTE = 240;

describe('SQLite checkpoints', () => {
  let location: TestLocation;
  let foreign: DatabaseSync;
  const opened: Database[] = [];
  let written = 0;

  beforeEach(async () => {
    // The log of a copied database would restart at the last checkpoint.
    location = await testLocation({ blank: true });
  });
  afterEach(async () => {
    foreign.close();
    await Promise.all(opened.splice(0).map((database) => database.close()));
    await location.remove();
  });

  const open = async (checkpoints: Checkpoints) => {
    const database = await openDatabase(location.location, { checkpoints });
    opened.push(database);
    foreign = new DatabaseSync(
      join('folder' in location.location ? location.location.folder : '', 'colophon.sqlite'),
    );
    return database;
  };
  const logSize = () => foreign.prepare('pragma wal_checkpoint(noop)').get() as unknown as LogSize;
  const write = async (database: Database, pages: number) => {
    for (let left = pages; left > 0; left -= PAGES_PER_MEGABYTE) {
      const row = { ...userRow(`usr_${++written}`), displayName: MEGABYTE };
      await database.query.insertInto('users').values(row).execute();
    }
  };

  test('run in the process itself if there is no other', async () => {
    await write(await open('own'), 2 * MAX_LOG_PAGES.own);
    // The log may have restarted after a checkpoint.
    const { log, checkpointed } = logSize();
    expect(log - checkpointed).toBeLessThan(2 * MAX_LOG_PAGES.own);
  });

  test('run for a server in the job process, in the background', async () => {
    await write(await open('fallback'), 3 * MAX_LOG_PAGES.own);
    expect(logSize().log).toBeGreaterThan(2 * MAX_LOG_PAGES.own);
    expect(logSize().checkpointed).toBe(0);
    await open('all');
    await vi.waitFor(() => expect(logSize().checkpointed).toBe(logSize().log), { timeout: 60_000 });
  });

  test('run in the server if the log becomes long', async () => {
    const limit = MAX_LOG_PAGES.fallback;
    const server = await open('fallback');
    await write(server, 3 * limit);
    expect(logSize().log).toBeLessThan(1.2 * limit);
  });
});

test('a server leaves checkpoints to its job process', async () => {
  const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
  const server = await startTestServer({}, 'forked');
  try {
    expect(exec).toHaveBeenCalledWith(`pragma wal_autocheckpoint = ${MAX_LOG_PAGES.fallback}`);
    const { client } = server.admin;
    const { id: spaceId } = await createSpace(server);
    const draft = client.POST('/v1/spaces/{spaceId}/change-requests', {
      params: { path: { spaceId } },
      body: {},
    });
    const { id: changeRequestId } = await ok(draft);
    const base64 = randomBytes(10_000_000).toString('base64');
    await ok(
      client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', {
        params: { path: { spaceId, changeRequestId } },
        body: { changes: [{ operation: 'insert_files', files: [{ name: 'a.bin', base64 }] }] },
      }),
    );
    const log = sql<LogSize>`pragma wal_checkpoint(noop)`;
    await vi.waitFor(
      async () => {
        const [size] = (await log.execute(server.database.query)).rows;
        expect(size?.checkpointed).toBeGreaterThan(MAX_LOG_PAGES.own);
      },
      { timeout: 60_000 },
    );
  } finally {
    exec.mockRestore();
    await server.stop();
  }
});
