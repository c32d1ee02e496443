import { mkdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { vi } from 'vitest';
import type { DatabaseLocation } from '../../../server/database/database.ts';
import type { TestEngine } from '../database/engines.ts';
import { hasOwnPostgres, startOwnPostgres } from '../database/own-postgres.ts';
import { killTree } from '../processes/kill-tree.ts';
import type { ServerProgram, TestPrograms } from '../processes/program.ts';
import { createDisk, type Disk, findCompiler } from './disk/disk.ts';
import type { Ledger } from './ledger.ts';

/** Deadline and interval of polls, in milliseconds. */
const WAIT_OPTIONS = { timeout: 60_000, interval: 20 };

/** A failure that is injected into a loaded server. Returns the server that is ready afterwards. */
export interface Fault {
  name: string;
  /** Whether the server keeps running, so that every request gets a response. */
  keepsServer: boolean;
  inject(server: ServerProgram, ledger: Ledger): Promise<ServerProgram>;
}

/** The data of a server and the failures that can be injected. */
export interface FaultTarget {
  environment: Record<string, string>;
  location: DatabaseLocation;
  faults: readonly Fault[];
  /** Call it when no server runs any more. */
  close(): Promise<void>;
}

/** The load of many rounds, and the reads that verify it, exceed the limit of requests of a caller. */
const UNLIMITED: Record<string, string> = { COLOPHON_RATE_LIMIT: 'off' };

/** Prepares the data location of a test for all faults that this machine can imitate. */
export function createFaultTarget(engine: TestEngine, programs: TestPrograms): Promise<FaultTarget> {
  const hasDisks = findCompiler() !== undefined;
  if (!hasDisks) {
    const missing = 'There is no C compiler for the disks of the crash rounds (Debian: tcc and libc6-dev)';
    if (process.env.CI === 'true') {
      throw new Error(`${missing}.`);
    }
    console.warn(`${missing}: power cuts and full disks are skipped.`);
  }
  return engine === 'sqlite' ? onSqlite(programs, hasDisks) : onPostgres(programs, hasDisks);
}

async function onSqlite(programs: TestPrograms, hasDisks: boolean): Promise<FaultTarget> {
  const { folder, environment: own } = programs.location;
  await mkdir(folder, { mode: 0o700 });
  const disk = hasDisks ? createDisk(folder) : undefined;
  const environment = { ...own, ...UNLIMITED, ...disk?.environment };
  const faults = [killed(programs, environment)];
  if (disk) {
    const power = async (server: ServerProgram) => {
      await killTree(server.child);
      cut(disk);
      return await programs.serve(environment);
    };
    faults.push({ name: 'power cut', keepsServer: false, inject: power }, full(disk));
  }
  return { environment, location: { folder }, faults, close: async () => disk?.remove() };
}

async function onPostgres(programs: TestPrograms, hasDisks: boolean): Promise<FaultTarget> {
  if (!hasOwnPostgres()) {
    const environment = { ...programs.location.environment, ...UNLIMITED };
    console.warn('PostgreSQL is not installed on this machine: faults of its server are skipped.');
    const location = { url: environment.DATABASE_URL ?? '' };
    return { environment, location, faults: [killed(programs, environment)], close: async () => {} };
  }
  let disk: Disk | undefined;
  const postgres = await startOwnPostgres((data) => {
    disk = hasDisks ? createDisk(data) : undefined;
    return disk?.environment ?? {};
  });
  const environment = { ...programs.location.environment, ...UNLIMITED, DATABASE_URL: postgres.url };
  const resume = async (server: ServerProgram) => {
    await postgres.server.resume();
    await untilReady(server);
    return server;
  };
  const halted = (name: string, how: 'immediate' | 'fast'): Fault => ({
    name,
    keepsServer: true,
    inject: async (server) => {
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
    faults.push(
      { name: 'power cut', keepsServer: true, inject: power },
      full(machine, postgres.server.resume),
    );
  }
  const close = async () => {
    await postgres.close();
    disk?.remove();
  };
  return { environment, location: { url: postgres.url }, faults, close };
}

const killed = (programs: TestPrograms, environment: Record<string, string>): Fault => ({
  name: 'kill -9',
  keepsServer: false,
  inject: async (server) => {
    await server.stop('SIGKILL');
    return await programs.serve(environment);
  },
});

/** Half of the cuts lose all unsynced data, the others a random part of it. */
function cut(disk: Disk): void {
  disk.cut(Math.random, Math.random() < 0.5 ? 0 : Math.random());
}

/**
 * The disk is full for a while, and the server recovers by itself when there is space again.
 *
 * @param resume restarts the database if it ended: PostgreSQL ends without space for its log
 */
const full = (disk: Disk, resume = async () => {}): Fault => ({
  name: 'full disk',
  keepsServer: true,
  inject: async (server, ledger) => {
    const before = ledger.fullDiskResponses;
    disk.fill();
    try {
      await vi.waitUntil(() => ledger.fullDiskResponses > before, WAIT_OPTIONS);
      await vi.waitUntil(async () => (await readiness(server)) === 503, WAIT_OPTIONS);
      await delay(Math.random() * 1000);
    } finally {
      disk.free();
    }
    await resume();
    await untilReady(server);
    const { size } = ledger.teams.created;
    await vi.waitUntil(() => ledger.teams.created.size > size, WAIT_OPTIONS);
    return server;
  },
});

const readiness = async (server: ServerProgram) => (await fetch(`${server.url}/readyz`)).status;

const untilReady = (server: ServerProgram) =>
  vi.waitUntil(async () => (await readiness(server)) === 200, WAIT_OPTIONS);
