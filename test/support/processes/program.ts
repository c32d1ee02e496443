import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, onTestFailed } from 'vitest';
import { copyMigrated, testEngine, testLocation } from '../database/engines.ts';
import { programEnvironment, SECRET_KEY } from '../environment.ts';
import { TEMPORARY_FOLDER } from './temporary.ts';

/** Root of the repository, where commands are run. */
export const ROOT = join(import.meta.dirname, '../../..');

/** How a program ended. */
export interface ExitStatus {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A program in a separate process. */
export interface Program {
  child: ChildProcessWithoutNullStreams;
  /** Output so far. */
  readonly output: { stdout: string; stderr: string };
  /** Resolves when it has ended and all of its output was read. */
  ended: Promise<ExitStatus>;
  /** Waits until its output matches. Rejects if it ends before, or after `limit` milliseconds (60,000). */
  until(stream: 'stdout' | 'stderr', pattern: RegExp, limit?: number): Promise<RegExpExecArray>;
}

/**
 * Runs a program of the repository.
 *
 * @param environment variables in addition to those that every program needs
 */
export function run(
  command: string,
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  cwd = ROOT,
): Program {
  const child = spawn(command, parameters, { cwd, env: { ...programEnvironment(), ...environment } });
  const output = { stdout: '', stderr: '' };
  const changed = new Set<() => void>();
  const notifyListeners = () => {
    for (const listener of changed) {
      listener();
    }
  };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      notifyListeners();
    });
  }
  const ended = new Promise<ExitStatus>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
  void ended.then(notifyListeners, notifyListeners);
  return {
    child,
    output,
    ended,
    until: (stream, pattern, limit = 60_000) =>
      new Promise((resolve, reject) => {
        const settle = (runToEnd: () => void) => {
          clearTimeout(timer);
          changed.delete(look);
          runToEnd();
        };
        const fail = (why: string) => () =>
          reject(new Error(`${why} ${pattern} appeared on ${stream}:\n${output.stdout}\n${output.stderr}`));
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

/** Runs a program to its end. Returns its exit status and output. */
export async function finish(...parameters: Parameters<typeof run>): Promise<ExitStatus & Program['output']> {
  const program = run(...parameters);
  program.child.stdin.end();
  const ended = await program.ended;
  return { ...ended, ...program.output };
}

/** The compiler that checks the types of the repository. */
export const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');

/** TypeScript 5, which projects that install the packages may use. */
export const OLDER_COMPILER = join(ROOT, 'node_modules/typescript5/bin/tsc');

/** Checks the types of a project with {@link COMPILER}, without npx, which takes as long as a small check. */
export async function checkTypes(config: string, cwd = ROOT): ReturnType<typeof finish> {
  return await finish(process.execPath, [COMPILER, '--checkers', '1', '-p', config], {}, cwd);
}

/** A server in a separate process. */
export interface ServerProgram extends Program {
  url: string;
  /** Token that it printed, if this was its first start. */
  token: string | undefined;
  /** Sends a signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<ExitStatus>;
}

/** Starts the server, or another entry like it, and waits until it prints its URL. */
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

/** An empty data folder and database for a server, on the engine of this run. */
export interface DataLocation {
  /** The data folder. */
  folder: string;
  /** Variables for servers and commands. */
  environment: Record<string, string>;
  remove(): Promise<void>;
}

/** Creates a location. @param options.blank whether its database has no tables, so that the first server creates them */
export async function createDataLocation({ blank = false }: { blank?: boolean } = {}): Promise<DataLocation> {
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
      // A test sends few kinds of requests; compiling the validators of all takes two seconds of a processor.
      COLOPHON_COMPILE_AHEAD: 'off',
      COLOPHON_OUTGOING_ALLOW: '127.0.0.0/8',
      ...('url' in location && {
        DATABASE_URL: location.url,
        COLOPHON_SECRET_KEY: SECRET_KEY,
      }),
    },
    remove: async () => {
      await remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A data location and servers in it. */
export interface TestPrograms {
  /** The data location. */
  readonly location: DataLocation;
  /** Starts a server in the location; its log is printed when a test fails. */
  serve(environment?: Record<string, string>, entry?: string): Promise<ServerProgram>;
}

/**
 * Registers the hooks for {@link TestPrograms}, at the top of a file or of a `describe` block: each test has a location
 * of its own, and its servers end with the test, or all tests share one.
 *
 * @param options.blank as for {@link createDataLocation}
 * @param options.shared whether the tests share the location, and servers end after the last test
 */
export function useTestPrograms({
  shared = false,
  ...options
}: {
  blank?: boolean;
  shared?: boolean;
} = {}): TestPrograms {
  let location: DataLocation;
  let servers: ServerProgram[] = [];
  const [before, after] = shared ? [beforeAll, afterAll] : [beforeEach, afterEach];
  before(async () => {
    location = await createDataLocation(options);
    servers = [];
  });
  beforeEach(() => {
    onTestFailed(() => {
      for (const { output } of servers) {
        console.error(output.stderr);
      }
    });
  });
  after(async () => {
    await Promise.all(servers.map((server) => server.stop('SIGKILL')));
    await location.remove();
  });
  return {
    get location() {
      return location;
    },
    async serve(environment = {}, entry) {
      const server = await runServer({ ...location.environment, ...environment }, entry);
      servers.push(server);
      return server;
    },
  };
}
