import type { Response } from 'express';
import { JsonBody } from './json.ts';
import type { ServerSentEvent } from './reply-types.ts';
import type { CheckedResponse } from './responder.ts';
import { closeWhenStalled, endResponse } from './stall.ts';

/** Returns the memory size of a body in bytes; 0 for small ones in JSON and for streams. */
export function bodySize({ body }: CheckedResponse): number {
  if (body instanceof JsonBody) {
    return body.memoryBytes;
  }
  return typeof body === 'string' || body instanceof Uint8Array ? body.length : 0;
}

/**
 * Sends a response.
 *
 * @param stallMs time without progress before the connection is closed
 * @throws what serializing the body or its stream throws. Does not throw if the connection is closed.
 */
export async function sendResponse(
  res: Response,
  { status, headers, kind, contentType, body }: CheckedResponse,
  stallMs: number,
): Promise<void> {
  if (res.req.method === 'HEAD' && kind !== undefined) {
    setHead(res, status, headers);
    res.setHeader('Content-Type', typeHeader(kind, contentType));
    sendHead(res, body);
    return;
  }
  if (isIterable(body)) {
    await sendStream(res, { status, headers, kind, contentType, body }, stallMs);
    return;
  }
  setHead(res, status, headers);
  if (kind === undefined) {
    res.end();
    return;
  }
  if (body instanceof JsonBody) {
    res.setHeader('Content-Type', typeHeader(kind, contentType));
    await body.send(res, stallMs);
    return;
  }
  if (!isText(body)) {
    throw new Error(`A body of type ${contentType} must be a string, bytes or a stream.`);
  }
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  res.setHeader('Content-Type', typeHeader(kind, contentType));
  res.setHeader('Content-Length', bytes.length);
  endResponse(res, bytes, stallMs);
}

/** Ends the response to HEAD: like that to GET, without its body (RFC 9110, section 9.3.2). */
function sendHead(res: Response, body: unknown): void {
  const size = body instanceof JsonBody ? body.length : isText(body) ? Buffer.byteLength(body) : undefined;
  if (size !== undefined) {
    res.setHeader('Content-Length', size);
  }
  if (isIterable(body)) {
    // Ends a stream that nobody reads. A generator that has not started yet does nothing.
    void Promise.resolve(body[Symbol.asyncIterator]().return?.()).catch(() => undefined);
  }
  res.end();
}

const isText = (body: unknown): body is string | Uint8Array =>
  typeof body === 'string' || body instanceof Uint8Array;

function setHead(res: Response, status: number, headers: CheckedResponse['headers']): void {
  for (const [name, value] of Object.entries(headers)) {
    res.setHeader(name, value);
  }
  res.statusCode = status;
}

const typeHeader = (kind: CheckedResponse['kind'], contentType: string) =>
  kind === 'json' || kind === 'text' || kind === 'events' ? `${contentType}; charset=utf-8` : contentType;

const isIterable = (body: unknown): body is AsyncIterable<unknown> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body;

/**
 * Sends a body piece by piece. The head is sent with the first piece, so that a stream that fails at its start becomes
 * an error response; the head of events is sent at once, because the first one may take long.
 */
async function sendStream(
  res: Response,
  { status, headers, kind, contentType, body }: CheckedResponse & { body: AsyncIterable<unknown> },
  stallMs: number,
): Promise<void> {
  const iterator = body[Symbol.asyncIterator]();
  const isEvents = kind === 'events';
  const setAll = () => {
    setHead(res, status, headers);
    res.setHeader('Content-Type', typeHeader(kind, contentType));
  };
  // Ends a stream that the caller does not read to its end. A generator ends once it continues.
  const end = () => void Promise.resolve(iterator.return?.()).catch(() => undefined);
  res.once('close', end);
  try {
    if (isEvents) {
      setAll();
      if (!res.hasHeader('Cache-Control')) {
        res.setHeader('Cache-Control', 'no-cache');
      }
      res.flushHeaders();
    }
    let next = await iterator.next();
    if (!isEvents) {
      setAll();
    }
    while (!next.done && !res.destroyed) {
      if (!res.write(pieceOf(kind, contentType, next.value))) {
        await drained(res, stallMs);
      }
      next = await iterator.next();
    }
    closeWhenStalled(res, stallMs);
    res.end();
  } catch (error) {
    if (!res.destroyed) {
      throw error;
    }
  } finally {
    end();
  }
}

/** Waits until the caller has read what was sent, or the connection is closed. */
async function drained(res: Response, stallMs: number): Promise<void> {
  const endTimeout = closeWhenStalled(res, stallMs);
  await new Promise<void>((resolve) => {
    const settle = () => {
      res.off('drain', settle).off('close', settle);
      resolve();
    };
    res.on('drain', settle).on('close', settle);
  });
  endTimeout();
}

function pieceOf(kind: CheckedResponse['kind'], contentType: string, value: unknown): string | Uint8Array {
  if (kind === 'events') {
    // The type of the handler requires events.
    return eventText(value as ServerSentEvent);
  }
  if (kind === 'lines') {
    // A sequence of JSON texts begins each with a record separator (RFC 7464).
    return `${contentType === 'application/json-seq' ? '\x1e' : ''}${JSON.stringify(value)}\n`;
  }
  if (typeof value === 'string' || value instanceof Uint8Array) {
    return value;
  }
  throw new Error('A stream must consist of strings or bytes.');
}

/** Serializes an event (HTML, section 9.2.6). A line break ends a field, so only data may contain it. */
function eventText({ data, event, id, retry }: ServerSentEvent): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  const fields = [
    ...(event === undefined ? [] : [`event: ${singleLine(event)}`]),
    ...(id === undefined ? [] : [`id: ${singleLine(id)}`]),
    ...(retry === undefined ? [] : [`retry: ${Math.trunc(retry)}`]),
    ...text.split(/\r\n|[\r\n]/).map((line) => `data: ${line}`),
  ];
  return `${fields.join('\n')}\n\n`;
}

function singleLine(text: string): string {
  if (/[\r\n\0]/.test(text)) {
    throw new Error('The name or ID of an event must not contain line breaks.');
  }
  return text;
}
