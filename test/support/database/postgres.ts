import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../../server/database/database.ts';
import { killTree } from '../processes/kill-tree.ts';
import { TEMPORARY_FOLDER } from '../processes/temporary.ts';

/*
 * The PostgreSQL server of a test run: the one that DATABASE_URL names, or one that is started here from installed
 * binaries, in a temporary folder, reachable only through a socket in that folder.
 */

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the server's maintenance database and name of the migrated database that tests copy. */
    postgres: { url: string; template: string };
  }
}

type Postgres = { url: string } | { binaries: string };

/** Returns the URL of a PostgreSQL server or the folder of its binaries, or undefined. */
export function findPostgres(environment: NodeJS.ProcessEnv = process.env): Postgres | undefined {
  if (environment.DATABASE_URL) {
    return { url: environment.DATABASE_URL };
  }
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...(environment.PATH ?? '').split(delimiter),
    ...versions.map((version) => join(debian, version, 'bin')),
  ];
  const binaries = folders.find((folder) =>
    ['postgres', 'initdb'].every((name) => folder && existsSync(join(folder, name))),
  );
  return binaries ? { binaries } : undefined;
}

/** Returns the URL of another database on the same server. */
export function withDatabase(url: string, name: string): string {
  // Not with URL: the URL of a socket has no host, which URL rejects together with a user name.
  return url.replace(/^(postgres(?:ql)?:\/\/[^/?]*)(?:\/[^?]*)?/, (_, server: string) => `${server}/${name}`);
}

/** Runs one statement on the server at `url`. */
export async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Vitest's global setup of the postgres project. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = findPostgres();
  if (!postgres) {
    throw new Error(
      'These tests require PostgreSQL. Install it (Debian: apt-get install postgresql), or name a server in DATABASE_URL.',
    );
  }
  const server =
    'url' in postgres ? { url: postgres.url, stop: async () => {} } : await start(postgres.binaries);
  try {
    const template = `colophon_test_${randomBytes(6).toString('hex')}`;
    // Servers in production may use the collation of a language, so the tests do too.
    const byLanguage = `template template0 locale_provider icu icu_locale 'en-US'`;
    await administer(server.url, `create database ${template} encoding 'UTF8' ${byLanguage}`);
    const migrated = await openDatabase({ url: withDatabase(server.url, template) });
    await migrated.close();
    project.provide('postgres', { url: server.url, template });
    return async () => {
      await administer(server.url, `drop database ${template} with (force)`);
      await server.stop();
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** A PostgreSQL server that the tests started. */
export interface Server {
  url: string;
  /** Path of its socket. */
  socket: string;
  /** ID of its first process; undefined if it does not run. */
  id(): number | undefined;
  /** Stops it with a mode of `pg_ctl stop`: `immediate` is a crash, `fast` ends running transactions. */
  halt(how: 'fast' | 'immediate'): Promise<void>;
  /** Kills all of its processes at once, as a power cut does. */
  kill(): Promise<void>;
  /** Restarts it if it does not run, and waits until it accepts connections. */
  resume(): Promise<void>;
  /** Stops it and deletes its data. */
  stop(): Promise<void>;
}

/** Settings that trade durability for speed. */
const NON_DURABLE_SETTINGS = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

/**
 * Starts a new server from the binaries in a folder.
 *
 * @param options.durable whether acknowledged writes survive a crash
 * @param options.primary the server to replicate, instead of an empty one
 * @param options.prepare called with its data folder before the first start; returns variables for its environment
 */
export async function start(
  binaries: string,
  options: {
    durable?: boolean;
    primary?: Server;
    prepare?: (data: string) => Record<string, string>;
  } = {},
): Promise<Server> {
  const folder = mkdtempSync(join(TEMPORARY_FOLDER, 'colophon-pg-'));
  const user = ordinaryUser();
  if (user) {
    chownSync(folder, user.uid, user.gid);
  }
  const data = join(folder, 'data');
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const [program, parameters] = options.primary
      ? ['pg_basebackup', ['-h', dirname(options.primary.socket), '-U', 'postgres', '-R', '-c', 'fast']]
      : ['initdb', ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--data-checksums']];
    // Beside the file that a link leads to.
    execFileSync(
      join(dirname(realpathSync(join(binaries, 'initdb'))), program),
      ['-D', data, ...parameters, '--no-sync'],
      {
        cwd: folder,
        ...user,
        stdio: 'pipe',
      },
    );
  } catch (error) {
    remove();
    throw error;
  }
  const settings = ['listen_addresses=', ...(options.durable ? [] : NON_DURABLE_SETTINGS)];
  const parameters = ['-D', data, '-k', folder, ...settings.flatMap((setting) => ['-c', setting])];
  const url = `postgres://postgres@/postgres?host=${encodeURIComponent(folder)}`;
  let running: ChildProcess | undefined;
  let env = process.env;
  const resume = async () => {
    if (running && running.exitCode === null && running.signalCode === null) {
      return;
    }
    running = await launch(join(binaries, 'postgres'), parameters, { cwd: folder, env, ...user }, url);
  };
  const end = async (how: (server: ChildProcess) => unknown) => {
    if (!running || running.exitCode !== null || running.signalCode !== null) {
      return;
    }
    const exited = once(running, 'exit');
    await how(running);
    await exited;
  };
  const halt = (signal: NodeJS.Signals) => end((server) => server.kill(signal));
  try {
    env = { ...env, ...options.prepare?.(data) };
    await resume();
  } catch (error) {
    remove();
    throw error;
  }
  return {
    url,
    socket: join(folder, '.s.PGSQL.5432'),
    id: () => running?.pid,
    halt: (how) => halt(how === 'fast' ? 'SIGINT' : 'SIGQUIT'),
    kill: () => end(killTree),
    resume,
    stop: async () => {
      await halt('SIGQUIT');
      remove();
    },
  };
}

/**
 * Starts a program and waits until a URL accepts connections.
 *
 * @throws Error with what the program printed, if it does not start
 */
export async function launch(
  program: string,
  parameters: string[],
  options: { cwd: string; env: NodeJS.ProcessEnv; uid?: number; gid?: number },
  url: string,
): Promise<ChildProcess> {
  const server = spawn(program, parameters, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  const lines: string[] = [];
  server.stderr.setEncoding('utf8').on('data', (text: string) => lines.push(text));
  const killAtExit = () => server.kill('SIGQUIT');
  process.once('exit', killAtExit);
  server.once('exit', () => process.removeListener('exit', killAtExit));
  try {
    await untilReady(url, server);
    return server;
  } catch (error) {
    server.kill('SIGQUIT');
    throw new Error(`${program} did not start for the tests:\n${lines.join('')}`, { cause: error });
  }
}

async function untilReady(url: string, server: ChildProcess): Promise<void> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    try {
      return await administer(url, 'select 1');
    } catch (error) {
      if (server.exitCode !== null || performance.now() > deadline) {
        throw error;
      }
      await delay(20);
    }
  }
}

/** Returns the user to run a database program as when this process is root, which it rejects; otherwise undefined. */
export function ordinaryUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) {
    return undefined;
  }
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (flag: string) =>
        Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' }));
      return { uid: id('-u'), gid: id('-g') };
    } catch {
      // No such user here: try the next.
    }
  }
  throw new Error(
    'PostgreSQL does not run as root, and there is neither a user postgres nor nobody to run it as. ' +
      'Run the tests as another user, or name a server in DATABASE_URL.',
  );
}
