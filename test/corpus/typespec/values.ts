import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { inspect, isDeepStrictEqual } from 'node:util';
import { isJson } from './decode.ts';
import type { RawResponse } from './raw-request.ts';

/** Returns a value in a form that can be compared: streams and files are read, undefined properties are left out. */
export async function comparable(value: unknown): Promise<unknown> {
  if (value instanceof File) {
    return { name: value.name, type: value.type, bytes: await hexOf(value) };
  }
  if (value instanceof Blob) {
    return await hexOf(value);
  }
  if (value instanceof Uint8Array) {
    return Buffer.from(value).toString('hex');
  }
  if (value instanceof Readable) {
    return (await buffer(value)).toString('hex');
  }
  if (value instanceof ReadableStream) {
    return Buffer.from(await new Response(value).arrayBuffer()).toString('hex');
  }
  if (Array.isArray(value)) {
    return await Promise.all(value.map(comparable));
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  if ('read' in value && typeof value.read === 'function') {
    return await comparable(await value.read());
  }
  const members = await Promise.all(
    Object.entries(value).map(async ([name, member]) => [name, await comparable(member)] as const),
  );
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}

const hexOf = async (blob: Blob) => Buffer.from(await blob.arrayBuffer()).toString('hex');

/** Describes how a value differs from the expected one; undefined if it does not. */
export async function difference(
  name: string,
  expected: unknown,
  actual: unknown,
): Promise<string | undefined> {
  const [one, other] = [await comparable(expected), await comparable(actual)];
  return isDeepStrictEqual(one, other)
    ? undefined
    : `${name}: expected ${short(one)}, received ${short(other)}`;
}

const MAX_VALUE_CHARACTERS = 160;

const short = (value: unknown): string => {
  const text = inspect(value, { breakLength: Number.POSITIVE_INFINITY, depth: 6 });
  return text.length > MAX_VALUE_CHARACTERS ? `${text.slice(0, MAX_VALUE_CHARACTERS)}…` : text;
};

/** Media types with one JSON value per line. */
export const isLines = (type: string): boolean => /^application\/(x-)?(jsonl|ndjson)\b/.test(type);

/** Returns the content of a response in a form that can be compared: JSON by its value, other media types by their bytes. */
export function contentOfResponse({ headers, body }: Pick<RawResponse, 'headers' | 'body'>): unknown {
  const type = headers.get('Content-Type') ?? '';
  if (body.length === 0) {
    return undefined;
  }
  if (isJson(type)) {
    return JSON.parse(body.toString());
  }
  return isLines(type) ? linesOf(body.toString()) : body.toString('hex');
}

/** Returns the values of lines of JSON. */
export const linesOf = (text: string): unknown[] =>
  text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [JSON.parse(line)]));
