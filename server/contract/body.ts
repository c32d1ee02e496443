import express, { type Request, type Response } from 'express';
import type { OperationObject } from './document.ts';
import { ContractError, contentTooLarge, type Fault, unsupportedMediaType } from './errors.ts';

/** The body limit in bytes of an operation that declares none. */
export const USUAL_BODY_LIMIT = 1_048_576;

/** Deeper JSON than this is refused: validators and handlers walk it by recursion. */
export const DEEPEST_BODY = 200;

/** A body as it was read. */
export interface Body {
  /** Undefined where there is none, or where it is at fault. */
  value: unknown;
  /** Its size, uncompressed. */
  bytes: number;
}

/** Reads the body of a request; what is wrong with it is added to the faults. */
export type BodyReader = (req: Request, res: Response, faults: Fault[]) => Body | Promise<Body>;

const NONE: Body = { value: undefined, bytes: 0 };

/**
 * How the bodies of an operation are read: JSON in UTF-8 (RFC 8259, section 8.1), plain or compressed.
 * The body of an operation that declares none is ignored, as is an empty one of whatever type where
 * the body is optional.
 *
 * The reader throws ContractError: 413 for a body over the limit, uncompressed; 415 for another media
 * type, charset or content coding.
 */
export function bodyReader({ requestBody, ...operation }: OperationObject): BodyReader {
  if (!requestBody) return () => NONE;
  const types = Object.keys(requestBody.content);
  if (types.join() !== 'application/json')
    throw new Error(
      `${operation.operationId} takes ${types.join(', ')}; the server reads application/json alone.`,
    );
  const limit = operation['x-max-body-bytes'] ?? USUAL_BODY_LIMIT;
  const required = requestBody.required === true;
  const read = express.raw({ limit, type: () => true });
  const absent = (faults: Fault[]) => {
    if (required) faults.push({ in: 'body', path: '', message: 'must be there: the operation needs one' });
    return NONE;
  };
  return (req, res, faults) => {
    const { 'content-length': length, 'transfer-encoding': transfer } = req.headers;
    if (transfer === undefined && Number(length ?? 0) === 0) return absent(faults);
    return new Promise((done, fail) => {
      read(req, res, (error: unknown) => {
        try {
          if (error !== undefined) throw readingFailure(error, limit);
          const bytes: unknown = req.body;
          if (!(bytes instanceof Uint8Array) || bytes.length === 0) return done(absent(faults));
          checkMediaType(req.headers['content-type']);
          done({ value: parse(bytes, faults), bytes: bytes.length });
        } catch (failure) {
          fail(failure);
        }
      });
    });
  };
}

/** @throws ContractError 415 for another type than JSON, or another charset than UTF-8 */
function checkMediaType(header: string | undefined): void {
  const [type, ...parameters] = (header ?? '').toLowerCase().split(';');
  if (type?.trim() !== 'application/json') throw unsupportedMediaType(header?.slice(0, 100));
  for (const parameter of parameters) {
    const [name, value = ''] = parameter.split('=');
    if (name?.trim() === 'charset' && !/^\s*"?utf-?8"?\s*$/.test(value))
      throw unsupportedMediaType(header?.slice(0, 100));
  }
}

const text = new TextDecoder('utf-8', { fatal: true });

function parse(bytes: Uint8Array, faults: Fault[]): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text.decode(bytes));
  } catch (error) {
    const reason =
      error instanceof SyntaxError ? `is not JSON: ${error.message}` : 'is not well-formed UTF-8 text';
    faults.push({ in: 'body', path: '', message: reason });
    return undefined;
  }
  const before = faults.length;
  findUnsafe(value, [], faults);
  return faults.length === before ? value : undefined;
}

/**
 * Finds what JSON may say and no schema forbids, but what lies below cannot bear: nesting that
 * exhausts the stack, the key `__proto__`, the character U+0000, which PostgreSQL does not store, and half a
 * surrogate pair, which no encoding carries: it would come back as another character. Stops at the first.
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
  if (path.length >= DEEPEST_BODY) {
    faults.push({ in: 'body', path: '', message: `must not be nested deeper than ${DEEPEST_BODY} levels` });
    return true;
  }
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

/** What the parser says of a body (its errors carry a `type`), in the contract's words. */
function readingFailure(error: unknown, limit: number): ContractError {
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  if (type === 'entity.too.large') return contentTooLarge(limit);
  if (type === 'encoding.unsupported')
    return new ContractError(
      415,
      'The content coding of the body is not supported; send it plain, or as gzip, deflate or br.',
    );
  const message = 'could not be read: it is shorter than announced, or not compressed as announced';
  return new ContractError(400, `The body ${message}.`, { details: [{ in: 'body', path: '', message }] });
}
