import { open } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { engineOf } from '../../../server/database/engine.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

/* A caller must not repeat requests that cannot succeed until the database is restored. */

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** Damages the stored audit events: their pages on SQLite, or their reads on PostgreSQL as it reports damaged pages. */
async function damage(): Promise<void> {
  const { query, threadAccess } = server.database;
  if (engineOf(query) === 'postgres') {
    await sql`create function damaged() returns boolean language plpgsql as $$
      begin raise exception 'invalid page in block 0' using errcode = 'data_corrupted'; end $$`.execute(
      query,
    );
    await sql`alter table "auditEvents" rename to "damagedEvents"`.execute(query);
    await sql`create view "auditEvents" as select * from "damagedEvents" where damaged()`.execute(query);
    return;
  }
  await sql`pragma wal_checkpoint(truncate)`.execute(query);
  const { rows } = await sql<{ rootpage: number }>`
    select rootpage from sqlite_master where tbl_name = 'auditEvents' and rootpage > 0`.execute(query);
  const file = await open(threadAccess.file ?? '', 'r+');
  for (const { rootpage } of rows) {
    await file.write(Buffer.alloc(4096, 0xff), 0, 4096, (rootpage - 1) * 4096);
  }
  await file.close();
}

test('a request for corrupt data fails without asking to retry it, and others succeed', async () => {
  await damage();
  const params = { path: { organizationId: server.organization } };
  const { client } = server.admin;
  const { response, error } = await client.GET('/v1/orgs/{organizationId}/audit-events', { params });
  expect(response.status).toBe(500);
  expect(response.headers.get('Retry-After')).toBeNull();
  expect(error).toMatchObject({
    reason: 'internal',
    message: 'The database is corrupt. Nothing was written. Its operator must restore it from a backup.',
  });
  expect((await client.GET('/v1/orgs/{organizationId}', { params })).response.status).toBe(200);
});
