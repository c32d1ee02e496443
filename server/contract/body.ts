import { setImmediate } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { BodyMemory } from './body-memory.ts';
import type { OperationObject } from './document.ts';
import { badRequest, ContractError, contentTooLarge, type Fault, unsupportedMediaType } from './errors.ts';
import { type Coding, inflate, isCoding } from './inflate.ts';
import { JsonScanner } from './json-scanner.ts';
import { BODY_DEADLINE_MS, receive } from './receive.ts';

/** The body limit in bytes of an operation that declares none. */
export const USUAL_BODY_LIMIT = 1_048_576;

/** A body as it was read. */
export interface Body {
  /** Undefined where there is none, or where it is at fault. */
  value: unknown;
  /** Its size, uncompressed. */
  bytes: number;
}

/** How the bodies of one operation are read, in two steps: before the caller is known, and after. */
export interface BodyReader {
  /**
   * Judges a body by the headers of its request.
   *
   * @throws ContractError 413 for a length over the limit; 415 for another media type, charset or content coding
   */
  checkHeaders(req: Request): void;
  /**
   * Reads a body; what is wrong with its JSON is added to the faults.
   *
   * @param caller the key that the memory it takes is counted by
   * @throws ContractError 400 for a body that breaks off, or is nested too deeply; 408 for one that arrives too
   *   slowly; 413 for one over a limit, uncompressed; 415 as `checkHeaders`; 503 where memory runs short
   */
  read(req: Request, res: Response, caller: string, faults: Fault[]): Promise<Body>;
}

const NONE: Body = { value: undefined, bytes: 0 };

/**
 * Makes the reader of an operation's bodies: JSON in UTF-8 (RFC 8259, section 8.1), plain or compressed.
 * The body of an operation that declares none is ignored, as is an empty one of whatever type where
 * the body is optional.
 *
 * @param deadlineMs the time that a body may take to arrive, before what its size adds
 */
export function bodyReader(
  { requestBody, ...operation }: OperationObject,
  memory = new BodyMemory(),
  deadlineMs = BODY_DEADLINE_MS,
): BodyReader {
  if (!requestBody) return { checkHeaders: () => undefined, read: async () => NONE };
  const types = Object.keys(requestBody.content);
  if (types.join() !== 'application/json')
    throw new Error(
      `${operation.operationId} takes ${types.join(', ')}; the server reads application/json alone.`,
    );
  const limit = operation['x-max-body-bytes'] ?? USUAL_BODY_LIMIT;
  const isRequired = requestBody.required === true;
  return {
    checkHeaders: (req) => {
      const length = announcedLength(req);
      if (length === 0) return;
      if (length !== undefined && length > limit) throw contentTooLarge(limit);
      codingOf(req);
      // One of no announced length may turn out to be empty.
      if (length !== undefined) checkMediaType(req);
    },
    read: async (req, res, caller, faults) => {
      const chunks =
        announcedLength(req) === 0
          ? []
          : await readJson(req, res, { limit, deadlineMs, hold: memory.count(caller, res) });
      if (chunks.length > 0) return { value: await parse(chunks, faults), bytes: lengthOf(chunks) };
      if (isRequired) faults.push({ in: 'body', path: '', message: 'is required' });
      return NONE;
    },
  };
}

/** The bounds of one body. */
interface Bounds {
  limit: number;
  deadlineMs: number;
  /** Takes the size of each part before it is held; throws where there is no room. */
  hold: (bytes: number) => void;
}

/** The bytes of a body, uncompressed, whose JSON is within its bounds. */
async function readJson(req: Request, res: Response, { limit, deadlineMs, hold }: Bounds): Promise<Buffer[]> {
  const coding = codingOf(req);
  const scanner = new JsonScanner();
  const [sent, unfolded] = [limited(limit, hold), limited(limit, hold)];
  let isFirst = true;
  const onChunk = (chunk: Buffer) => {
    if (isFirst) checkMediaType(req);
    isFirst = false;
    sent(chunk);
    if (!coding) scanner.push(chunk);
  };
  try {
    const chunks = await receive(req, res, { deadlineMs, onChunk });
    if (!coding || chunks.length === 0) return chunks;
    return await inflate(chunks, coding, (chunk) => {
      unfolded(chunk);
      scanner.push(chunk);
    });
  } catch (error) {
    throw error instanceof ContractError ? error : unreadable();
  }
}

/** The length of a request's body, as it is sent; undefined for one that does not say. */
function announcedLength({ headers }: Request): number | undefined {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : undefined;
}

/** @throws ContractError 415 for a content coding that the server does not decompress */
function codingOf({ headers }: Request): Coding | undefined {
  const coding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (coding === 'identity') return undefined;
  if (isCoding(coding)) return coding;
  throw new ContractError(
    415,
    'The content coding of the body is not supported; send it plain, or as gzip, deflate or br.',
  );
}

/** @throws ContractError 415 for another type than JSON, or another charset than UTF-8 */
function checkMediaType(req: Request): void {
  const header = req.headers['content-type'];
  const [type, ...parameters] = (header ?? '').toLowerCase().split(';');
  if (type?.trim() !== 'application/json') throw unsupportedMediaType(header?.slice(0, 100));
  for (const parameter of parameters) {
    const [name, value = ''] = parameter.split('=');
    if (name?.trim() === 'charset' && !/^\s*"?utf-?8"?\s*$/.test(value))
      throw unsupportedMediaType(header?.slice(0, 100));
  }
}

/** Takes the chunks of a body, and throws a 413 at the one that exceeds the limit. */
function limited(limit: number, hold: (bytes: number) => void): (chunk: Buffer) => void {
  let bytes = 0;
  return ({ length }) => {
    bytes += length;
    if (bytes > limit) throw contentTooLarge(limit);
    hold(length);
  };
}

const lengthOf = (chunks: readonly Buffer[]) => chunks.reduce((sum, { length }) => sum + length, 0);

/** What is done at once with a body. Each of the steps on a larger one is a turn of its own. */
const TURN_BYTES = 262_144;

/** Lets other requests go on after a step on a body of so many bytes, unless it took them no time. */
export async function giveTurn(bytes: number): Promise<void> {
  if (bytes > TURN_BYTES) await setImmediate();
}

async function parse(chunks: readonly Buffer[], faults: Fault[]): Promise<unknown> {
  let value: unknown;
  let json: string;
  try {
    json = await decode(chunks);
    value = JSON.parse(json);
    await giveTurn(json.length);
  } catch (error) {
    const reason =
      error instanceof SyntaxError ? `is not JSON: ${error.message}` : 'is not well-formed UTF-8 text';
    faults.push({ in: 'body', path: '', message: reason });
    return undefined;
  }
  // JSON in UTF-8 can say what is unsafe in these two ways alone, and the walk takes its time.
  const isSuspect = json.includes('\\u') || json.includes('__proto__');
  return isSuspect && findUnsafe(value, [], faults) ? undefined : value;
}

/** @throws TypeError for what is not UTF-8 */
async function decode(chunks: readonly Buffer[]): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let bytes = 0;
  for (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    bytes += chunk.length;
    if (bytes <= TURN_BYTES) continue;
    await giveTurn(bytes);
    bytes = 0;
  }
  return text + decoder.decode();
}

/**
 * Finds what JSON may say and no schema forbids, but what lies below cannot bear: the key `__proto__`, the
 * character U+0000, which PostgreSQL does not store, and half a surrogate pair, which no encoding carries: it
 * would come back as another character. Stops at the first.
 */
function findUnsafe(value: unknown, path: string[], faults: Fault[]): boolean {
  const tell = (message: string, key?: string) => {
    faults.push({ in: 'body', path: [...path, ...(key === undefined ? [] : [key])].join('.'), message });
    return true;
  };
  if (typeof value === 'string') {
    if (value.includes('\0')) return tell('must not hold the character U+0000');
    return !value.isWellFormed() && tell('must not hold half a surrogate pair');
  }
  if (typeof value !== 'object' || value === null) return false;
  for (const [key, inner] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    if (key === '__proto__' || (typeof key === 'string' && (key.includes('\0') || !key.isWellFormed())))
      return tell('is not a name that a field may have', key);
    path.push(String(key));
    const found = findUnsafe(inner, path, faults);
    path.pop();
    if (found) return true;
  }
  return false;
}

function unreadable(): ContractError {
  const message = 'could not be read: it is shorter than announced, or not compressed as announced';
  return badRequest(`The body ${message}.`, [{ in: 'body', path: '', message }]);
}
