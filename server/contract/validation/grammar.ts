/*
 * The grammar of an OpenAPI document: where its schemas are. Everything else is data, even if it looks like a schema:
 * an example can have a member `$ref`, and a property can be named `example`.
 */
import { METHODS, type OpenApiDocument } from '../document.ts';
import { escapeToken, isObject } from '../json-values.ts';

/** A kind of object in a document. */
export type Kind =
  | 'pathItem'
  | 'operation'
  | 'parameter'
  | 'body'
  | 'response'
  | 'mediaType'
  | 'encoding'
  | 'schema';

/** What a member contains: an object of a kind, a list of them, or a map of names to them. */
type Contents = Kind | { list: Kind } | { map: Kind };
type Grammar = ReadonlyMap<string, Contents>;

/** Keywords with a schema as their value. */
const SCHEMA_KEYWORDS = [
  ...[
    'items',
    'additionalProperties',
    'unevaluatedItems',
    'unevaluatedProperties',
    'propertyNames',
    'contains',
  ],
  ...['not', 'if', 'then', 'else'],
];
/** Keywords with a list of schemas as their value. */
const LIST_KEYWORDS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
/** Keywords with a map of names to schemas as their value. */
const MAP_KEYWORDS = ['properties', 'patternProperties', 'dependentSchemas', '$defs'];

/** The keywords of JSON Schema that contain schemas. */
export const SCHEMA_GRAMMAR: Grammar = new Map<string, Contents>([
  ...SCHEMA_KEYWORDS.map((keyword) => [keyword, 'schema'] as const),
  ...LIST_KEYWORDS.map((keyword) => [keyword, { list: 'schema' }] as const),
  ...MAP_KEYWORDS.map((keyword) => [keyword, { map: 'schema' }] as const),
]);

const DESCRIBED_CONTENTS: [string, Contents][] = [
  ['schema', 'schema'],
  ['content', { map: 'mediaType' }],
];

/** The members of each kind of object that contain schemas or references. */
export const GRAMMARS: Readonly<Record<Kind, Grammar>> = {
  pathItem: new Map<string, Contents>([
    ['parameters', { list: 'parameter' }],
    ...METHODS.map((method) => [method, 'operation'] as const),
  ]),
  operation: new Map<string, Contents>([
    ['parameters', { list: 'parameter' }],
    ['requestBody', 'body'],
    ['responses', { map: 'response' }],
  ]),
  // A header is a parameter without a name.
  parameter: new Map(DESCRIBED_CONTENTS),
  body: new Map(DESCRIBED_CONTENTS),
  response: new Map<string, Contents>([...DESCRIBED_CONTENTS, ['headers', { map: 'parameter' }]]),
  mediaType: new Map<string, Contents>([
    ['schema', 'schema'],
    ['encoding', { map: 'encoding' }],
  ]),
  encoding: new Map<string, Contents>([['headers', { map: 'parameter' }]]),
  schema: SCHEMA_GRAMMAR,
};

const COMPONENTS: [string, Kind][] = [
  ['schemas', 'schema'],
  ['parameters', 'parameter'],
  ['headers', 'parameter'],
  ['requestBodies', 'body'],
  ['responses', 'response'],
  ['pathItems', 'pathItem'],
];

/** Position in a document. Its pointer is created only where one is reported. */
export interface Position {
  key: string;
  parent?: Position;
}

/** Returns the JSON Pointer of a position, as a fragment. */
export function pointerOf({ key, parent }: Position): string {
  return `${parent ? pointerOf(parent) : '#'}/${escapeToken(key)}`;
}

/** An object of a document that a {@link Visit} receives. */
export interface Visited {
  object: Record<string, unknown>;
  kind: Kind;
  position: Position;
}

/**
 * Visits the objects of a document that can contain schemas or references, each once and before its members, without
 * following references.
 */
export function visitDocument(document: OpenApiDocument, visit: (visited: Visited) => void): void {
  visitMembers(document.paths, 'pathItem', { key: 'paths' }, visit, new Set());
  visitComponents(document, visit);
}

function visitComponents(document: OpenApiDocument, visit: (visited: Visited) => void): void {
  const { components = {} } = document;
  for (const [name, kind] of COMPONENTS) {
    visitMembers(components[name], kind, { key: name, parent: { key: 'components' } }, visit, new Set());
  }
}

/** Visits a part of a document: a schema, an operation, or another object. */
export function visitPart(
  value: unknown,
  kind: Kind,
  position: Position,
  visit: (visited: Visited) => void,
  visited = new Set<unknown>(),
): void {
  if (!isObject(value) || visited.has(value)) {
    return;
  }
  visited.add(value);
  visit({ object: value, kind, position });
  for (const [key, member] of Object.entries(value)) {
    const contents = GRAMMARS[kind].get(key);
    if (contents === undefined || typeof member !== 'object' || member === null) {
      continue;
    }
    const inner = { key, parent: position };
    if (typeof contents === 'string') {
      visitPart(member, contents, inner, visit, visited);
    } else {
      visitMembers(member, 'map' in contents ? contents.map : contents.list, inner, visit, visited);
    }
  }
}

function visitMembers(
  members: unknown,
  kind: Kind,
  parent: Position,
  visit: (visited: Visited) => void,
  visited: Set<unknown>,
): void {
  if (typeof members !== 'object' || members === null) {
    return;
  }
  for (const [key, member] of Object.entries(members)) {
    visitPart(member, kind, { key, parent }, visit, visited);
  }
}

/** Copies an object that is not a schema, with each schema in it replaced by a function, and without examples. */
export function copyPart(value: unknown, kind: Kind, copySchema: (schema: unknown) => unknown): unknown {
  if (kind === 'schema') {
    return copySchema(value);
  }
  if (!isObject(value)) {
    return value;
  }
  const copied: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const contents = GRAMMARS[kind].get(key);
    if (contents === undefined) {
      if (key !== 'example' && key !== 'examples') {
        copied[key] = member;
      }
    } else if (typeof contents === 'string') {
      copied[key] = copyPart(member, contents, copySchema);
    } else if ('map' in contents) {
      copied[key] = isObject(member)
        ? mapValues(member, (inner) => copyPart(inner, contents.map, copySchema))
        : member;
    } else {
      copied[key] = Array.isArray(member)
        ? member.map((inner) => copyPart(inner, contents.list, copySchema))
        : member;
    }
  }
  return copied;
}

/** Copies an object with its values replaced. */
export const mapValues = (
  object: Record<string, unknown>,
  change: (value: unknown) => unknown,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
