import { escapeToken } from '../../server/contract/json-values.ts';
import { isObject, type Json, type JsonObject, type OpenApiDocument } from './document.ts';

/** Keywords with data of the API as their value, not schemas. */
const DATA_KEYWORDS = new Set(['example', 'examples', 'default', 'const', 'enum']);
/** Keywords with members that have names from the contract, not keywords. */
const NAMED_MEMBERS = new Set([
  ...['properties', 'patternProperties', '$defs', 'dependentSchemas'],
  ...['schemas', 'parameters', 'responses', 'headers', 'requestBodies', 'callbacks', 'links', 'content'],
]);

/** Keywords that compose a schema from others, so that it must be sealed with `unevaluatedProperties`. */
export const COMPOSING_KEYWORDS = [
  'allOf',
  'anyOf',
  'oneOf',
  'if',
  'then',
  'else',
  'dependentSchemas',
  '$ref',
  '$dynamicRef',
];

/** Names and indexes from the root of a document, innermost first. */
export interface Position {
  step: string | number;
  parent: Position | undefined;
}

/** Returns the JSON pointer of a position (RFC 6901). */
export function pointerOf(position: Position | undefined): string {
  return position === undefined ? '#' : `${pointerOf(position.parent)}/${escapeToken(String(position.step))}`;
}

/**
 * Calls a function for each object within a part of a document, with its position in this part. Data of the API and
 * extensions are skipped.
 */
export function eachObject(
  value: Json,
  visit: (object: JsonObject, position: Position | undefined) => void,
  position?: Position,
): void {
  if (Array.isArray(value)) {
    for (let step = 0; step < value.length; step += 1) {
      visitAt(value[step], step, position, visit);
    }
  }
  if (!isObject(value)) {
    return;
  }
  visit(value, position);
  for (const keyword of Object.keys(value)) {
    const member = value[keyword];
    // Most members are texts.
    if (typeof member !== 'object' || DATA_KEYWORDS.has(keyword) || keyword.startsWith('x-')) {
      continue;
    }
    if (NAMED_MEMBERS.has(keyword) && isObject(member)) {
      const at: Position = { step: keyword, parent: position };
      for (const step of Object.keys(member)) {
        visitAt(member[step], step, at, visit);
      }
    } else {
      visitAt(member, keyword, position, visit);
    }
  }
}

function visitAt(
  value: Json | undefined,
  step: string | number,
  parent: Position | undefined,
  visit: (object: JsonObject, position: Position | undefined) => void,
): void {
  if (typeof value === 'object' && value !== null) {
    eachObject(value, visit, { step, parent });
  }
}

/**
 * Returns a copy of a document after a function has replaced each object in `paths`, `webhooks` and `components`, inner
 * objects first. Data of the API and extensions are unchanged.
 */
export function rewriteObjects(
  document: OpenApiDocument,
  change: (object: JsonObject) => Json,
): OpenApiDocument {
  // Via JSON, to remove undefined values and shared objects from emitters and YAML.
  const plain: OpenApiDocument & JsonObject = JSON.parse(JSON.stringify(document));
  const rewriteAll = (members: JsonObject) => {
    for (const [name, member] of Object.entries(members)) {
      members[name] = rewrite(member);
    }
  };
  function rewrite(value: Json): Json {
    if (Array.isArray(value)) {
      return value.map(rewrite);
    }
    if (!isObject(value)) {
      return value;
    }
    for (const keyword of Object.keys(value)) {
      const member = value[keyword];
      if (typeof member !== 'object' || DATA_KEYWORDS.has(keyword) || keyword.startsWith('x-')) {
        continue;
      }
      if (NAMED_MEMBERS.has(keyword) && isObject(member)) {
        rewriteAll(member);
      } else {
        value[keyword] = rewrite(member);
      }
    }
    return change(value);
  }
  for (const name of ['paths', 'webhooks']) {
    const items = plain[name];
    if (isObject(items)) {
      rewriteAll(items);
    }
  }
  if (isObject(plain.components)) {
    plain.components = rewrite(plain.components) as typeof plain.components;
  }
  return plain;
}
