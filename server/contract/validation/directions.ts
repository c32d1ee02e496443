import { type OpenApiDocument, schemaOf } from '../document.ts';
import { isObject } from '../json-values.ts';

/**
 * What happens to `readOnly` properties of requests. JSON Schema expects the owner of the data to ignore or reject them
 * (Validation, section 9.4): `ignore` removes them before the handler is called, so that clients can send back what
 * they received.
 */
export type ReadOnlyPolicy = 'ignore' | 'reject';

/** A keyword of the validators: removes or rejects the property that has it. */
export const UNSENT_PROPERTY = 'x-unsent-property';

/** Returns the keywords of a schema that differ in one direction, given its copy. */
export type Restrict = (
  schema: Record<string, unknown>,
  copied: Record<string, unknown>,
) => Record<string, unknown>;

/** Returns the restriction of requests: `readOnly` properties are ignored or rejected, and never required. */
export const readOnlyRestriction = (
  document: OpenApiDocument,
  policy: ReadOnlyPolicy,
): Restrict | undefined => restrictionOf(document, 'readOnly', policy);

/** Returns the restriction of responses: `writeOnly` properties are rejected, and never required. */
export const writeOnlyRestriction = (document: OpenApiDocument): Restrict | undefined =>
  restrictionOf(document, 'writeOnly', 'reject');

type Keyword = 'readOnly' | 'writeOnly';

function restrictionOf(
  document: OpenApiDocument,
  keyword: Keyword,
  policy: ReadOnlyPolicy,
): Restrict | undefined {
  if (!occurs(document, keyword)) {
    return undefined;
  }
  return (schema, copied) => {
    const names = propertiesWith(document, schema, keyword);
    if (names.size === 0) {
      return {};
    }
    const { properties, allOf } = copied;
    const restricted = Object.entries(isObject(properties) ? properties : {}).map(([name, property]) => [
      name,
      names.has(name) ? { [UNSENT_PROPERTY]: { keyword, policy } } : property,
    ]);
    return {
      ...(isObject(properties) && { properties: Object.fromEntries(restricted) }),
      ...withoutRequired(copied, names),
      ...(Array.isArray(allOf) && {
        allOf: allOf.map((part) => (isObject(part) ? { ...part, ...withoutRequired(part, names) } : part)),
      }),
    };
  };
}

const withoutRequired = ({ required }: Record<string, unknown>, names: ReadonlySet<unknown>) =>
  Array.isArray(required) && { required: required.filter((name) => !names.has(name)) };

/** Returns the names of properties with a keyword that a schema and the parts of its `allOf` declare. */
export function propertiesWith(document: OpenApiDocument, schema: unknown, keyword: Keyword): Set<string> {
  const { properties, allOf } = schemaOf(document, schema);
  const names = new Set<string>();
  for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
    if (
      isObject(property) &&
      (property[keyword] === true || schemaOf(document, property)[keyword] === true)
    ) {
      names.add(name);
    }
  }
  for (const part of Array.isArray(allOf) ? allOf : []) {
    for (const name of propertiesWith(document, part, keyword)) {
      names.add(name);
    }
  }
  return names;
}

/** Whether a keyword occurs in a document. Most documents need no restrictions. */
function occurs(document: OpenApiDocument, keyword: Keyword): boolean {
  const byKeyword = occurrences.get(document) ?? new Map<Keyword, boolean>();
  occurrences.set(document, byKeyword);
  const cached = byKeyword.get(keyword) ?? JSON.stringify(document).includes(`"${keyword}":true`);
  byKeyword.set(keyword, cached);
  return cached;
}

const occurrences = new WeakMap<OpenApiDocument, Map<Keyword, boolean>>();
