import {
  formatReference,
  MAX_REFERENCE_HOPS,
  parseReference,
  type Steps,
} from '../../../server/contract/json-values.ts';
import { isObject, type Json, type JsonObject, jsonAt } from '../document.ts';
import { unusedName } from '../names.ts';
import { eachObject, type Position } from '../rewrite.ts';
import type { Dialect } from './grammar.ts';

/** Base of the addresses in a document with an unknown address. No file has it. */
const DOCUMENT_ADDRESS = 'contract://document/';

/** A reference, the base of its address, and the root of the resource that contains it. */
interface Located {
  object: JsonObject;
  base: string;
}

/**
 * Replaces the references of a document by JSON pointers that name the place of their target, in place, because types,
 * validators and other readers only follow these:
 * - references to the `$id` or `$anchor` of a schema, which are then removed. OpenAPI 3.0 does not define them.
 * - `$dynamicRef`, if the document has only one `$dynamicAnchor` of this name, so that it is always the same schema.
 * - pointers that lead through another reference. What is next to a reference, which 3.0 and 2.0 ignore, gets a place of
 *   its own among the schemas.
 *
 * References that do not resolve remain, for those who report them.
 */
export function resolveAddresses(root: JsonObject, dialect: Dialect): void {
  const { addresses, anchors, schemas, references } = addressesIn(root, dialect);
  const resolver = new Resolver(root, dialect, addresses);
  for (const { object, base } of references) {
    if (typeof object.$ref === 'string') {
      object.$ref = resolver.pointer(object.$ref, base) ?? object.$ref;
    } else {
      resolveDynamic(object, anchors);
    }
  }
  for (const schema of schemas) {
    delete schema.$id;
    delete schema.$anchor;
    if (anchors.get(String(schema.$dynamicAnchor))?.length === 1) {
      delete schema.$dynamicAnchor;
    }
  }
}

/** Addresses and references of a document. */
interface Addresses {
  /** Steps to what has an address. */
  addresses: Map<string, Steps>;
  /** Steps to the schemas with a dynamic anchor, by its name. */
  anchors: Map<string, Steps[]>;
  /** Schemas with an address. */
  schemas: JsonObject[];
  references: Located[];
}

function addressesIn(root: JsonObject, dialect: Dialect): Addresses {
  const addresses = new Map<string, Steps>([[DOCUMENT_ADDRESS, []]]);
  const anchors = new Map<string, Steps[]>();
  const schemas: JsonObject[] = [];
  const references: Located[] = [];
  const bases = new Map<Position | undefined, string>();
  eachObject(root, (object, position) => {
    const base = baseOf(bases, position?.parent);
    const { $id, $anchor, $dynamicAnchor, $ref, $dynamicRef } = object;
    if ([$id, $anchor, $dynamicAnchor].some((name) => typeof name === 'string')) {
      schemas.push(object);
    }
    const own = dialect === '3.1' && typeof $id === 'string' ? addressOf($id, base) : undefined;
    if (own !== undefined) {
      addresses.set(own, stepsTo(position));
      // An address with a fragment is an anchor of earlier versions.
      bases.set(position, own.includes('#') ? base : own);
    }
    for (const anchor of dialect === '3.1' ? [$anchor, $dynamicAnchor] : []) {
      if (typeof anchor === 'string') {
        addresses.set(`${baseOf(bases, position)}#${anchor}`, stepsTo(position));
      }
    }
    if (dialect === '3.1' && typeof $dynamicAnchor === 'string') {
      anchors.set($dynamicAnchor, [...(anchors.get($dynamicAnchor) ?? []), stepsTo(position)]);
    }
    if (typeof $ref === 'string' || typeof $dynamicRef === 'string') {
      references.push({ object, base: baseOf(bases, position) });
    }
  });
  return { addresses, anchors, schemas, references };
}

/** Returns the address of the closest schema around a position that has one. */
function baseOf(bases: ReadonlyMap<Position | undefined, string>, position: Position | undefined): string {
  for (let at = position; at && bases.size > 0; at = at.parent) {
    const base = bases.get(at);
    if (base !== undefined) {
      return base;
    }
  }
  return DOCUMENT_ADDRESS;
}

/** A dynamic reference depends on the schemas that refer to its own only if several have the same anchor. */
function resolveDynamic(object: JsonObject, dynamic: ReadonlyMap<string, readonly Steps[]>): void {
  const { $dynamicRef } = object;
  if (typeof $dynamicRef !== 'string') {
    return;
  }
  const [target, ...others] = dynamic.get($dynamicRef.replace(/^#/, '')) ?? [];
  if (target !== undefined && others.length === 0) {
    delete object.$dynamicRef;
    object.$ref = formatReference(target);
  }
}

/** Follows references. Finds their targets by address. */
class Resolver {
  readonly #root: JsonObject;
  readonly #dialect: Dialect;
  readonly #addresses: ReadonlyMap<string, Steps>;
  readonly #added = new Map<string, string>();

  constructor(root: JsonObject, dialect: Dialect, addresses: ReadonlyMap<string, Steps>) {
    this.#root = root;
    this.#dialect = dialect;
    this.#addresses = addresses;
  }

  /** Returns a reference to the same target by its place; undefined if it is unknown. */
  pointer(reference: string, base: string): string | undefined {
    const target = this.#find(reference, base);
    const walked = target && this.#walk(target);
    if (walked === undefined) {
      return undefined;
    }
    // What is usual remains as it is written.
    const isUsual = walked.isDirect && base === DOCUMENT_ADDRESS && reference.startsWith('#/');
    return isUsual ? undefined : formatReference(walked.tokens);
  }

  /** Returns the steps to a target. A pointer is one in the resource around it, or else, as many authors mean, in the document. */
  #find(reference: string, base: string): Steps | undefined {
    const address = addressOf(reference, base);
    if (address === undefined) {
      return undefined;
    }
    const [resource = '', fragment = ''] = address.split('#');
    const root = this.#addresses.get(resource);
    if (fragment !== '' && !fragment.startsWith('/')) {
      return this.#addresses.get(address);
    }
    const inner = fragment === '' ? [] : parseReference(`#${fragment}`);
    const inResource = root && [...root, ...inner];
    return inResource && (root.length === 0 || this.#walk(inResource) || !reference.startsWith('#'))
      ? inResource
      : reference.startsWith('#/')
        ? inner
        : undefined;
  }

  /** Follows steps, and the references on the way. */
  #walk(steps: Steps, hops = 0): { tokens: Steps; isDirect: boolean } | undefined {
    let value: Json = this.#root;
    for (const [index, step] of steps.entries()) {
      if (isObject(value) && typeof value.$ref === 'string') {
        const isOwn = Object.hasOwn(value, step);
        if (isOwn && this.#dialect !== '3.1') {
          return this.#schemaFor(steps);
        }
        if (!isOwn) {
          const target = hops > MAX_REFERENCE_HOPS ? undefined : this.#find(value.$ref, DOCUMENT_ADDRESS);
          const walked = target && this.#walk([...target, ...steps.slice(index)], hops + 1);
          return walked && { ...walked, isDirect: false };
        }
      }
      const member = jsonAt(value, [step]);
      if (member === undefined) {
        return undefined;
      }
      value = member;
    }
    return { tokens: steps, isDirect: true };
  }

  /** Copies a part of a schema that its reader ignores, so that it can be referred to. */
  #schemaFor(steps: Steps): { tokens: Steps; isDirect: boolean } | undefined {
    const value = jsonAt(this.#root, steps);
    if (value === undefined) {
      return undefined;
    }
    const pointer = formatReference(steps);
    const group = schemaGroup(this.#root, this.#dialect);
    let name = this.#added.get(pointer);
    if (name === undefined) {
      name = unusedName(String(steps.at(-1)), (used) => Object.hasOwn(group.schemas, used));
      this.#added.set(pointer, name);
      group.schemas[name] = structuredClone(value);
    }
    return { tokens: [...group.tokens, name], isDirect: false };
  }
}

/** Returns the schemas of a document with names. */
function schemaGroup(root: JsonObject, dialect: Dialect): { schemas: JsonObject; tokens: string[] } {
  const tokens = dialect === '2.0' ? ['definitions'] : ['components', 'schemas'];
  let schemas = root;
  for (const token of tokens) {
    const member = schemas[token];
    const inner: JsonObject = isObject(member) ? member : {};
    schemas[token] = inner;
    schemas = inner;
  }
  return { schemas, tokens };
}

/** Returns an absolute address, without an empty fragment; undefined if it is none. */
function addressOf(reference: string, base: string): string | undefined {
  if (reference.startsWith('#')) {
    return reference === '#' ? base : base + reference;
  }
  return URL.canParse(reference, base) ? new URL(reference, base).href.replace(/#$/, '') : undefined;
}

function stepsTo(position: Position | undefined): Steps {
  const steps: (string | number)[] = [];
  for (let at = position; at; at = at.parent) {
    steps.unshift(at.step);
  }
  return steps;
}
