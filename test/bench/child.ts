import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killTree } from '../support/processes/kill-tree.ts';
import type { Usage } from './children/channel.ts';
import { RUN_VARIABLE } from './processes.ts';

/** A measured server in a separate process. */
export interface Child {
  url: string;
  pid: number;
  /** Token that a service printed at its first start. */
  token: string;
  /** Address of the metrics that a service serves on request. */
  metricsUrl?: string | undefined;
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

/** A server in `children/`. */
export type ServerName = 'express' | 'contract' | 'fastify' | 'hono' | 'validator';

/** Starts one of the servers in `children/`. */
export async function startChild(
  name: ServerName,
  environment: Readonly<Record<string, string>> = {},
): Promise<Child> {
  const { child, log } = await forkMeasured(join(import.meta.dirname, 'children', `${name}.ts`), environment);
  const { url } = await nextMessage<{ url: string }>(child, log);
  return measured(child, { url, token: '' });
}

/**
 * Starts the service as `npm start` does.
 *
 * @param folder The repository, which may be a copy of another commit.
 */
export async function startServer(
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<Child> {
  const { child, log } = await forkMeasured(
    join(folder, 'server/main.ts'),
    { ...environment, COLOPHON_BENCH_MEASURED: '1' },
    ['--import', new URL('./children/measured.ts', import.meta.url).href],
  );
  const { promise, resolve, reject } = Promise.withResolvers<Child>();
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    const [, url] = /^Documentation: (.*)\/docs$/m.exec(text) ?? [];
    if (url !== undefined) {
      const [, token = ''] = /^ {2}token +(\S+)$/m.exec(text) ?? [];
      const [, metricsUrl] = /^Metrics: (\S+)$/m.exec(text) ?? [];
      resolve(measured(child, { url, token, metricsUrl }));
    }
  });
  child.once('exit', async () => reject(new Error(`A service did not start:\n${text}${await endOf(log)}`)));
  return await promise;
}

/** Returns the variables of this process that measured processes need; all others could change their behavior. */
export function inheritedVariables(): NodeJS.ProcessEnv {
  const names = [RUN_VARIABLE, 'PATH', 'NODE_COMPILE_CACHE', 'NODE_COMPILE_CACHE_PORTABLE', 'TMPDIR'];
  return Object.fromEntries(names.map((name) => [name, process.env[name]]));
}

/** Starts a module that reports its usage. Its log is written to a file. */
async function forkMeasured(
  module: string,
  environment: Readonly<Record<string, string>>,
  execArgv: readonly string[] = [],
): Promise<{ child: ChildProcess; log: string }> {
  const log = join(await mkdtemp(join(tmpdir(), 'log-')), 'log');
  const file = await open(log, 'w');
  const child = fork(module, {
    env: {
      ...inheritedVariables(),
      PORT: '0',
      NODE_ENV: 'production',
      ...environment,
    },
    execArgv: [...execArgv],
    stdio: ['ignore', 'pipe', file.fd, 'ipc'],
  });
  await file.close();
  return { child, log };
}

function measured(child: ChildProcess, addresses: Pick<Child, 'url' | 'token' | 'metricsUrl'>): Child {
  return {
    ...addresses,
    // A child that sent a message was started.
    pid: child.pid ?? 0,
    usage: async () => {
      child.send('usage');
      return await nextMessage<Usage>(child);
    },
    stop: () => killTree(child),
  };
}

/** Returns the next message of a process. Rejects if the process ends before, with the end of its log. */
export async function nextMessage<Message>(child: ChildProcess, log?: string): Promise<Message> {
  const over = new AbortController();
  const ended = once(child, 'exit', over).then(async () => {
    throw new Error(`A process of the benchmark ended by itself.\n${log ? await endOf(log) : ''}`);
  });
  ended.catch(() => undefined);
  // The children implement their interface.
  const [message] = (await Promise.race([once(child, 'message', over), ended])) as [Message];
  over.abort();
  return message;
}

/** Characters of the log of a failed process that are reported. */
const MAX_LOG_CHARACTERS = 2000;

async function endOf(log: string): Promise<string> {
  return (await readFile(log, 'utf8')).slice(-MAX_LOG_CHARACTERS);
}
