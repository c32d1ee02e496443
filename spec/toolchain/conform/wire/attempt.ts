import {
  type ClientRequest,
  type Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import { type Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { MAX_RESPONSE_BYTES, readAnswer } from './answer.ts';
import type { Clock } from './clock.ts';
import type { WireAnswer, WireRequest } from './exchange.ts';

/** A request with its caller's token in place, and how long it may take. */
export interface Try {
  url: URL;
  agent: HttpAgent | HttpsAgent;
  request: Pick<WireRequest, 'method' | 'target' | 'headers' | 'body'>;
  /** Milliseconds until it is broken off. */
  patience: number;
  /** Breaks it off. */
  signal: AbortSignal | undefined;
  clock: Clock;
}

/** What became of it. */
export type Result = { answer: WireAnswer } | Failed;
/** Why there is no whole answer. */
export interface Failed {
  failure: string;
  /** Node's code of an error of the connection, where nothing came yet. */
  code?: string;
  /** It was broken off here: the time was over, or somebody ended the run. */
  cut?: 'time' | 'interrupted';
  /** The connection had been used before, so that the server may have closed it as idle. */
  stale?: boolean;
}

/** Sends one request and reads its answer. @throws when the request cannot be written as HTTP */
export async function attempt({ url, agent, request, patience, signal, clock }: Try): Promise<Result> {
  const sent = (url.protocol === 'https:' ? httpsRequest : httpRequest)({
    agent,
    // A URL keeps the brackets of an IPv6 address, which a socket does not take.
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port,
    method: request.method,
    path: url.pathname.replace(/\/$/, '') + request.target,
  });
  let callOff = () => {};
  let interrupt = () => {};
  try {
    return await new Promise<Result>((resolve) => {
      const breakOff = (failed: Failed) => {
        resolve(failed);
        sent.destroy();
      };
      callOff = clock.after(patience, () =>
        breakOff({ failure: `No whole answer came within ${seconds(patience)}.`, cut: 'time' }),
      );
      interrupt = () => breakOff({ failure: 'The run was interrupted.', cut: 'interrupted' });
      // Node's own request is held by its socket, so unlike one of fetch it cannot be collected with its signal.
      signal?.addEventListener('abort', interrupt);
      listen(sent, request.method, resolve);
      write(sent, request);
    });
  } catch (error) {
    sent.destroy();
    throw error;
  } finally {
    callOff();
    signal?.removeEventListener('abort', interrupt);
  }
}

function listen(sent: ClientRequest, method: string, resolve: (result: Result) => void): void {
  let answering = false;
  sent.on('response', (response) => {
    answering = true;
    void readBody(response, method).then(resolve);
  });
  // A server may answer CONNECT and Upgrade by leaving HTTP; there is nothing to read then.
  for (const leaving of ['connect', 'upgrade'] as const) {
    sent.on(leaving, (response, socket) => {
      resolve({
        answer: readAnswer('HEAD', response.statusCode ?? 0, headersOf(response), new Uint8Array()),
      });
      socket.destroy();
    });
  }
  sent.on('error', (error: NodeJS.ErrnoException) => {
    // Once an answer began, who reads it tells how it ended.
    if (answering) return;
    const code = error.code ?? 'unknown';
    const stale = sent.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE');
    resolve({ failure: `The connection broke: ${error.message || code}.`, code, stale });
  });
}

function write(sent: ClientRequest, request: Try['request']): void {
  // Header fields carry bytes (RFC 9110, 5.5); text beyond ASCII goes as UTF-8.
  for (const [name, value] of request.headers)
    sent.appendHeader(name, Buffer.from(value, 'utf8').toString('latin1'));
  if (!sent.hasHeader('accept')) sent.setHeader('Accept', '*/*');
  if (!sent.hasHeader('user-agent')) sent.setHeader('User-Agent', 'colophon-conform');
  const body = request.body === undefined ? undefined : Buffer.from(request.body);
  // Left to itself, Node leaves the length out where bodies are not usual.
  if (body && !sent.hasHeader('content-length')) sent.setHeader('Content-Length', body.length);
  sent.end(body);
}

async function readBody(response: IncomingMessage, method: string): Promise<Result> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response) {
      // Chunks are bytes, because nobody set an encoding.
      const bytes: Buffer = chunk;
      chunks.push(bytes);
      length += bytes.length;
      if (length > MAX_RESPONSE_BYTES) {
        response.destroy();
        return { failure: `The answer is longer than ${MAX_RESPONSE_BYTES / 1024 / 1024} MB.` };
      }
    }
  } catch (error) {
    return { failure: `The answer broke off: ${error instanceof Error ? error.message : String(error)}.` };
  }
  return { answer: readAnswer(method, response.statusCode ?? 0, headersOf(response), Buffer.concat(chunks)) };
}

function headersOf(response: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(response.headersDistinct).map(([name, values]) => [name, (values ?? []).join(', ')]),
  );
}

const seconds = (milliseconds: number): string => `${Number((milliseconds / 1000).toPrecision(3))} seconds`;
