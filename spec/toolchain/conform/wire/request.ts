import { isObject, type Json } from '../../document.ts';
import type { Operation, Parameter } from '../contract/contract.ts';
import type { Reference, Step, Value } from '../plan/plan.ts';
import type { Exchange, WireRequest } from './exchange.ts';

/** A plan refers to a value that the earlier answer does not hold. */
export class DanglingReference extends Error {}

/** How a reference becomes a value. */
export type Resolve = (reference: Reference) => Json;

/**
 * The request of a step, with the values that it takes from earlier answers.
 * @param earlier what became of the steps before it, in the plan's order
 * @throws {DanglingReference} when an earlier step has no answer, or no such value in it
 */
export function wireRequest(operation: Operation, step: Step, earlier: readonly Exchange[]): WireRequest {
  return requestWith(operation, step, (reference) => resolveReference(reference, earlier));
}

/** The request of a step, its references made values by a function. */
export function requestWith(operation: Operation, step: Step, resolve: Resolve): WireRequest {
  const text = (value: Value): string => (typeof value === 'string' ? value : textOf(value, resolve(value)));
  const parameter = (place: Parameter['in'], name: string) =>
    operation.parameters.find((one) => one.in === place && one.name === name);
  const path = operation.path.replace(/\{([^{}]+)\}/g, (braces, name: string) => {
    const raw = step.fault?.rawPath?.[name];
    if (raw !== undefined) return raw;
    const value = step.path[name];
    return value === undefined ? braces : encoded(text(value), parameter('path', name));
  });
  const query = step.query.map(([name, value]) => {
    // Of a parameter in the style deepObject each property has a name of its own.
    const declared = parameter('query', name) ?? parameter('query', name.replace(/\[.*$/, ''));
    return `${encoded(name)}=${encoded(text(value), declared)}`;
  });
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

/**
 * The value that a reference leads to.
 * @throws {DanglingReference}
 */
export function resolveReference(reference: Reference, earlier: readonly Exchange[]): Json {
  const answer = earlier[reference.step]?.answer;
  const header = /^header:(.*)$/s.exec(reference.from)?.[1];
  const value =
    header === undefined ? at(answer?.json, partsOf(reference.from)) : answer?.headers[header.toLowerCase()];
  if (value === undefined) {
    const why = answer ? `its answer of status ${answer.status} has none there` : 'it has no answer';
    throw new DanglingReference(
      `A value is to come from ${reference.from} of step ${reference.step + 1}: ${why}.`,
    );
  }
  return value;
}

/** The parts of a JSON pointer (RFC 6901). */
export const partsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

function at(value: Json | undefined, [part, ...rest]: string[]): Json | undefined {
  if (part === undefined) return value;
  if (Array.isArray(value)) return at(value[Number(part)], rest);
  return isObject(value) && Object.hasOwn(value, part) ? at(value[part], rest) : undefined;
}

function textOf(reference: Reference, value: Json): string {
  if (value !== null && typeof value !== 'object') return String(value);
  throw new DanglingReference(
    `A text is to come from ${reference.from} of step ${reference.step + 1}, which holds ${value === null ? 'null' : 'no single value'}.`,
  );
}

/** Percent-encoding of a value, which leaves what its parameter's style separates values by. */
function encoded(text: string, parameter?: Parameter): string {
  const safe = encodeURIComponent(text.toWellFormed());
  if (!parameter) return safe;
  // A plus sign would be read as a space, and the others end the value.
  if (parameter.allowReserved)
    return safe.replace(/%(3A|2F|3F|40|21|24|27|28|29|2A|2C|3B|3D)/g, decodeURIComponent);
  const { in: place, style, explode } = parameter;
  if (style === 'simple' || (style === 'form' && !explode)) return safe.replaceAll('%2C', ',');
  if (place === 'path') return safe.replace(/%(2C|3B|3D)/g, decodeURIComponent);
  return safe;
}

function contentOf(body: NonNullable<Step['body']>, resolve: Resolve): string | Uint8Array {
  if ('text' in body) return body.text;
  if ('base64' in body) return Buffer.from(body.base64, 'base64');
  let json = body.json;
  for (const { at: place, value } of body.references)
    json = put(json, place, typeof value === 'string' ? value : resolve(value));
  return JSON.stringify(json);
}

/** A copy with another value in one place. */
function put(json: Json, [part, ...rest]: readonly (string | number)[], value: Json): Json {
  if (part === undefined) return value;
  if (Array.isArray(json)) return json.with(Number(part), put(json[Number(part)] ?? null, rest, value));
  if (isObject(json)) return { ...json, [part]: put(json[part] ?? null, rest, value) };
  throw new DanglingReference(
    `The body has no place ${[part, ...rest].join('/')} for a value of an earlier answer.`,
  );
}
