/** What a client of the platform meets at this service, by operation and by direction. */
import type { Change } from '../../../spec/toolchain/diff/change.ts';
import { findDifferences } from '../../../spec/toolchain/diff/diff.ts';
import { type Entry, entriesOf, originText } from '../../../spec/toolchain/diff/entries.ts';
import { isObject, type JsonObject } from '../../../spec/toolchain/document.ts';
import type { Source } from '../../../spec/toolchain/source.ts';

/** Kinds of differences, with their descriptions. */
export const KINDS = {
  missing: 'operations that only the platform has',
  required: 'fields of responses that the platform always returns, and this service does not have',
  absent: 'fields of responses that this service may omit',
  values: 'values of responses that the platform does not have',
  rejected: 'fields and values of requests that this service rejects',
  demanded: 'fields of requests that only this service requires',
  optional: 'optional fields of responses that this service does not have',
  limits: 'limits of this service',
} as const;

export type Kind = keyof typeof KINDS;

/** Kinds that are listed; of the others, the table has the numbers. */
export const LISTED: readonly Kind[] = ['missing', 'required', 'absent', 'values', 'rejected', 'demanded'];

/** A difference, with the operations that it reaches. */
export interface Difference {
  kind: Kind;
  text: string;
  operations: string[];
}

const KIND_OF: Partial<Record<Change['rule'], Kind>> = {
  'operation-removed': 'missing',
  'response-property-removed': 'required',
  'response-property-became-optional': 'absent',
  'response-variant-widened': 'values',
  'response-enum-widened': 'values',
  'response-type-widened': 'values',
  'response-type-changed': 'values',
  'response-null-widened': 'values',
  'response-variant-changed': 'values',
  'response-format-widened': 'values',
  'request-property-removed': 'rejected',
  'parameter-removed': 'rejected',
  'request-variant-narrowed': 'rejected',
  'request-enum-narrowed': 'rejected',
  'request-type-narrowed': 'rejected',
  'request-type-changed': 'rejected',
  'request-null-narrowed': 'rejected',
  'request-property-became-required': 'demanded',
  'request-property-required-added': 'demanded',
  'request-body-became-required': 'demanded',
  'request-limit-narrowed': 'limits',
  'request-pattern-narrowed': 'limits',
  'request-format-narrowed': 'limits',
};

/** Compares the document of the platform with that of this service, as a client of the platform sees it. */
export function compareWithPlatform(platform: Source, own: Source): Difference[] {
  const withoutServers = { ...own, root: { ...own.root, servers: [] } };
  const { changes } = findDifferences(platform, withoutServers);
  return entriesOf(changes.filter(({ rule }) => KIND_OF[rule] !== undefined)).map((entry) => ({
    kind: kindOf(entry, platform.root),
    text: textOf(entry),
    operations: [...new Set(entry.all.map(({ endpoint }) => endpoint))],
  }));
}

function kindOf({ change, origin }: Entry, root: JsonObject): Kind {
  const kind = KIND_OF[change.rule] ?? 'optional';
  const isOptional = kind === 'required' && !(origin && isRequired(root, origin.schema, origin.path));
  return isOptional ? 'optional' : kind;
}

const textOf = ({ change, origin, message }: Entry): string =>
  change.rule === 'operation-removed' || change.rule === 'parameter-removed'
    ? change.endpoint + (change.rule === 'parameter-removed' ? `: ${message}` : '')
    : `${origin ? originText(origin) : `${change.endpoint} ${change.location}`}: ${message}`;

/** Returns whether a component schema requires the property at a path, such as `items[].urls.app`. */
function isRequired(root: JsonObject, schema: string, path: string): boolean {
  const names = path.split('.').map((name) => name.replace(/(?:\[\])+$/, ''));
  const last = names.pop() ?? '';
  const components =
    isObject(root.components) && isObject(root.components.schemas) ? root.components.schemas : {};
  let objects = objectsOf(root, components[schema]);
  for (const name of names) {
    objects = objects.flatMap(({ properties }) =>
      isObject(properties) && Object.hasOwn(properties, name) ? objectsOf(root, properties[name]) : [],
    );
  }
  return objects.some(({ required }) => Array.isArray(required) && required.includes(last));
}

/** Maximum depth of references and compositions that are followed. */
const MAX_COMPOSITION_DEPTH = 20;

/** Returns the schemas that a schema refers to or consists of, without those of its properties. */
function objectsOf(root: JsonObject, schema: unknown, depth = 0): JsonObject[] {
  if (!isObject(schema) || depth > MAX_COMPOSITION_DEPTH) {
    return [];
  }
  const { $ref, items, allOf, anyOf, oneOf } = schema;
  const parts = [resolve(root, $ref), items, allOf, anyOf, oneOf].flat();
  return [schema, ...parts.flatMap((part) => objectsOf(root, part, depth + 1))];
}

function resolve(root: JsonObject, ref: unknown): unknown {
  if (typeof ref !== 'string') {
    return undefined;
  }
  return ref
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
      root,
    );
}
