import {
  type ClientRequest,
  type Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import { type Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { messageOf } from '../../../../server/contract/errors.ts';
import type { Clock } from './clock.ts';
import type { WireRequest, WireResponse } from './exchange.ts';
import { isJsonType, isStreamType, MAX_RESPONSE_BYTES, readResponse } from './response.ts';

/** Request with the token of its caller, and its timeout. */
export interface AttemptOptions {
  url: URL;
  agent: HttpAgent | HttpsAgent;
  request: Pick<WireRequest, 'method' | 'target' | 'headers' | 'body'>;
  /** Timeout in milliseconds. */
  timeoutMs: number;
  /** Aborts the request. */
  signal: AbortSignal | undefined;
  clock: Clock;
}

/** Result of the request. */
export type Result = { response: WireResponse } | Failed;
/** Reason for a missing or incomplete response. */
export interface Failed {
  failure: string;
  /** Node's code of a connection error before the response. */
  code?: string;
  /** Reason for aborting the request: the time limit, or an interruption of the run. */
  cut?: 'time' | 'interrupted';
  /** Whether the connection was reused, so that the server may have closed it as idle. */
  stale?: boolean;
}

/** Sends one request and reads its response. @throws when the request is not valid HTTP */
export async function attempt({
  url,
  agent,
  request,
  timeoutMs,
  signal,
  clock,
}: AttemptOptions): Promise<Result> {
  const sent = (url.protocol === 'https:' ? httpsRequest : httpRequest)({
    agent,
    // A URL has brackets around an IPv6 address, which a socket does not accept.
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port,
    method: request.method,
    path: url.pathname.replace(/\/$/, '') + request.target,
  });
  let cancelTimeout = () => {};
  let interrupt = () => {};
  try {
    return await new Promise<Result>((resolve) => {
      const abort = (failed: Failed) => {
        resolve(failed);
        sent.destroy();
      };
      cancelTimeout = clock.after(timeoutMs, () =>
        abort({ failure: `No complete response within ${seconds(timeoutMs)}.`, cut: 'time' }),
      );
      interrupt = () => abort({ failure: 'The run was interrupted.', cut: 'interrupted' });
      // Unlike fetch, a request of node:http is referenced by its socket, so it cannot be garbage-collected.
      signal?.addEventListener('abort', interrupt);
      listen(sent, request.method, clock, resolve);
      write(sent, request);
    });
  } catch (error) {
    sent.destroy();
    throw error;
  } finally {
    cancelTimeout();
    signal?.removeEventListener('abort', interrupt);
  }
}

function listen(sent: ClientRequest, method: string, clock: Clock, resolve: (result: Result) => void): void {
  let hasResponse = false;
  sent.on('response', (response) => {
    hasResponse = true;
    void readBody(response, method, clock).then(resolve);
  });
  // After CONNECT and Upgrade, the connection no longer uses HTTP, so there is nothing to read.
  for (const leaving of ['connect', 'upgrade'] as const) {
    sent.on(leaving, (response, socket) => {
      resolve({
        response: readResponse('HEAD', response.statusCode ?? 0, headersOf(response), new Uint8Array()),
      });
      socket.destroy();
    });
  }
  sent.on('error', (error: NodeJS.ErrnoException) => {
    // After the start of the response, its reader reports errors.
    if (hasResponse) {
      return;
    }
    const code = error.code ?? 'unknown';
    const stale = sent.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE');
    resolve({ failure: `The connection failed: ${error.message || code}.`, code, stale });
  });
}

function write(sent: ClientRequest, request: AttemptOptions['request']): void {
  // Header fields contain bytes (RFC 9110, 5.5). Text beyond ASCII is sent as UTF-8.
  for (const [name, value] of request.headers) {
    sent.appendHeader(name, Buffer.from(value, 'utf8').toString('latin1'));
  }
  if (!sent.hasHeader('accept')) {
    sent.setHeader('Accept', '*/*');
  }
  if (!sent.hasHeader('user-agent')) {
    sent.setHeader('User-Agent', 'colophon-conform');
  }
  const body = request.body === undefined ? undefined : Buffer.from(request.body);
  // Node omits the length for methods that usually have no body.
  if (body && !sent.hasHeader('content-length')) {
    sent.setHeader('Content-Length', body.length);
  }
  sent.end(body);
}

/** Maximum time to read a stream of events or records, which may never end, in milliseconds. */
const STREAM_READ_MS = 300;
/** Maximum time without a part of another response of unknown length, unless it is JSON, in milliseconds. */
const OPEN_IDLE_MS = 1_000;
/** Maximum time to read such a response, in milliseconds. */
const OPEN_READ_MS = 10_000;

/**
 * Returns the times until the beginning of a streamed response is sufficient: without a part, and in total. Returns
 * undefined for responses that must be complete.
 */
function streamTimesOf({ headers }: IncomingMessage): { idle: number; total: number } | undefined {
  const type = headers['content-type'] ?? '';
  if (isStreamType(type)) {
    return { idle: STREAM_READ_MS, total: STREAM_READ_MS };
  }
  return headers['content-length'] === undefined && !isJsonType(type)
    ? { idle: OPEN_IDLE_MS, total: OPEN_READ_MS }
    : undefined;
}

async function readBody(response: IncomingMessage, method: string, clock: Clock): Promise<Result> {
  const chunks: Buffer[] = [];
  let length = 0;
  let isPartial = false;
  const times = streamTimesOf(response);
  const end = () => {
    isPartial = true;
    response.destroy();
  };
  const cancelTotal = times ? clock.after(times.total, end) : () => {};
  let cancelIdle = times ? clock.after(times.idle, end) : () => {};
  const complete = (): Result => ({
    response: {
      ...readResponse(
        method,
        response.statusCode ?? 0,
        headersOf(response),
        Buffer.concat(chunks),
        isPartial,
      ),
      ...(isPartial && { isPartial }),
    },
  });
  try {
    for await (const chunk of response) {
      // Chunks are bytes, because no encoding is set.
      const bytes: Buffer = chunk;
      chunks.push(bytes);
      length += bytes.length;
      cancelIdle();
      cancelIdle = times ? clock.after(times.idle, end) : () => {};
      if (length > MAX_RESPONSE_BYTES) {
        response.destroy();
        return { failure: `The response is longer than ${MAX_RESPONSE_BYTES / 1024 / 1024} MB.` };
      }
    }
  } catch (error) {
    return isPartial ? complete() : { failure: `The response is incomplete: ${messageOf(error)}.` };
  } finally {
    cancelTotal();
    cancelIdle();
  }
  return complete();
}

function headersOf(response: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(response.headersDistinct).map(([name, values]) => [name, (values ?? []).join(', ')]),
  );
}

const seconds = (milliseconds: number): string => `${Number((milliseconds / 1000).toPrecision(3))} seconds`;
