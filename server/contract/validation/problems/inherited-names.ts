import type { OpenApiDocument } from '../../document.ts';
import { visitDocument } from '../grammar.ts';

/** Names that every object inherits, such as `constructor` and `toString`. */
const INHERITED_NAMES: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

/** The same as texts of a document. */
const INHERITED_TEXTS = new RegExp(`"(?:${[...INHERITED_NAMES].join('|')})"`);

const results = new WeakMap<OpenApiDocument, boolean>();

/**
 * Returns whether a schema of a document names a property that every object inherits. Validators would read that of the
 * prototype if a value has none, unless they distinguish its own properties, which takes longer.
 */
export function namesInheritedProperty(document: OpenApiDocument): boolean {
  // Few documents contain such a text at all, which takes a third of the time to find.
  const result =
    results.get(document) ?? (INHERITED_TEXTS.test(JSON.stringify(document)) && findInheritedName(document));
  results.set(document, result);
  return result;
}

function findInheritedName(document: OpenApiDocument): boolean {
  let isFound = false;
  visitDocument(document, ({ object, kind }) => {
    const { properties, required, dependentRequired, dependentSchemas } = object;
    isFound ||=
      kind === 'schema' &&
      [
        ...(Array.isArray(required) ? required : []),
        ...[properties, dependentRequired, dependentSchemas].flatMap(keysOf),
      ].some((name) => INHERITED_NAMES.has(String(name)));
  });
  return isFound;
}

const keysOf = (value: unknown): string[] =>
  typeof value === 'object' && value !== null ? Object.keys(value) : [];
