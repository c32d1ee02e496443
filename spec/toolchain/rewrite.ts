import { isObject, type Json, type JsonObject, type OpenApiDocument } from './document.ts';

/** Examples and defaults are data of the API, not schemas: they stay as written. */
const dataKeywords = new Set(['example', 'examples', 'default', 'const', 'enum']);
/** Below these, a key is a name that the contract chose, not a keyword. */
const namedMembers = new Set([
  ...['properties', 'patternProperties', '$defs', 'dependentSchemas'],
  ...['schemas', 'parameters', 'responses', 'headers', 'requestBodies', 'callbacks', 'links', 'content'],
]);

/**
 * Hands every object below `paths`, `webhooks` and `components` through a function, the inner ones first, save what
 * is data of the API or an extension. Returns a new document.
 */
export function rewriteObjects(
  document: OpenApiDocument,
  change: (object: JsonObject) => Json,
): OpenApiDocument {
  // Through JSON: drops undefined values and the sharing of objects that an emitter or YAML leaves behind.
  const plain: OpenApiDocument & JsonObject = JSON.parse(JSON.stringify(document));
  const rewriteAll = (members: JsonObject) => {
    for (const [name, member] of Object.entries(members)) members[name] = rewrite(member);
  };
  function rewrite(value: Json): Json {
    if (Array.isArray(value)) return value.map(rewrite);
    if (!isObject(value)) return value;
    for (const [keyword, member] of Object.entries(value)) {
      if (dataKeywords.has(keyword) || keyword.startsWith('x-')) continue;
      if (namedMembers.has(keyword) && isObject(member)) rewriteAll(member);
      else value[keyword] = rewrite(member);
    }
    return change(value);
  }
  for (const name of ['paths', 'webhooks']) {
    const items = plain[name];
    if (isObject(items)) rewriteAll(items);
  }
  if (isObject(plain.components)) plain.components = rewrite(plain.components) as typeof plain.components;
  return plain;
}
