import { createHash } from 'node:crypto';
import { textOrJson } from '../../../../server/contract/json-values.ts';
import { isObject, type Json } from '../../document.ts';
import type { Operation, Parameter } from '../../model/contract/contract.ts';
import type { Reference, Step, Value } from '../../model/plan/plan.ts';
import { Unresolved, type WireRequest } from './exchange.ts';

/** Resolves a reference; throws if it has no value. */
export type Resolve = (reference: Reference) => Json;

/**
 * Creates the request of a step with references to earlier responses resolved.
 * @throws {Unresolved} if a path parameter has no value, and errors of `resolve`
 */
export function requestWith(operation: Operation, step: Step, resolve: Resolve): WireRequest {
  const { fault, body } = step;
  const text = (value: Value): string => (typeof value === 'string' ? value : textOrJson(resolve(value)));
  const parameter = (location: Parameter['in'], name: string) =>
    operation.parameters.find((candidate) => candidate.in === location && candidate.name === name);
  const path = operation.path.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const value = step.path[name];
    const raw = fault?.rawPath?.[name];
    if (raw !== undefined) {
      return raw;
    }
    if (value === undefined) {
      throw new Unresolved(`The path parameter ${name} of ${operation.id} has no value.`);
    }
    return encoded(text(value), parameter('path', name));
  });
  const query = step.query.map(([name, value]) => {
    // In the style deepObject each property is a separate parameter.
    const declared = parameter('query', name) ?? parameter('query', name.replace(/\[.*$/s, ''));
    return `${encoded(name)}=${fault?.rawQuery?.[name] ?? encoded(text(value), declared)}`;
  });
  const headers = step.headers.map(([name, value]): [string, string] => [name, text(value)]);
  if (body && body.mediaType !== '' && !headers.some(([name]) => name.toLowerCase() === 'content-type')) {
    headers.push(['Content-Type', body.mediaType]);
  }
  return {
    method: fault?.method ?? operation.method,
    target: query.length === 0 ? path : `${path}?${query.join('&')}`,
    headers,
    ...(body && { body: contentOf(body, resolve) }),
    caller: step.caller,
    security: operation.security,
    ...(step.caller === 'malformed' && { malformed: numberOf(`${operation.id} ${fault?.name}`) }),
  };
}

/** Derives a number from a text, so that the choice of a malformed token does not depend on IDs of the server. */
const numberOf = (text: string): number => createHash('sha256').update(text).digest().readUInt32LE();

/** Reserved characters that `encodeURIComponent` leaves unchanged (RFC 3986, 2.2). */
const percentEncoded = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/** Encodes a text as a URL component, except for the separators of its parameter's style (OpenAPI, Style Values). */
function encoded(text: string, parameter?: Parameter): string {
  const encodedText = encodeURIComponent(text.toWellFormed());
  const { in: location = 'query', style, explode, allowReserved } = parameter ?? {};
  const safe = location === 'query' ? encodedText.replaceAll(/[!'()*]/g, percentEncoded) : encodedText;
  // The ampersand and the number sign would end the value, and a plus sign would be read as a space.
  if (allowReserved && !/(?:^|\/)\.{0,2}(?:$|\/)/.test(location === 'path' ? text : 'x')) {
    return safe.replace(/%(3A|2F|3F|40|21|24|27|28|29|2A|2C|3B|3D)/g, decodeURIComponent);
  }
  if (location === 'path') {
    return safe.replace(style === 'matrix' ? /%(2C|3B|3D)/g : /%(2C|3D)/g, decodeURIComponent);
  }
  return style === 'form' && !explode ? safe.replaceAll('%2C', ',') : safe;
}

function contentOf(body: NonNullable<Step['body']>, resolve: Resolve): string | Uint8Array {
  if ('text' in body) {
    return body.text;
  }
  if ('base64' in body) {
    return Buffer.from(body.base64, 'base64');
  }
  let json = body.json;
  for (const { at, value } of body.references) {
    json = put(json, at, typeof value === 'string' ? value : resolve(value));
  }
  return JSON.stringify(json);
}

/** Returns a copy with one value replaced. */
export function put(json: Json, [part, ...rest]: readonly (string | number)[], value: Json): Json {
  if (part === undefined) {
    return value;
  }
  if (Array.isArray(json)) {
    return json.with(Number(part), put(json[Number(part)] ?? null, rest, value));
  }
  return isObject(json) ? { ...json, [part]: put(json[part] ?? null, rest, value) } : json;
}
