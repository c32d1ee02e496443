/** Documents and schemas of the public platform without the documented differences from those of the contract. */

/** Blocks and inline nodes that public readers ignore, as they ignore all that they do not know. */
const IGNORED_TYPES = new Set(['comment', 'tag', 'anchor', 'span', 'underline']);

/** Returns what public readers know of a document. */
export function publicPart(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.flatMap((item) => (isIgnored(item) ? [] : [publicPart(item)]));
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, publicPart(entry)]));
}

const isIgnored = (item: unknown): boolean =>
  typeof item === 'object' &&
  item !== null &&
  'object' in item &&
  'type' in item &&
  IGNORED_TYPES.has(String(item.type));

/** Schemas with a `ref` that a broken link does not have. */
const WITH_FILES = /^DocumentBlock(?:File|Drawing|ReusableContent)$/;
/** Schemas of tags that can lack a reference. */
const WITH_SPECIFICATIONS = /^DocumentBlockOpenAPI/;

/**
 * Returns the schemas of the public package as its readers use them: every block and inline node is displayed wherever
 * it is, and alternatives overlap. A button has a label, although its alternatives forbid one, and can lack an action.
 */
export function publicSchemas(document: object): object {
  const schemas = 'components' in document ? document.components : undefined;
  const relax = (value: unknown, name: string, property: string): unknown => {
    if (Array.isArray(value)) {
      return value.map((item) => relax(item, name, property));
    }
    if (typeof value !== 'object' || value === null) {
      return value;
    }
    const entries = Object.entries(value).flatMap(([key, entry]): Array<[string, unknown]> => {
      if (key === 'oneOf') {
        return [['anyOf', relax(entry, name, 'anyOf')]];
      }
      if (key === 'additionalProperties' && entry === false) {
        return [];
      }
      if (key === 'items' && property === 'nodes') {
        return [
          [
            'items',
            { anyOf: [reference('DocumentBlock'), reference('DocumentInline'), reference('DocumentText')] },
          ],
        ];
      }
      if (key === 'ref' && (WITH_FILES.test(name) || WITH_SPECIFICATIONS.test(name))) {
        return [['ref', reference('ContentRef')]];
      }
      if (key === 'required' && WITH_SPECIFICATIONS.test(name) && Array.isArray(entry)) {
        return [[key, entry.filter((required) => required !== 'ref')]];
      }
      if (key === 'required' && name === 'DocumentInlineButton' && property === 'anyOf') {
        return [];
      }
      if (key === 'pattern' && name === 'DocumentBlockHeading') {
        return [];
      }
      const inner = key === 'properties' || key === 'schemas' || key === 'allOf' ? property : key;
      return [[key, relax(entry, /^[A-Z]/.test(key) ? key : name, inner)]];
    });
    return Object.fromEntries(entries);
  };
  return { components: relax(schemas, '', '') };
}

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
