import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Agent, type Dispatcher, request } from 'undici';
import type { AllowedRanges, Lookup } from '../outgoing/addresses.ts';
import { requireFetchable } from '../outgoing/fetch.ts';
import { upTo } from '../outgoing/fetch-body.ts';
import { outgoingErrorIn } from '../outgoing/fetch-errors.ts';
import { createGuardedAgent } from '../outgoing/guarded-agent.ts';
import {
  MAX_SCRIPT_REQUEST_BYTES,
  MAX_SCRIPT_REQUESTS,
  MAX_SCRIPT_REQUESTS_PER_MINUTE,
  MAX_SCRIPT_RESPONSE_BYTES,
  SCRIPT_REQUEST_MS,
} from './limits.ts';

/** What scripts can connect to. */
export interface ProxyOptions {
  /** Non-public addresses that are allowed. */
  allow: AllowedRanges;
  /** Origin of this service, which scripts can always connect to. */
  ownOrigin: string;
  /** Replaces the system's resolver. */
  lookup?: Lookup | undefined;
}

/** Agents of one proxy, so that no script uses up the connections of another. */
class ProxyAgents {
  readonly #options: ProxyOptions;
  readonly #guarded: Agent;
  readonly #own = new Agent({ allowH2: false, connections: 8 });

  constructor(options: ProxyOptions) {
    this.#options = options;
    this.#guarded = createGuardedAgent(options.allow, options.lookup);
  }

  /**
   * Returns a URL with the agent for it.
   *
   * @throws OutgoingError if scripts must not connect to it
   */
  resolve(address: string): { url: URL; agent: Agent } {
    const url = URL.parse(address);
    return url?.origin === this.#options.ownOrigin
      ? { url, agent: this.#own }
      : { url: requireFetchable(address, this.#options.allow), agent: this.#guarded };
  }

  async close(): Promise<void> {
    await Promise.all([this.#guarded.destroy(), this.#own.destroy()]);
  }
}

/** Headers of a connection, not of a message (RFC 9110, section 7.6.1), and those that a proxy of the operator sets. */
const DROPPED_HEADERS = new Set([
  'connection',
  'expect',
  'forwarded',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
]);

/**
 * Starts the proxy of one script on a socket: its only way out. Redirects are responses, which the script follows with
 * another request. Nothing else than HTTP requests passes.
 */
export async function startProxy(socket: string, options: ProxyOptions): Promise<Server> {
  const agents = new ProxyAgents(options);
  let active = 0;
  let requests = 0;
  let windowStart = performance.now();
  const server = createServer({ requireHostHeader: false }, (received, response) => {
    const now = performance.now();
    if (now - windowStart >= 60_000) {
      windowStart = now;
      requests = 0;
    }
    requests += 1;
    if (active >= MAX_SCRIPT_REQUESTS || requests > MAX_SCRIPT_REQUESTS_PER_MINUTE) {
      refuse(response, 429, 'The script sends too many requests.');
      return;
    }
    active += 1;
    forward(received, response, agents)
      .catch(() => {
        // The script sees that the connection ended: it cannot tell a failure from a response otherwise.
        response.destroy();
      })
      .finally(() => {
        active -= 1;
      });
  });
  server.on('connect', (_request, connection) => {
    connection.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
  });
  server.on('upgrade', (_request, connection) => connection.destroy());
  server.on('close', () => void agents.close());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(socket, resolve);
  });
  return server;
}

async function forward(
  received: IncomingMessage,
  response: ServerResponse,
  agents: ProxyAgents,
): Promise<void> {
  const ended = new AbortController();
  response.on('close', () => ended.abort());
  const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(SCRIPT_REQUEST_MS)]);
  try {
    const { url, agent } = agents.resolve(received.url ?? '');
    const hasBody =
      received.headers['transfer-encoding'] !== undefined || Number(received.headers['content-length']) > 0;
    const upstream = await request(url, {
      dispatcher: agent,
      signal,
      // Covered by the signal.
      headersTimeout: 0,
      bodyTimeout: 0,
      // Any method that the parser of the server accepts.
      method: (received.method ?? 'GET') as Dispatcher.HttpMethod,
      headers: headersOf(received.headers),
      body: hasBody ? Readable.from(upTo(MAX_SCRIPT_REQUEST_BYTES, received)) : null,
    });
    response.writeHead(upstream.statusCode, headersOf(upstream.headers));
    const limited = (parts: AsyncIterable<Buffer>) => upTo(MAX_SCRIPT_RESPONSE_BYTES, parts);
    await pipeline(upstream.body, limited, response, { signal });
  } catch (error) {
    const refusal = error instanceof Error ? outgoingErrorIn(error) : undefined;
    if (refusal && !response.headersSent) {
      refuse(response, refusal.code === 'unresolved' ? 502 : 403, refusal.message);
      return;
    }
    throw error;
  }
}

function headersOf<Headers extends IncomingMessage['headers']>(headers: Headers) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !DROPPED_HEADERS.has(name)));
}

/** Responds for the target, with a text that explains the cause to the developer of the script. */
function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' });
  response.end(message);
}
