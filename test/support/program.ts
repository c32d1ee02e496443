import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, onTestFailed } from 'vitest';
import { copyMigrated, testEngine, testLocation } from './engines.ts';
import { TEMPORARY_FOLDER } from './temporary.ts';

/** The folder that commands are run in: the repository. */
export const ROOT = join(import.meta.dirname, '../..');

/** How a program ended. */
export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A program that runs as a process of its own. */
export interface Program {
  child: ChildProcessWithoutNullStreams;
  /** What it has written so far. */
  readonly output: { stdout: string; stderr: string };
  /** Resolves when it has ended and everything it wrote is there. */
  ended: Promise<Ended>;
  /** Waits until what it writes matches; fails where it ends before, or after `limit` milliseconds (60,000). */
  until(stream: 'stdout' | 'stderr', pattern: RegExp, limit?: number): Promise<RegExpExecArray>;
}

/**
 * Runs a program of the repository.
 *
 * @param environment the variables it gets; beside them only those that every program needs
 */
export function run(
  command: string,
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  cwd = ROOT,
): Program {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
  const env = { PATH, HOME, NODE_COMPILE_CACHE, ...environment };
  const child = spawn(command, parameters, { cwd, env });
  const output = { stdout: '', stderr: '' };
  const changed = new Set<() => void>();
  const tell = () => {
    for (const listener of changed) {
      listener();
    }
  };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      tell();
    });
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
  void ended.then(tell, tell);
  return {
    child,
    output,
    ended,
    until: (stream, pattern, limit = 60_000) =>
      new Promise((resolve, reject) => {
        const settle = (finish: () => void) => {
          clearTimeout(timer);
          changed.delete(look);
          finish();
        };
        const fail = (why: string) => () =>
          reject(new Error(`${why} ${pattern} came on ${stream}:\n${output.stdout}\n${output.stderr}`));
        const timer = setTimeout(() => settle(fail(`${limit / 1000} s passed before`)), limit);
        const look = () => {
          const match = pattern.exec(output[stream]);
          if (match) {
            settle(() => resolve(match));
          } else if (child.exitCode !== null || child.signalCode !== null) {
            settle(fail('The program ended before'));
          }
        };
        changed.add(look);
        look();
      }),
  };
}

/** Runs a program to its end. */
export async function finish(...given: Parameters<typeof run>): Promise<Ended & Program['output']> {
  const program = run(...given);
  program.child.stdin.end();
  const ended = await program.ended;
  return { ...ended, ...program.output };
}

/** A server in a process of its own. */
export interface ServerProgram extends Program {
  url: string;
  /** The token that it printed, where it was its first start. */
  token: string | undefined;
  /** Sends a signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

/** Starts the server, or another one like it, and waits until it says where it is. */
export async function runServer(
  environment: Readonly<Record<string, string>>,
  entry = 'server/main.ts',
): Promise<ServerProgram> {
  const program = run(process.execPath, [entry], { PORT: '0', ...environment });
  const [, url = ''] = await program.until('stdout', /^Documentation: (.*)\/docs$/m);
  return {
    ...program,
    url,
    token: /^ {2}token +(\S+)$/m.exec(program.output.stdout)?.[1],
    stop: async (signal = 'SIGTERM') => {
      program.child.kill(signal);
      return await program.ended;
    },
  };
}

/** An empty place for a server's data, on the engine of this run. */
export interface Place {
  /** The data folder. */
  folder: string;
  /** What a server and the commands need to be told. */
  environment: Record<string, string>;
  remove(): Promise<void>;
}

/** Makes a place. @param options.blank whether its database has no tables, so that the first server makes them */
export async function makePlace({ blank = false }: { blank?: boolean } = {}): Promise<Place> {
  const { location, remove } = await testLocation({ blank: blank || testEngine() === 'sqlite' });
  const folder = await mkdtemp(join(TEMPORARY_FOLDER, 'colophon-place-'));
  const data = join(folder, 'data');
  if (testEngine() === 'sqlite' && !blank) {
    await copyMigrated(data);
  }
  return {
    folder: data,
    environment: {
      COLOPHON_DATA: data,
      COLOPHON_OUTGOING_ALLOW: '127.0.0.0/8',
      ...('url' in location && {
        DATABASE_URL: location.url,
        COLOPHON_SECRET_KEY: 'a secret key of the tests, 32 characters or more',
      }),
    },
    remove: async () => {
      await remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A place of its own for each test of a file, and servers in it that end with the test. */
export interface TestPrograms {
  /** The place of the test that runs. */
  readonly place: Place;
  /** Starts a server in the place; what it logged is told when the test fails. */
  serve(environment?: Record<string, string>, entry?: string): Promise<ServerProgram>;
}

/**
 * Registers the hooks for {@link TestPrograms}; call it once, at the top of a file.
 *
 * @param options of {@link makePlace}
 */
export function eachTestItsPlace(options?: { blank?: boolean }): TestPrograms {
  let place: Place;
  const servers: ServerProgram[] = [];
  beforeEach(async () => {
    place = await makePlace(options);
  });
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop('SIGKILL')));
    await place.remove();
  });
  return {
    get place() {
      return place;
    },
    async serve(environment = {}, entry) {
      const server = await runServer({ ...place.environment, ...environment }, entry);
      servers.push(server);
      onTestFailed(() => console.error(server.output.stderr));
      return server;
    },
  };
}
