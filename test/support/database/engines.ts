import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { type Database, type DatabaseLocation, openDatabase } from '../../../server/database/database.ts';
import { WAITING_TRANSACTION } from '../../../server/database/engines/open-transaction.ts';
import { Searches } from '../../../server/database/search/searches.ts';
import { TEMPORARY_FOLDER } from '../processes/temporary.ts';
import { administer, withDatabase } from './postgres.ts';
// Declares what `inject` returns for it.
import type {} from './sqlite.ts';

/** Engine of this run of the service suite. */
export type TestEngine = 'sqlite' | 'postgres';

export function testEngine(): TestEngine {
  return process.env.COLOPHON_TEST_ENGINE === 'postgres' ? 'postgres' : 'sqlite';
}

/**
 * Whether this run includes the tests that do not depend on the engine: `test.runIf(isFirstEngine)`. Each statement of
 * the server needs a test on both engines (see the README of the tests).
 */
export const isFirstEngine = testEngine() === 'sqlite';

/** An empty database; `openDatabase` and a whole server accept its `location`. */
export interface TestLocation {
  location: DatabaseLocation;
  /** Deletes it and ends its open connections. */
  remove(): Promise<void>;
}

/** @param options.blank whether the database has no tables; otherwise it is a copy of a migrated one */
export async function testLocation(options: { blank?: boolean } = {}): Promise<TestLocation> {
  if (testEngine() === 'sqlite') {
    const folder = await mkdtemp(join(TEMPORARY_FOLDER, 'colophon-sqlite-'));
    if (!options.blank) {
      await copyMigrated(folder);
    }
    return { location: { folder }, remove: () => rm(folder, { recursive: true, force: true }) };
  }
  const { url, template } = inject('postgres');
  const name = `${template}_${randomBytes(6).toString('hex')}`;
  // Copying its files takes half of the CPU time of copying through the write-ahead log, the default.
  const copy = `template ${options.blank ? 'template0' : template} strategy file_copy`;
  await administer(url, `create database ${name} ${copy}`);
  return {
    location: { url: withDatabase(url, name) },
    remove: () => administer(url, `drop database if exists ${name} with (force)`),
  };
}

/** Copies the migrated SQLite database of the run to a folder. Guides have none, and their servers migrate. */
export async function copyMigrated(folder: string): Promise<void> {
  // Not provided outside the project.
  const provided: { template: string } | undefined = inject('sqlite');
  if (provided) {
    await cp(provided.template, folder, { recursive: true });
  }
}

/** An open, migrated, empty database on the engine of this run. */
export interface TestDatabase {
  db: Database;
  searches: Searches;
  location: DatabaseLocation;
  /** Closes and deletes it. Rejects if a transaction awaited something other than the database. */
  close(): Promise<void>;
}

/**
 * Opens a new database for a test file.
 *
 * @param options.mayWait whether transactions of the test may wait
 *
 * @example
 * let test: TestDatabase
 * beforeAll(async () => { test = await openTestDatabase() })
 * afterAll(() => test.close())
 */
export async function openTestDatabase(options: { mayWait?: boolean } = {}): Promise<TestDatabase> {
  const { location, remove } = await testLocation();
  const waits: string[] = [];
  const note = (details: object, message: string) => {
    if (message === WAITING_TRANSACTION && !options.mayWait) {
      waits.push(JSON.stringify(details));
    }
  };
  const log = { debug() {}, info() {}, warn() {}, error: note };
  const db = await openDatabase(location, { log });
  const searches = new Searches({ database: db, log });
  return {
    db,
    searches,
    location,
    close: async () => {
      await searches.close();
      await db.close();
      await remove();
      assertNoWaits(waits);
    },
  };
}

/** @throws Error if a transaction was logged that awaited something other than the database */
export function assertNoWaits(waits: readonly string[]): void {
  if (waits.length > 0) {
    throw new Error(`${waits.length} times ${WAITING_TRANSACTION}:\n${[...new Set(waits)].join('\n')}`);
  }
}
