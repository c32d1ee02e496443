import { isObject, type Json } from '../../document.ts';
import type { Operation, Parameter } from '../contract/contract.ts';
import type { Reference, Step, Value } from '../plan/plan.ts';
import type { WireRequest } from './exchange.ts';

/** Finds the value that a reference leads to; throws where there is none. */
export type Resolve = (reference: Reference) => Json;

/** The request of a step, the values that it takes from earlier answers put in. @throws what `resolve` throws */
export function wireRequest(operation: Operation, step: Step, resolve: Resolve): WireRequest {
  const text = (value: Value): string => (typeof value === 'string' ? value : textOf(resolve(value)));
  const path = operation.path.replace(/\{([^{}]+)\}/g, (braces, name: string) => {
    const raw = step.fault?.rawPath?.[name];
    if (raw !== undefined) return raw;
    const value = step.path[name];
    const parameter = operation.parameters.find((one) => one.in === 'path' && one.name === name);
    return value === undefined ? braces : pathText(text(value), parameter);
  });
  // What stands in the plan as text is percent-encoded already.
  const query = step.query.map(
    ([name, value]) =>
      `${name}=${typeof value === 'string' ? value : encodeURIComponent(text(value).toWellFormed())}`,
  );
  const headers = step.headers.map(([name, value]): [string, string] => [name, text(value)]);
  const { body } = step;
  if (body && body.mediaType !== '' && !headers.some(([name]) => name.toLowerCase() === 'content-type'))
    headers.push(['Content-Type', body.mediaType]);
  return {
    method: step.fault?.method ?? operation.method,
    target: query.length === 0 ? path : `${path}?${query.join('&')}`,
    headers,
    ...(body && { body: contentOf(body, resolve) }),
    caller: step.caller,
    security: operation.security,
  };
}

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Percent-encodes a value of a path, but for what its style separates the parts of values by (OpenAPI, Style Values). */
function pathText(text: string, parameter: Parameter | undefined): string {
  const separators = parameter?.style === 'matrix' ? /%(2C|3B|3D)/g : /%(2C|3D)/g;
  return encodeURIComponent(text.toWellFormed()).replace(separators, decodeURIComponent);
}

/** The parts of a JSON pointer (RFC 6901). */
export const partsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

function contentOf(body: NonNullable<Step['body']>, resolve: Resolve): string | Uint8Array {
  if ('text' in body) return body.text;
  if ('base64' in body) return Buffer.from(body.base64, 'base64');
  let json = body.json;
  for (const { at, value } of body.references)
    json = put(json, at, typeof value === 'string' ? value : resolve(value));
  return JSON.stringify(json);
}

/** A copy with another value in one place. */
function put(json: Json, [part, ...rest]: readonly (string | number)[], value: Json): Json {
  if (part === undefined) return value;
  if (Array.isArray(json)) return json.with(Number(part), put(json[Number(part)] ?? null, rest, value));
  return isObject(json) ? { ...json, [part]: put(json[part] ?? null, rest, value) } : json;
}
