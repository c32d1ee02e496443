import { setImmediate } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { BodyMemory } from './body-memory.ts';
import type { OperationObject } from './document.ts';
import {
  ContractError,
  contentTooLarge,
  type Fault,
  requestMalformed,
  unsupportedMediaType,
} from './errors.ts';
import { type Coding, inflate, isCoding } from './inflate.ts';
import { JsonScanner } from './json-scanner.ts';
import { BODY_DEADLINE_MS, receive } from './receive.ts';

/** Maximum body size of an operation that does not declare `x-max-body-bytes`. */
export const DEFAULT_MAX_BODY_BYTES = 1_048_576;

/** A parsed request body. */
export interface Body {
  /** Undefined if there is no body or it is invalid. */
  value: unknown;
  /** Uncompressed size. */
  bytes: number;
}

/** Reads the bodies of one operation in two steps: before and after the caller is authenticated. */
export interface BodyReader {
  /**
   * Checks the headers that describe the body.
   *
   * @throws ContractError 413 if the body is too large; 415 for an unsupported media type, charset or content coding
   */
  checkHeaders(req: Request): void;
  /**
   * Reads and parses a body. JSON errors are added to `faults`.
   *
   * @param caller the key that the memory of the body is counted under
   * @throws ContractError 400 for a truncated or too deeply nested body; 408 if it arrives too slowly; 413 if it
   *   exceeds a limit after decompression; 415 like `checkHeaders`; 503 when the memory limit is exceeded
   */
  read(req: Request, res: Response, caller: string, faults: Fault[]): Promise<Body>;
}

const NO_BODY: Body = { value: undefined, bytes: 0 };

/**
 * Creates the body reader of an operation: JSON in UTF-8 (RFC 8259, section 8.1), plain or compressed. The
 * body is ignored if the operation declares none, and an empty body is accepted if it is optional.
 *
 * @param deadlineMs time limit for receiving a body, extended in proportion to its size
 */
export function bodyReader(
  { requestBody, ...operation }: OperationObject,
  memory = new BodyMemory(),
  deadlineMs = BODY_DEADLINE_MS,
): BodyReader {
  if (!requestBody) {
    return { checkHeaders: () => undefined, read: async () => NO_BODY };
  }
  const types = Object.keys(requestBody.content);
  if (types.join() !== 'application/json') {
    throw new Error(
      `Operation ${operation.operationId} declares ${types.join(', ')}, but only application/json is supported.`,
    );
  }
  const limit = operation['x-max-body-bytes'] ?? DEFAULT_MAX_BODY_BYTES;
  const isRequired = requestBody.required === true;
  return {
    checkHeaders: (req) => {
      const length = contentLengthOf(req);
      if (length === 0) {
        return;
      }
      if (length !== undefined && length > limit) {
        throw bodyTooLarge(limit);
      }
      codingOf(req);
      // A chunked body may turn out to be empty.
      if (length !== undefined) {
        checkMediaType(req);
      }
    },
    read: async (req, res, caller, faults) => {
      const scanner = new JsonScanner();
      const chunks =
        contentLengthOf(req) === 0
          ? []
          : await readJson(req, res, scanner, { limit, deadlineMs, reserve: memory.count(caller, res) });
      if (chunks.length > 0) {
        return { value: await parse(chunks, scanner, faults), bytes: lengthOf(chunks) };
      }
      if (isRequired) {
        faults.push({ in: 'body', path: '', message: 'is required' });
      }
      return NO_BODY;
    },
  };
}

/** The limits of one body. */
interface Bounds {
  limit: number;
  deadlineMs: number;
  /** Reserves memory for a chunk; throws if the memory limit is exceeded. */
  reserve: (bytes: number) => void;
}

/** Returns the decompressed bytes of a body after checking them against its limits. */
async function readJson(
  req: Request,
  res: Response,
  scanner: JsonScanner,
  { limit, deadlineMs, reserve }: Bounds,
): Promise<Buffer[]> {
  const coding = codingOf(req);
  const [checkReceived, checkInflated] = [limited(limit, reserve), limited(limit, reserve)];
  let isFirst = true;
  const onChunk = (chunk: Buffer) => {
    if (isFirst) {
      checkMediaType(req);
    }
    isFirst = false;
    checkReceived(chunk);
    if (!coding) {
      scanner.push(chunk);
    }
  };
  try {
    const chunks = await receive(req, res, { deadlineMs, onChunk });
    if (!coding || chunks.length === 0) {
      return chunks;
    }
    return await inflate(chunks, coding, (chunk) => {
      checkInflated(chunk);
      scanner.push(chunk);
    });
  } catch (error) {
    throw error instanceof ContractError ? error : unreadable();
  }
}

/** Returns the `Content-Length` of a request; 0 if there is no body, undefined for a chunked body. */
function contentLengthOf({ headers }: Request): number | undefined {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : undefined;
}

/** @throws ContractError 415 for an unsupported content coding */
function codingOf({ headers }: Request): Coding | undefined {
  const coding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (coding === 'identity') {
    return undefined;
  }
  if (isCoding(coding)) {
    return coding;
  }
  throw unsupportedMediaType(
    'Unsupported Content-Encoding. Send the body uncompressed, or as gzip, deflate or br.',
  );
}

/** @throws ContractError 415 if the media type is not JSON or the charset is not UTF-8 */
function checkMediaType(req: Request): void {
  const header = req.headers['content-type'];
  const [type, ...parameters] = (header ?? '').toLowerCase().split(';');
  if (type?.trim() !== 'application/json') {
    throw notJson(header?.slice(0, 100));
  }
  for (const parameter of parameters) {
    const [name, value = ''] = parameter.split('=');
    if (name?.trim() === 'charset' && !/^\s*"?utf-?8"?\s*$/.test(value)) {
      throw notJson(header?.slice(0, 100));
    }
  }
}

/** Returns a function that throws a 413 for the chunk that exceeds the limit, and reserves memory for the others. */
function limited(limit: number, reserve: (bytes: number) => void): (chunk: Buffer) => void {
  let bytes = 0;
  return ({ length }) => {
    bytes += length;
    if (bytes > limit) {
      throw bodyTooLarge(limit);
    }
    reserve(length);
  };
}

const lengthOf = (chunks: readonly Buffer[]) => chunks.reduce((sum, { length }) => sum + length, 0);

/** Size up to which a body is processed without yielding to other requests. */
const UNYIELDED_BYTES = 262_144;

/** Yields to the event loop after a synchronous step over a large body. */
export async function yieldAfter(bytes: number): Promise<void> {
  if (bytes > UNYIELDED_BYTES) {
    await setImmediate();
  }
}

async function parse(
  chunks: readonly Buffer[],
  { hasUnicodeEscapes }: JsonScanner,
  faults: Fault[],
): Promise<unknown> {
  let value: unknown;
  let isSuspect: boolean;
  try {
    const json = await decode(chunks);
    // Unsafe values are only possible if one of these occurs; walking every value is slow. The search also joins the
    // decoded parts, which takes half as long as parsing them, so it has a turn of its own.
    isSuspect = json.includes('__proto__') || hasUnicodeEscapes;
    await yieldAfter(json.length);
    value = JSON.parse(json);
    await yieldAfter(json.length);
  } catch (error) {
    const reason =
      error instanceof SyntaxError ? `is not valid JSON: ${error.message}` : 'is not valid UTF-8';
    faults.push({ in: 'body', path: '', message: reason });
    return undefined;
  }
  return isSuspect && findUnsafe(value, [], faults) ? undefined : value;
}

/** @throws TypeError if the bytes are not valid UTF-8 */
async function decode(chunks: readonly Buffer[]): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let bytes = 0;
  for (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    bytes += chunk.length;
    if (bytes <= UNYIELDED_BYTES) {
      continue;
    }
    await yieldAfter(bytes);
    bytes = 0;
  }
  return text + decoder.decode();
}

/**
 * Finds values that are valid JSON but unsafe: the key `__proto__`, the character U+0000, which PostgreSQL does
 * not store, and unpaired surrogates, which UTF-8 cannot represent. Stops at the first and adds it to `faults`.
 */
function findUnsafe(value: unknown, path: string[], faults: Fault[]): boolean {
  const report = (message: string, key?: string) => {
    faults.push({ in: 'body', path: [...path, ...(key === undefined ? [] : [key])].join('.'), message });
    return true;
  };
  if (typeof value === 'string') {
    if (value.includes('\0')) {
      return report('must not contain the character U+0000');
    }
    return !value.isWellFormed() && report('must not contain an unpaired surrogate');
  }
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  for (const [key, inner] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    if (key === '__proto__' || (typeof key === 'string' && (key.includes('\0') || !key.isWellFormed()))) {
      return report('is not a valid field name', key);
    }
    path.push(String(key));
    const isUnsafe = findUnsafe(inner, path, faults);
    path.pop();
    if (isUnsafe) {
      return true;
    }
  }
  return false;
}

const bodyTooLarge = (limit: number) =>
  contentTooLarge(`The request body exceeds the limit of ${limit} bytes.`);

const notJson = (contentType: string | undefined) =>
  unsupportedMediaType(
    `${contentType ? `Unsupported Content-Type: ${contentType}` : 'Content-Type is required'}. Send JSON with Content-Type: application/json.`,
  );

function unreadable(): ContractError {
  const message = 'does not match its Content-Length or Content-Encoding';
  return requestMalformed(`The request body ${message}.`, [{ in: 'body', path: '', message }]);
}
