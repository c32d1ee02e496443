import { dereference, isObject, type Json, type JsonObject, type OpenApiDocument } from './document.ts';
import { bodiesOf, reach } from './open-responses.ts';
import { eachObject } from './rewrite.ts';

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
 * is returned unchanged.
 */
export function splitModels(document: OpenApiDocument): OpenApiDocument {
  const originals = document.components?.schemas ?? {};
  const affected = affectedModels(document, originals);
  if (affected.size === 0 && !hasMarked(document, Object.values(document.paths) as Json[])) {
    return document;
  }
  const names = requestNames(document, affected, originals);
  /** Omits the properties of a part, and refers to the models of its direction. Modifies the part. */
  const restrict = (part: Json, direction: Direction, model?: string) => {
    eachObject(part, (object) => {
      omitProperties(document, object, OMITTED[direction]);
      if (direction === 'response') {
        return;
      }
      mapVariants(object, names, object === part ? childrenOf(originals, model) : []);
      const name = names.get(modelOf(object));
      if (name !== undefined) {
        object.$ref = referenceTo(name);
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
    const request = (as: string): [string, Json] => [as, restrict(structuredClone(schema), 'request', model)];
    return [...(name === model ? [] : [response()]), ...(name === undefined ? [] : [request(name)])];
  });
  return { ...copy, components: { ...copy.components, schemas: Object.fromEntries(schemas) } };
}

/** Returns the models that differ by direction: with a marked property, in themselves or in a model they refer to. */
function affectedModels(document: OpenApiDocument, models: Record<string, Json>): Set<string> {
  const affected = new Set(Object.keys(models).filter((name) => hasMarked(document, models[name] ?? {})));
  const references = Object.entries(models).map(([name, schema]) => {
    const targets: string[] = [];
    eachObject(schema, (object) => targets.push(modelOf(object)));
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
    new Set([...reach(document, parts)].map(modelOf).filter((name) => affected.has(name)));
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

function omitProperties(document: OpenApiDocument, schema: JsonObject, keyword: string): void {
  if (!isObject(schema.properties)) {
    return;
  }
  const omitted = Object.entries(schema.properties).flatMap(([name, property]) =>
    isMarked(document, property, keyword) ? [name] : [],
  );
  for (const name of omitted) {
    delete schema.properties[name];
  }
  if (Array.isArray(schema.required)) {
    schema.required = schema.required.filter((name) => !omitted.includes(String(name)));
  }
}

/**
 * Maps the values of a discriminator to the request types of its variants. Without a mapping, a value is the name of a
 * model, which request types do not have.
 */
function mapVariants(schema: JsonObject, names: ReadonlyMap<string, string>, children: readonly string[]) {
  const { discriminator, oneOf, anyOf } = schema;
  if (!isObject(discriminator)) {
    return;
  }
  const declared = Object.entries(isObject(discriminator.mapping) ? discriminator.mapping : {}).map(
    ([value, target]) => [value, modelOf({ $ref: target }) || String(target)] as const,
  );
  const listed = [oneOf, anyOf].flatMap((variants) => (Array.isArray(variants) ? variants : []));
  const implicit = [...listed.map((variant) => (isObject(variant) ? modelOf(variant) : '')), ...children]
    .filter((model) => names.has(model) && declared.every(([, target]) => target !== model))
    .map((model) => [model, model] as const);
  const mapping = [...declared, ...implicit].map(([value, model]) => [
    value,
    referenceTo(names.get(model) ?? model),
  ]);
  schema.discriminator = { ...discriminator, mapping: Object.fromEntries(mapping) };
}

/** Returns the models that extend a model with `allOf`. */
function childrenOf(models: Record<string, Json>, parent: string | undefined): string[] {
  return Object.entries(models).flatMap(([name, schema]) => {
    const bases = isObject(schema) && Array.isArray(schema.allOf) ? schema.allOf : [];
    return bases.some((base) => isObject(base) && modelOf(base) === parent) ? [name] : [];
  });
}

/** Returns the model that an object refers to; an empty text if none. */
function modelOf({ $ref }: JsonObject): string {
  return (typeof $ref === 'string' && /^#\/components\/schemas\/([^/]+)$/.exec($ref)?.[1]) || '';
}

const referenceTo = (model: string): string => `#/components/schemas/${model}`;
