import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ClientOptions } from '../../client/client.ts';
import { createClient } from '../../client/index.ts';
import type { Runtime } from '../../client/runtime.ts';

/** One request as the server received it. */
export interface Received {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** What the server does with one request: a status with headers and body, or the socket in its own hands. */
export type Step =
  | { status: number; headers?: Record<string, string>; body?: unknown }
  | ((response: ServerResponse, received: Received) => void);

/** A server on loopback that answers the steps of a script in order, the last one for ever. */
export interface ScriptedServer extends AsyncDisposable {
  url: string;
  received: Received[];
}

/**
 * Starts a scripted server.
 * @param steps what it answers; text bodies go out as they are, others as JSON
 */
export async function startScriptedServer(...steps: [Step, ...Step[]]): Promise<ScriptedServer> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk);
    }
    const { method = '', url = '', headers } = request;
    const entry = { method, url, headers, body: Buffer.concat(chunks).toString() };
    received.push(entry);
    const step = steps[Math.min(received.length, steps.length) - 1] ?? steps[0];
    if (typeof step === 'function') {
      step(response, entry);
      return;
    }
    const text =
      typeof step.body === 'string' ? step.body : step.body === undefined ? '' : JSON.stringify(step.body);
    response.writeHead(step.status, { 'content-type': 'application/json', ...step.headers }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // A server that listens on a port has an address with a port.
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A runtime whose time passes as told: it records every wait, and lets those of less than `patience` pass at once. */
export interface ToldTime extends Runtime {
  waits: number[];
}

/** @param patience waits of this many milliseconds or more never end */
export function toldTime(patience = 30_000, now = Date.UTC(2030, 0, 1), random = 0): ToldTime {
  const waits: number[] = [];
  return {
    waits,
    now: () => now,
    random: () => random,
    after(milliseconds, run) {
      if (milliseconds >= patience) {
        return () => {};
      }
      waits.push(milliseconds);
      const timer = setImmediate(run);
      return () => clearImmediate(timer);
    },
  };
}

/** A client of a scripted server that waits for nothing. */
export function clientOf(server: ScriptedServer, options: Partial<ClientOptions> = {}) {
  return createClient({ baseUrl: server.url, token: 'clp_test', runtime: toldTime(), ...options });
}

/** What a promise rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('The call was expected to fail, and succeeded.');
}

/** Everything that an iterable yields. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) {
    all.push(item);
  }
  return all;
}
