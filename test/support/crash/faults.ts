import { mkdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { vi } from 'vitest';
import type { DatabaseLocation } from '../../../server/database/database.ts';
import type { TestEngine } from '../engines.ts';
import { killTree } from '../kill-tree.ts';
import { hasOwnPostgres, startOwnPostgres } from '../own-postgres.ts';
import type { ServerProgram, TestPrograms } from '../program.ts';
import { createDisk, type Disk, findCompiler } from './disk/disk.ts';
import type { Ledger } from './ledger.ts';

/** What a fault may have to wait for, in milliseconds. */
const PATIENCE = { timeout: 60_000, interval: 20 };

/** Something that happens to a loaded server. Returns the server that runs and is ready afterwards. */
export interface Fault {
  name: string;
  strike(server: ServerProgram, ledger: Ledger): Promise<ServerProgram>;
}

/** Where a server has its data, and what can happen to it there. */
export interface FaultyPlace {
  environment: Record<string, string>;
  location: DatabaseLocation;
  faults: readonly Fault[];
  /** Once no server runs any more. */
  close(): Promise<void>;
}

/** Prepares the place of a test for all the faults that this machine can imitate. */
export function faultyPlace(engine: TestEngine, programs: TestPrograms): Promise<FaultyPlace> {
  const hasDisks = findCompiler() !== undefined;
  if (!hasDisks) {
    const missing = 'There is no C compiler for the disks of the crash rounds (Debian: tcc and libc6-dev)';
    if (process.env.CI === 'true') {
      throw new Error(`${missing}.`);
    }
    console.warn(`${missing}: power cuts and full disks are left out.`);
  }
  return engine === 'sqlite' ? onSqlite(programs, hasDisks) : onPostgres(programs, hasDisks);
}

async function onSqlite(programs: TestPrograms, hasDisks: boolean): Promise<FaultyPlace> {
  const { folder, environment: own } = programs.place;
  await mkdir(folder, { mode: 0o700 });
  const disk = hasDisks ? createDisk(folder) : undefined;
  const environment = { ...own, ...disk?.environment };
  const faults = [killed(programs, environment)];
  if (disk) {
    const power = async (server: ServerProgram) => {
      await killTree(server.child);
      cut(disk);
      return await programs.serve(environment);
    };
    faults.push({ name: 'power cut', strike: power }, full(disk));
  }
  return { environment, location: { folder }, faults, close: async () => disk?.remove() };
}

async function onPostgres(programs: TestPrograms, hasDisks: boolean): Promise<FaultyPlace> {
  if (!hasOwnPostgres()) {
    const { environment } = programs.place;
    console.warn('There is no PostgreSQL program on this machine: its server is left alone.');
    const location = { url: environment.DATABASE_URL ?? '' };
    return { environment, location, faults: [killed(programs, environment)], close: async () => {} };
  }
  let disk: Disk | undefined;
  const postgres = await startOwnPostgres((data) => {
    disk = hasDisks ? createDisk(data) : undefined;
    return disk?.environment ?? {};
  });
  const environment = { ...programs.place.environment, DATABASE_URL: postgres.url };
  const resume = async (server: ServerProgram) => {
    await postgres.server.resume();
    await untilReady(server);
    return server;
  };
  const halted = (name: string, how: 'immediate' | 'fast'): Fault => ({
    name,
    strike: async (server) => {
      await postgres.server.halt(how);
      return await resume(server);
    },
  });
  const faults = [
    killed(programs, environment),
    halted('database crash', 'immediate'),
    halted('database restart', 'fast'),
  ];
  if (disk) {
    const machine = disk;
    const power = async (server: ServerProgram) => {
      await postgres.server.kill();
      cut(machine);
      return await resume(server);
    };
    faults.push({ name: 'power cut', strike: power }, full(machine, postgres.server.resume));
  }
  const close = async () => {
    await postgres.close();
    disk?.remove();
  };
  return { environment, location: { url: postgres.url }, faults, close };
}

const killed = (programs: TestPrograms, environment: Record<string, string>): Fault => ({
  name: 'kill -9',
  strike: async (server) => {
    await server.stop('SIGKILL');
    return await programs.serve(environment);
  },
});

/** Half of the disks lose all that was not synced, the others any part of it. */
function cut(disk: Disk): void {
  disk.cut(Math.random, Math.random() < 0.5 ? 0 : Math.random());
}

/**
 * The disk is full for a while, and the server goes on by itself when it has space again.
 *
 * @param resume starts the database where it ended: PostgreSQL does where it has no space for its log
 */
const full = (disk: Disk, resume = async () => {}): Fault => ({
  name: 'full disk',
  strike: async (server, ledger) => {
    const before = ledger.full;
    disk.fill();
    try {
      await vi.waitUntil(() => ledger.full > before, PATIENCE);
      await vi.waitUntil(async () => (await readiness(server)) === 503, PATIENCE);
      await delay(Math.random() * 1000);
    } finally {
      disk.free();
    }
    await resume();
    await untilReady(server);
    const { size } = ledger.teams.created;
    await vi.waitUntil(() => ledger.teams.created.size > size, PATIENCE);
    return server;
  },
});

const readiness = async (server: ServerProgram) => (await fetch(`${server.url}/readyz`)).status;

const untilReady = (server: ServerProgram) =>
  vi.waitUntil(async () => (await readiness(server)) === 200, PATIENCE);
