import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import type { Usage } from './children/channel.ts';

/** A measured server in a separate process. */
export interface Child {
  url: string;
  pid: number;
  /** Token that a service printed at its first start. */
  token: string;
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

/** Starts one of the servers in `children/`. Its log is written, and discarded. */
export async function startChild(
  name: 'service' | 'express' | 'contract',
  environment: Readonly<Record<string, string>> = {},
): Promise<Child> {
  const child = fork(join(import.meta.dirname, 'children', `${name}.ts`), {
    env: { PATH: process.env.PATH, PORT: '0', NODE_ENV: 'production', ...environment },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const { url, token = '' } = await nextMessage<{ url: string; token?: string }>(child);
  return {
    url,
    // A child that sent a message was started.
    pid: child.pid ?? 0,
    token,
    usage: async () => {
      child.send('usage');
      return await nextMessage<Usage>(child);
    },
    stop: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** Returns the next message of a process. Rejects if the process ends before. */
export async function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  const over = new AbortController();
  const ended = once(child, 'exit', over).then(() => {
    throw new Error('A process of the benchmark ended by itself; start it by hand to see why.');
  });
  ended.catch(() => undefined);
  // The children implement their interface.
  const [message] = (await Promise.race([once(child, 'message', over), ended])) as [Message];
  over.abort();
  return message;
}

/** A request that the load repeats. */
export interface Load {
  method: 'GET' | 'POST';
  target: string;
  send?: object | undefined;
  token?: string | undefined;
}

/** Sends a request many times over keep-alive connections. Returns the microseconds of CPU per request. */
export async function cpuPerRequest(child: Child, load: Load, count = 1500): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  // Warms up the compiler.
  await sendMany(agent, child.url, load, 500);
  const before = await child.usage();
  await sendMany(agent, child.url, load, count);
  const after = await child.usage();
  agent.destroy();
  return (after.cpu - before.cpu) / count;
}

async function sendMany(agent: Agent, url: string, load: Load, count: number): Promise<void> {
  let left = count;
  const worker = async () => {
    while (left-- > 0) {
      await send(agent, url, load);
    }
  };
  // Creations at the end of one list take turns in the database: concurrent ones would measure that.
  await Promise.all(Array.from({ length: load.method === 'POST' ? 1 : 8 }, worker));
}

function send(agent: Agent, url: string, { method, target, send: body, token }: Load): Promise<void> {
  const text = body && JSON.stringify(body);
  const headers = {
    ...(token && { Authorization: `Bearer ${token}` }),
    ...(text && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${target}`, { method, agent, headers }, (response) => {
      response.resume().on('end', () => {
        if ((response.statusCode ?? 500) < 300) {
          resolve();
        } else {
          reject(new Error(`${method} ${target} returned ${response.statusCode}.`));
        }
      });
    });
    sent.on('error', reject).end(text);
  });
}
