import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { type Database, type DatabaseLocation, openDatabase } from '../../server/database/database.ts';
import type { Log } from '../../server/database/log.ts';
import { administer, withDatabase } from './postgres.ts';

/** The engine that this run of the service suite is on. */
export type TestEngine = 'sqlite' | 'postgres';

export function testEngine(): TestEngine {
  return process.env.COLOPHON_TEST_ENGINE === 'postgres' ? 'postgres' : 'sqlite';
}

/** An empty place for a database of its own; `openDatabase` and a whole server take its `location`. */
export interface TestLocation {
  location: DatabaseLocation;
  /** Deletes it; whoever has it open is cut off. */
  remove(): Promise<void>;
}

/** `blank`: without the tables that PostgreSQL's databases are otherwise copied with. */
export async function testLocation(options: { blank?: boolean } = {}): Promise<TestLocation> {
  if (testEngine() === 'sqlite') {
    const folder = await mkdtemp(join(tmpdir(), 'colophon-sqlite-'));
    return { location: { folder }, remove: () => rm(folder, { recursive: true, force: true }) };
  }
  const { url, template } = inject('postgres');
  const name = `${template}_${randomBytes(6).toString('hex')}`;
  await administer(url, `create database ${name} template ${options.blank ? 'template0' : template}`);
  return {
    location: { url: withDatabase(url, name) },
    remove: () => administer(url, `drop database if exists ${name} with (force)`),
  };
}

/** An open database of its own, migrated and empty, on the engine of this run. */
export interface TestDatabase {
  db: Database;
  location: DatabaseLocation;
  /** Closes and deletes it. */
  close(): Promise<void>;
}

/**
 * Opens a database of its own for a test file.
 *
 * @example
 * let test: TestDatabase
 * beforeAll(async () => { test = await openTestDatabase() })
 * afterAll(() => test.close())
 */
export async function openTestDatabase(options: { log?: Log } = {}): Promise<TestDatabase> {
  const { location, remove } = await testLocation();
  const db = await openDatabase(location, options);
  return {
    db,
    location,
    close: async () => {
      await db.close();
      await remove();
    },
  };
}
