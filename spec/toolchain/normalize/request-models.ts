import {
  dereference,
  isObject,
  type Json,
  type JsonObject,
  modelOf,
  modelReference,
  type OpenApiDocument,
} from '../document.ts';
import { eachObject } from '../rewrite.ts';
import { bodiesOf, reach } from './open-responses.ts';

type Direction = 'request' | 'response';

/** Keyword of the properties that a direction does not have. */
const OMITTED = { request: 'readOnly', response: 'writeOnly' } as const;

/** Direction of shared components. */
const SHARED: readonly (readonly [kind: string, direction: Direction])[] = [
  ['parameters', 'request'],
  ['requestBodies', 'request'],
  ['headers', 'response'],
  ['responses', 'response'],
];

/**
 * Copies a document so that requests have no `readOnly` properties, and responses no `writeOnly` ones. A model with such
 * properties that occurs in both becomes two: `User` of responses, and `UserRequest`. A document without such properties
 * is returned unchanged. Discriminators must have been replaced: they name models.
 */
export function splitModels(document: OpenApiDocument): OpenApiDocument {
  const originals = document.components?.schemas ?? {};
  const affected = affectedModels(document, originals);
  if (affected.size === 0 && !hasMarked(document, Object.values(document.paths) as Json[])) {
    return document;
  }
  const names = requestNames(document, affected, originals);
  /** Omits the properties of a part, and refers to the models of its direction. Modifies the part. */
  const restrict = (part: Json, direction: Direction) => {
    eachObject(part, (object) => {
      omitProperties(document, object, OMITTED[direction]);
      if (direction === 'response') {
        return;
      }
      const name = names.get(modelOf(object.$ref) ?? '');
      if (name !== undefined) {
        object.$ref = modelReference(name);
      }
    });
    return part;
  };

  const copy = structuredClone(document);
  const { received, sent } = bodiesOf(copy);
  restrict(received, 'request');
  restrict(sent, 'response');
  for (const [kind, direction] of SHARED) {
    restrict(Object.values(copy.components?.[kind] ?? {}), direction);
  }
  const schemas = Object.entries(originals).flatMap(([model, schema]) => {
    const name = names.get(model);
    const response = (): [string, Json] => [model, restrict(structuredClone(schema), 'response')];
    const request = (as: string): [string, Json] => [as, restrict(structuredClone(schema), 'request')];
    return [...(name === model ? [] : [response()]), ...(name === undefined ? [] : [request(name)])];
  });
  return { ...copy, components: { ...copy.components, schemas: Object.fromEntries(schemas) } };
}

/** Returns the models that differ by direction: with a marked property, in themselves or in a model they refer to. */
function affectedModels(document: OpenApiDocument, models: Record<string, Json>): Set<string> {
  const affected = new Set(Object.keys(models).filter((name) => hasMarked(document, models[name] ?? {})));
  const references = Object.entries(models).map(([name, schema]) => {
    const targets: string[] = [];
    eachObject(schema, ({ $ref }) => targets.push(modelOf($ref) ?? ''));
    return { name, targets };
  });
  for (let size = -1; size !== affected.size; ) {
    size = affected.size;
    for (const { name, targets } of references) {
      if (targets.some((target) => affected.has(target))) {
        affected.add(name);
      }
    }
  }
  return affected;
}

/** Returns the name of the request type of each affected model in requests: its own unless responses have it too. */
function requestNames(
  document: OpenApiDocument,
  affected: ReadonlySet<string>,
  models: Record<string, Json>,
): Map<string, string> {
  const { received, sent } = bodiesOf(document);
  const modelsIn = (parts: readonly Json[]) =>
    new Set(
      [...reach(document, parts)].map(({ $ref }) => modelOf($ref) ?? '').filter((name) => affected.has(name)),
    );
  const inResponses = modelsIn(sent);
  const used = new Set(Object.keys(models));
  return new Map(
    [...modelsIn(received)].sort().map((model) => {
      let name = model;
      for (let count = 1; inResponses.has(model) && used.has(name); count += 1) {
        name = `${model}Request${count === 1 ? '' : count}`;
      }
      used.add(name);
      return [model, name];
    }),
  );
}

function hasMarked(document: OpenApiDocument, part: Json): boolean {
  let found = false;
  eachObject(part, ({ properties }) => {
    const declared = isObject(properties) ? Object.values(properties) : [];
    found ||= Object.values(OMITTED).some((keyword) =>
      declared.some((property) => isMarked(document, property, keyword)),
    );
  });
  return found;
}

/** Whether a property is marked, next to a reference or in its target. */
function isMarked(document: OpenApiDocument, property: Json, keyword: string): boolean {
  const target = dereference<Json>(document, property);
  return [property, target].some((schema) => isObject(schema) && schema[keyword] === true);
}

/** Omits the marked properties of a schema, and from the lists of required ones of the schemas of the same value. */
function omitProperties(document: OpenApiDocument, schema: JsonObject, keyword: string): void {
  const omitted = new Set(markedProperties(document, schema, keyword));
  if (omitted.size > 0) {
    omitNames(schema, omitted);
  }
  if (isObject(schema.properties)) {
    for (const [name, property] of Object.entries(schema.properties)) {
      if (isMarked(document, property, keyword)) {
        delete schema.properties[name];
      }
    }
  }
}

/** Returns the names of the marked properties of a schema, and of those that it composes. */
function markedProperties(
  document: OpenApiDocument,
  schema: JsonObject,
  keyword: string,
  visited = new Set<JsonObject>(),
): string[] {
  if (visited.has(schema)) {
    return [];
  }
  visited.add(schema);
  const { properties, allOf, $ref } = schema;
  const own = Object.entries(isObject(properties) ? properties : {}).flatMap(([name, property]) =>
    isMarked(document, property, keyword) ? [name] : [],
  );
  const target = typeof $ref === 'string' ? [dereference<Json>(document, { $ref })] : [];
  const inner = [...target, ...(Array.isArray(allOf) ? allOf : [])].filter(isObject);
  return [...own, ...inner.flatMap((part) => markedProperties(document, part, keyword, visited))];
}

/** Removes names from the required ones of a schema, and of its parts and variants. */
function omitNames(schema: JsonObject, names: ReadonlySet<string>): void {
  if (Array.isArray(schema.required)) {
    schema.required = schema.required.filter((name) => !names.has(String(name)));
  }
  for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
    const parts = schema[keyword];
    for (const part of Array.isArray(parts) ? parts.filter(isObject) : []) {
      omitNames(part, names);
    }
  }
}
