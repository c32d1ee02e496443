import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ClientOptions } from '../../client/client.ts';
import { createClient } from '../../client/platform/index.ts';
import type { Runtime } from '../../client/runtime.ts';

/** Request as received by the server. */
export interface ReceivedRequest {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
  /** Body as received. */
  bytes: Buffer;
}

/** Reaction of the server to one request: a status with headers and body, or a function that writes the response. */
export type Step =
  | { status: number; headers?: Record<string, string>; body?: unknown }
  | ((response: ServerResponse, received: ReceivedRequest) => void);

/** Server on loopback that runs the steps of a script in order and repeats the last one. */
export interface ScriptedServer extends AsyncDisposable {
  url: string;
  received: ReceivedRequest[];
}

/**
 * Starts a scripted server.
 * @param steps steps of the script; text bodies are sent unchanged, others as JSON
 */
export async function startScriptedServer(...steps: [Step, ...Step[]]): Promise<ScriptedServer> {
  const received: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk);
    }
    const { method = '', url = '', headers } = request;
    const bytes = Buffer.concat(chunks);
    const entry = { method, url, headers, body: bytes.toString(), bytes };
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

/** Runtime that records every wait. Waits shorter than `maxWaitMs` end immediately. */
export interface FakeRuntime extends Runtime {
  waits: number[];
}

/** @param maxWaitMs waits of this many milliseconds or more never end */
export function fakeRuntime(maxWaitMs = 30_000, now = Date.UTC(2030, 0, 1), random = 0): FakeRuntime {
  const waits: number[] = [];
  let uuids = 0;
  return {
    waits,
    now: () => now,
    random: () => random,
    uuid: () => `00000000-0000-4000-8000-${String(uuids++).padStart(12, '0')}`,
    after(milliseconds, run) {
      if (milliseconds >= maxWaitMs) {
        return () => {};
      }
      waits.push(milliseconds);
      const timer = setImmediate(run);
      return () => clearImmediate(timer);
    },
  };
}

/** Client of a scripted server with immediate waits. */
export function clientOf(server: ScriptedServer, options: Partial<ClientOptions> = {}) {
  return createClient({ baseUrl: server.url, token: 'clp_test', runtime: fakeRuntime(), ...options });
}

/** Returns the error that a promise rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('The call succeeded, but was expected to fail.');
}

/** Collects the items of an iterable. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) {
    all.push(item);
  }
  return all;
}
