import { isObject, type Json, type JsonObject, type OpenApiDocument } from '../document.ts';
import { eachObject, pointerOf } from '../rewrite.ts';

/**
 * Combines media types with different schemas that differ only in their parameters, such as a charset or a version, in
 * place: servers and clients of HTTP do not agree on which of them a message has. Values of each schema are accepted. A
 * media type without a schema documents a media type that has one.
 *
 * @param report receives what was combined
 */
export function combineMediaTypes(document: OpenApiDocument, report: (message: string) => void): void {
  // A document is JSON.
  eachObject(document as unknown as Json, (object, position) => {
    const { content } = object;
    if (isObject(content) && Object.keys(content).length > 1) {
      for (const types of repeatedTypes(content)) {
        combine(content, types);
        report(
          `${pointerOf(position)}/content declares ${types.join(' and ')} with different schemas, and parameters of media types do not distinguish requests and responses: the values of each are accepted as ${types[0]}. Declare one of them.`,
        );
      }
    }
  });
}

/** Returns the lists of media types that differ in parameters or case only, and have different schemas. */
function repeatedTypes(content: JsonObject): string[][] {
  const types = Object.keys(content).filter((type) => type.includes('/') && isObject(content[type]));
  const groups = Map.groupBy(types, (type) => (type.split(';', 1)[0] ?? '').trim().toLowerCase());
  return [...groups.values()].filter((group) => schemasOf(content, group, true).length > 1);
}

/** Returns the distinct schemas of media types. */
function schemasOf(content: JsonObject, types: readonly string[], isComplete: boolean): Json[] {
  const schemas = new Map<string, Json>();
  for (const type of types) {
    const media = content[type];
    const schema = isObject(media) ? media.schema : undefined;
    if (schema !== undefined || isComplete) {
      schemas.set(JSON.stringify(schema) ?? '', schema ?? {});
    }
  }
  return [...schemas.values()];
}

function combine(content: JsonObject, types: readonly string[]): void {
  const [first = '', ...others] = types;
  const [schema = {}, ...more] = schemasOf(content, types, false);
  const members = types.map((type) => content[type]).filter(isObject);
  content[first] = {
    ...Object.assign({}, ...members.toReversed()),
    schema: more.length === 0 ? schema : { anyOf: [schema, ...more] },
  };
  for (const type of others) {
    delete content[type];
  }
}
