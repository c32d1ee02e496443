import { parsePointer, textOrJson } from '../../../../server/contract/json-values.ts';
import { isObject, type Json, jsonAt } from '../../document.ts';
import type { Operation } from '../../model/contract/contract.ts';
import { addressPointer } from '../../model/plan/id-sources.ts';
import type { Reference, Step, Value } from '../../model/plan/plan.ts';
import { type Exchange, Unresolved, type WireRequest } from '../wire/exchange.ts';
import { put, requestWith } from '../wire/request.ts';

/** Returns the exchange of an earlier step, by its number. */
export type Earlier = (step: number) => Exchange | undefined;

/** What a step becomes: the request, and the values of its path as they were put in. */
export interface Resolved {
  request: WireRequest;
  path: Readonly<Record<string, string>>;
  /** The path alone, percent-encoded. */
  target: string;
}

/**
 * Puts the values of earlier responses into a step.
 * @throws {Unresolved} if an earlier response lacks a value that the step refers to, or its path lacks a value
 */
export function resolveStep(step: Step, operation: Operation, earlier: Earlier): Resolved {
  const text = (value: Value) => (typeof value === 'string' ? value : textOrJson(valueAt(value, earlier)));
  const { body } = step;
  const filled =
    body && 'json' in body
      ? { ...step, body: { ...body, json: jsonOf(step, earlier) ?? null, references: [] } }
      : step;
  const request = requestWith(operation, filled, (reference) => valueAt(reference, earlier));
  const path = Object.fromEntries(Object.entries(step.path).map(([name, value]) => [name, text(value)]));
  return { request, path, target: request.target.split('?')[0] ?? '' };
}

/** Returns the JSON body of a step with references to earlier responses resolved; undefined for other bodies. */
export function jsonOf(step: Step, earlier: Earlier): Json | undefined {
  if (!step.body || !('json' in step.body)) {
    return undefined;
  }
  const { json, references } = step.body;
  if (references.length === 0) {
    return json;
  }
  return references.reduce<Json>((changed, { at, value }) => {
    const resolved = typeof value === 'string' ? value : valueAt(value, earlier);
    return put(changed, at, asAt(changed, at, resolved));
  }, json);
}

/** Converts a value to the type of the value it replaces: header values are always text. */
function asAt(json: Json, at: readonly (string | number)[], value: Json): Json {
  const current = at.reduce<Json | undefined>((part, key) => {
    if (Array.isArray(part)) {
      return part[Number(key)];
    }
    return isObject(part) ? part[String(key)] : undefined;
  }, json);
  if (typeof current === 'number' && typeof value === 'string' && /^-?\d+$/.test(value)) {
    return Number(value);
  }
  return typeof current === 'string' && typeof value === 'number' ? String(value) : value;
}

/** Resolves a reference. @throws {Unresolved} if it has no value */
export function valueAt({ step, from }: Reference, earlier: Earlier): Json {
  const response = earlier(step)?.response;
  if (!response) {
    throw new Unresolved(`Step ${step + 1} has no response.`);
  }
  const resolved = from.startsWith('header:')
    ? headerValue(from.slice('header:'.length), response.headers)
    : scalarAt(response.json, from);
  if (resolved === undefined || resolved === null || typeof resolved === 'object') {
    throw new Unresolved(`The response of step ${step + 1} has no value at ${from}.`);
  }
  return resolved;
}

/** Returns a header's value: for `Location` the last path segment, for `Link` the parameter of the next page. */
function headerValue(name: string, headers: Readonly<Record<string, string>>): string | undefined {
  const [header = '', parameter] = name.split('?');
  const value = headers[header];
  if (value === undefined) {
    return undefined;
  }
  if (header === 'location') {
    return lastPart(value);
  }
  if (header !== 'link' || parameter === undefined) {
    return value;
  }
  const next = nextLink(value);
  return next === undefined ? undefined : (addressOf(next)?.searchParams.get(parameter) ?? undefined);
}

/** Returns the URL of the next page in a `Link` header (RFC 8288). */
export function nextLink(header: string): string | undefined {
  return /<([^>]*)>[^,]*;\s*rel="?next"?/i.exec(header)?.[1];
}

/** Resolves a source in a body: a JSON pointer, or a part of the URL at one. */
export function scalarAt(json: Json | undefined, from: string): Json | undefined {
  const pointer = addressPointer(from);
  const address = pointer === undefined ? undefined : pointed(json, pointer);
  return typeof address === 'string' ? lastPart(address) : (pointed(json, from) ?? inAddress(json, from));
}

/** Resolves `/next?cursor`: a query parameter of the URL at `/next`. */
function inAddress(json: Json | undefined, from: string): Json | undefined {
  const [, pointer, parameter] = /^(.*)\?([^?/]+)$/.exec(from) ?? [];
  const address = pointer === undefined ? undefined : pointed(json, pointer);
  if (typeof address !== 'string' || parameter === undefined) {
    return undefined;
  }
  return addressOf(address)?.searchParams.get(parameter) ?? undefined;
}

const addressOf = (text: string): URL | undefined =>
  URL.canParse(text, 'http://server/') ? new URL(text, 'http://server/') : undefined;

function lastPart(location: string): string | undefined {
  const part = addressOf(location)
    ?.pathname.split('/')
    .filter((part) => part !== '')
    .at(-1);
  try {
    return part === undefined ? undefined : decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** Resolves a JSON Pointer (RFC 6901); returns undefined if the value does not exist. */
export const pointed = (value: Json | undefined, pointer: string): Json | undefined =>
  value === undefined ? undefined : jsonAt(value, parsePointer(pointer));

/** Returns the references of a step. */
export function referencesOf(step: Step): Reference[] {
  const values: Value[] = [
    ...Object.values(step.path),
    ...step.query.map(([, value]) => value),
    ...step.headers.map(([, value]) => value),
    ...(step.body && 'json' in step.body ? step.body.references.map(({ value }) => value) : []),
  ];
  return values.filter((value) => typeof value !== 'string');
}

/** Renumbers the steps that a step refers to. */
export function renumber(step: Step, to: (step: number) => number): Step {
  const shifted = ({ step: from, from: pointer }: Reference): Reference => ({
    step: to(from),
    from: pointer,
  });
  const moved = (value: Value): Value => (typeof value === 'string' ? value : shifted(value));
  const pairs = (list: [string, Value][]) =>
    list.map(([name, value]): [string, Value] => [name, moved(value)]);
  const { body } = step;
  return {
    ...step,
    path: Object.fromEntries(pairs(Object.entries(step.path))),
    query: pairs(step.query),
    headers: pairs(step.headers),
    ...(body &&
      'json' in body && {
        body: {
          ...body,
          references: body.references.map(({ at, value }) => ({ at, value: shifted(value) })),
        },
      }),
  };
}

/** Returns the object at a JSON Pointer of a response. */
export function objectAt(json: Json | undefined, at: string) {
  const object = pointed(json, at);
  return isObject(object) ? object : undefined;
}
