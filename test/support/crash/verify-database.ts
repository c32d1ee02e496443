import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { expect } from 'vitest';
import type { DatabaseLocation } from '../../../server/database/database.ts';
import type { Ledger } from './ledger.ts';

/*
 * Reads the database next to the server and never writes: writes of this process would be missing from the record of
 * the disk (see disk/) and lost at the next power cut.
 */

/** Checks the integrity of the database, and that every team has its audit event. */
export async function verifyDatabase(location: DatabaseLocation, ledger: Ledger): Promise<void> {
  await withReader(location, async (read) => {
    await ('url' in location ? verifyPostgres(read) : verifySqlite(read));
    const teams = await read('select id, title from teams');
    const events = await read(`select resource from "auditEvents" where action = 'team.created'`);
    expect(events.map(({ resource }) => resource).sort()).toEqual(teams.map(({ id }) => id).sort());
    const { requested, created, rejected } = ledger.teams;
    const existing = new Set(teams.map(({ title }) => String(title)));
    expect(created.difference(existing)).toEqual(new Set());
    expect(existing.difference(requested)).toEqual(new Set());
    expect(existing.intersection(rejected)).toEqual(new Set());
  });
}

/** Returns the jobs that are not done, with their last error. */
export function unfinishedJobs(location: DatabaseLocation): Promise<Row[]> {
  return withReader(location, (read) =>
    read(`select kind, state, "lastError" from jobs where state <> 'done'`),
  );
}

type Row = Record<string, unknown>;
type Read = (sql: string) => Promise<Row[]>;

export async function withReader<Result>(
  location: DatabaseLocation,
  work: (read: Read) => Promise<Result>,
): Promise<Result> {
  if ('folder' in location) {
    const database = new DatabaseSync(join(location.folder, 'colophon.sqlite'), { readOnly: true });
    try {
      return await work(async (sql) => database.prepare(sql).all());
    } finally {
      database.close();
    }
  }
  const client = new pg.Client({ connectionString: location.url });
  await client.connect();
  try {
    return await work(async (sql) => (await client.query<Row>(sql)).rows);
  } finally {
    await client.end();
  }
}

async function verifySqlite(read: Read): Promise<void> {
  expect(await read('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  expect(await read('pragma foreign_key_check')).toEqual([]);
}

/** Reads all tables, so that PostgreSQL checks their checksums, and compares each index with its table. */
async function verifyPostgres(read: Read): Promise<void> {
  await read('create extension if not exists amcheck');
  await read(
    `select bt_index_check(index.oid, true)
     from pg_class as index join pg_am on pg_am.oid = index.relam
     where pg_am.amname = 'btree' and index.relkind = 'i' and index.relpersistence = 'p'`,
  );
}
