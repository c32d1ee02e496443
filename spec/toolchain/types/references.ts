import {
  formatReference,
  MAX_REFERENCE_HOPS,
  parseReference,
  valueAt,
} from '../../../server/contract/json-values.ts';
import {
  dereference,
  isBareReference,
  isObject,
  type Json,
  type JsonObject,
  modelReference,
  type OpenApiDocument,
} from '../document.ts';
import { capitalize, unusedName } from '../names.ts';
import { eachObject, type Position } from '../rewrite.ts';

/** Maps whose members are not schemas. */
const SHARED_PARTS = new Set(['parameters', 'responses', 'requestBodies', 'headers', 'callbacks', 'links']);

/**
 * Copies a document so that it contains only references that have a type of their own:
 * - a reference into a schema, a path or a response refers to a model that is a copy of its target, such as `ThingColor`
 *   for `#/components/schemas/Thing/properties/color`.
 * - references to parameters, responses and so on that are not components, or components that are references, are
 *   replaced by their targets.
 * - names are escaped in the same way everywhere.
 */
export function withModelReferences(document: OpenApiDocument): OpenApiDocument {
  const copy = structuredClone(document);
  const models: Record<string, Json> = { ...copy.components?.schemas };
  const added = new Map<string, string>();
  // Both are JSON, although their types list only some members. The queue grows with the copies of targets.
  const queue: { part: Json; at?: Position }[] = [
    ...['paths', 'webhooks', 'components'].map((name) => ({ part: (copy[name as 'paths'] ?? {}) as Json })),
  ];
  const modelAt = (tokens: readonly string[], target: Json): string => {
    const pointer = formatReference(tokens);
    let name = added.get(pointer);
    if (name === undefined) {
      name = unusedName(modelNameOf(tokens), (used) => Object.hasOwn(models, used));
      added.set(pointer, name);
      const model = asModel(target);
      models[name] = model;
      queue.push({ part: model });
    }
    return modelReference(name);
  };
  for (const { part } of queue) {
    eachObject(part, (object, position) => {
      if (typeof object.$ref !== 'string') {
        return;
      }
      const { tokens, target } = lastReference(document, object.$ref);
      if (isComponent(tokens) && !isBareReference(target)) {
        object.$ref = formatReference(tokens);
      } else if (isSharedPart(position)) {
        const inlined = structuredClone(dereference<JsonObject>(document, { $ref: object.$ref }));
        delete object.$ref;
        Object.assign(object, inlined);
      } else if (isComponent(tokens)) {
        object.$ref = formatReference(tokens);
      } else {
        object.$ref = modelAt(tokens, target);
      }
    });
  }
  inlineOptionalHeaders(copy);
  if (added.size > 0) {
    copy.components = { ...copy.components, schemas: models };
  }
  return copy;
}

/** Follows references as long as their targets are nothing but references to other places than components. */
function lastReference(document: OpenApiDocument, reference: string): { tokens: string[]; target: Json } {
  let tokens = parseReference(reference);
  let target = valueAt(document, tokens);
  for (
    let hops = 0;
    hops < MAX_REFERENCE_HOPS && !isComponent(tokens) && isBareReference(target);
    hops += 1
  ) {
    tokens = parseReference(target.$ref);
    target = valueAt(document, tokens);
  }
  // Members of a document are JSON.
  return { tokens, target: (target ?? {}) as Json };
}

const isComponent = ([root, , , ...inner]: readonly string[]): boolean =>
  root === 'components' && inner.length === 0;

/** Whether an object is a parameter, a response and so on, not a schema. */
function isSharedPart(position: Position | undefined): boolean {
  const map = position?.parent;
  return (
    position?.step === 'requestBody' ||
    (map !== undefined &&
      SHARED_PARTS.has(String(map.step)) &&
      // In a map of schemas, these are the names of schemas.
      map.parent?.step !== 'schemas' &&
      map.parent?.step !== 'properties')
  );
}

const asModel = (target: Json): Json =>
  isObject(target) ? structuredClone(target) : target === false ? { not: {} } : {};

/** Words of the pointers of schemas that do not identify them. */
const COMMON_STEPS = new Set(['components', 'schemas', 'properties', 'paths', 'content', 'schema']);

function modelNameOf(tokens: readonly string[]): string {
  const words = tokens
    .filter((token) => !COMMON_STEPS.has(token))
    .flatMap((token) => token.split(/[^\p{L}\p{N}]+/u))
    .filter((word) => word !== '');
  return words.map(capitalize).join('') || 'Referenced';
}

/** Replaces the references to headers that are not required: the library declares each such header as required. */
function inlineOptionalHeaders(document: OpenApiDocument): void {
  const headers = document.components?.headers ?? {};
  // Both are JSON, although their types list only some members.
  eachObject([document.paths, document.components?.responses ?? {}] as Json[], (object, position) => {
    if (typeof object.$ref !== 'string' || position?.parent?.step !== 'headers') {
      return;
    }
    const [, , name = ''] = parseReference(object.$ref);
    const header = Object.hasOwn(headers, name) ? headers[name] : undefined;
    if (isObject(header) && header.required !== true) {
      delete object.$ref;
      Object.assign(object, structuredClone(header));
    }
  });
}
