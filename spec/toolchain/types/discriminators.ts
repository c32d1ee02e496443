import {
  isObject,
  type Json,
  type JsonObject,
  modelOf,
  modelReference,
  type OpenApiDocument,
} from '../document.ts';
import { eachObject } from '../rewrite.ts';
import { unusedName } from './references.ts';
import { allowedValues, variantsOf } from './schema-members.ts';

type Models = Record<string, Json>;

/** Values of the discriminating properties of a model, by the name of the property. */
type Tags = Map<string, Set<string>>;

/**
 * Copies a document so that its discriminators become constraints of their variants, which the types then have:
 * - a variant that restricts the property itself, with an enum or a constant, keeps these values, and those of several
 *   that a mapping selects. Any other variant gets the values of the mapping, which names schemas or refers to them, or
 *   else the name of its schema (OpenAPI, Discriminator Object).
 * - a model that others extend with `allOf` becomes the union of itself and the others. They extend a new model with its
 *   members.
 */
export function withTaggedVariants(document: OpenApiDocument): OpenApiDocument {
  const copy = structuredClone(document);
  const models: Models = { ...copy.components?.schemas };
  // All are JSON, although their types list only some members.
  const parts = [copy.paths as Json, copy.webhooks ?? {}, (copy.components ?? {}) as Json];
  const discriminated: JsonObject[] = [];
  eachObject(parts, (object) => {
    if (isObject(object.discriminator) && typeof object.discriminator.propertyName === 'string') {
      discriminated.push(object);
    }
  });
  const tags = new Map<string, Tags>();
  for (const schema of discriminated) {
    collectTags(models, schema, tags);
  }
  const bases = baseModels(models);
  for (const [name, discriminator] of bases) {
    for (const model of discriminator ? [name, ...descendantsOf(models, name)] : []) {
      addTags(models, model, discriminator ?? {}, tags);
    }
  }
  splitBases(models, new Set(bases.keys()), tags);
  for (const [model, properties] of tags) {
    for (const [property, values] of properties) {
      models[model] = tagged(models, models[model] ?? {}, property, [...values]);
    }
  }
  for (const schema of discriminated) {
    delete schema.discriminator;
  }
  if (copy.components) {
    copy.components.schemas = models;
  }
  return copy;
}

/** Collects the tags of the variants of a union. */
function collectTags(models: Models, schema: JsonObject, tags: Map<string, Tags>): void {
  for (const variant of variantsOf(schema)) {
    const model = isObject(variant) ? modelOf(variant.$ref) : undefined;
    if (model !== undefined && Object.hasOwn(models, model) && isObject(schema.discriminator)) {
      addTags(models, model, schema.discriminator, tags);
    }
  }
}

/** Adds the values that a discriminator has for a model, unless the model has no others. */
function addTags(models: Models, model: string, discriminator: JsonObject, tags: Map<string, Tags>): void {
  const property = String(discriminator.propertyName);
  const mapping = isObject(discriminator.mapping) ? discriminator.mapping : {};
  const mapped = Object.entries(mapping).flatMap(([value, target]) =>
    (modelOf(target) ?? String(target)) === model ? [value] : [],
  );
  const own = allowedValues(models, { $ref: modelReference(model) }, property)?.map(String);
  const named = mapped.length > 0 ? mapped : [model];
  const values = own === undefined ? named : named.filter((value) => own.includes(value));
  if (values.length === 0 || values.length === own?.length) {
    return;
  }
  const properties = tags.get(model) ?? new Map<string, Set<string>>();
  properties.set(property, new Set([...(properties.get(property) ?? []), ...values]));
  tags.set(model, properties);
}

/**
 * Returns the models that others extend, and which have a discriminator without variants, or variants that extend them.
 * The latter would otherwise contain themselves. The discriminator of other variants selects one of these.
 */
function baseModels(models: Models): Map<string, JsonObject | undefined> {
  const bases = new Map<string, JsonObject | undefined>();
  for (const [name, schema] of Object.entries(models)) {
    if (!isObject(schema) || childrenOf(models, name).length === 0) {
      continue;
    }
    const { discriminator } = schema;
    const isUnion = variantsOf(schema).length > 0;
    if (!isUnion && isObject(discriminator) && typeof discriminator.propertyName === 'string') {
      bases.set(name, discriminator);
    } else if (listsAny(schema, descendantsOf(models, name))) {
      bases.set(name, undefined);
    }
  }
  return bases;
}

/** Whether one of the variants of a schema is one of some models. */
const listsAny = (schema: JsonObject, some: ReadonlySet<string>): boolean =>
  variantsOf(schema).some((variant) => isObject(variant) && some.has(modelOf(variant.$ref) ?? ''));

/** Returns the models that extend a model with `allOf`. */
const childrenOf = (models: Models, parent: string): string[] =>
  Object.entries(models).flatMap(([name, schema]) => (basesOf(schema).includes(parent) ? [name] : []));

const basesOf = (schema: Json): string[] =>
  isObject(schema) && Array.isArray(schema.allOf)
    ? schema.allOf.flatMap((base) => (isObject(base) ? (modelOf(base.$ref) ?? []) : []))
    : [];

function descendantsOf(models: Models, ancestor: string): Set<string> {
  const descendants = new Set<string>();
  for (const queue = [ancestor]; queue.length > 0; ) {
    for (const child of childrenOf(models, queue.pop() ?? '')) {
      if (child !== ancestor && !descendants.has(child)) {
        descendants.add(child);
        queue.push(child);
      }
    }
  }
  return descendants;
}

/** Replaces models that others extend by unions, and lets the others extend a model with their members. */
function splitBases(models: Models, roots: ReadonlySet<string>, tags: Map<string, Tags>): void {
  const family = new Set([...roots].flatMap((root) => [root, ...descendantsOf(models, root)]));
  const extended = [...family].filter((model) => childrenOf(models, model).length > 0);
  const fields = new Map<string, string>();
  const children = new Map(extended.map((model) => [model, childrenOf(models, model)]));
  for (const model of extended) {
    const name = unusedName(`${model}Fields`, models);
    fields.set(model, name);
    models[name] = {};
  }
  for (const model of extended) {
    const schema = models[model];
    const name = fields.get(model);
    if (!isObject(schema) || name === undefined) {
      continue;
    }
    const { discriminator: _, oneOf, anyOf, description, ...members } = schema;
    const variants = variantsOf(schema);
    const listsChildren = listsAny(schema, descendantsOf(models, model));
    models[name] = listsChildren ? members : { ...members, ...(oneOf && { oneOf }), ...(anyOf && { anyOf }) };
    const self = tags.get(model) ?? new Map<string, Set<string>>();
    tags.delete(model);
    const own = [...self].reduce<Json>(
      (part, [property, values]) => tagged(models, part, property, [...values]),
      { allOf: [{ $ref: modelReference(name) }] },
    );
    const others = (children.get(model) ?? []).map((child) => ({ $ref: modelReference(child) }));
    models[model] = {
      ...(description !== undefined && { description }),
      oneOf: listsChildren ? variants : [own, ...others],
    };
  }
  for (const [model, schema] of Object.entries(models)) {
    if (!isObject(schema) || !Array.isArray(schema.allOf)) {
      continue;
    }
    const allOf = schema.allOf.map((base) => {
      const name = isObject(base) ? fields.get(modelOf(base.$ref) ?? '') : undefined;
      return name === undefined || !isObject(base) ? base : { ...base, $ref: modelReference(name) };
    });
    models[model] = { ...schema, allOf };
  }
}

/** Restricts a property of a schema to the values of a discriminator, and requires it. */
function tagged(models: Models, schema: Json, property: string, values: readonly string[]): Json {
  if (!isObject(schema)) {
    return schema;
  }
  const own = allowedValues(models, schema, property);
  const members = own?.filter((value) => values.includes(String(value))) ?? [...values];
  const { properties } = schema;
  const declared =
    isObject(properties) && Object.hasOwn(properties, property) ? properties[property] : undefined;
  const required = Array.isArray(schema.required) ? schema.required : [];
  if (isObject(properties) && isObject(declared)) {
    const { $ref: _, ...rest } = declared;
    const described = { ...rest, type: typeof members[0], enum: members };
    return {
      ...schema,
      required: required.includes(property) ? required : [...required, property],
      properties: { ...properties, [property]: described },
    };
  }
  const part = {
    type: 'object',
    required: [property],
    properties: { [property]: { enum: members } },
  };
  return { ...schema, allOf: [...(Array.isArray(schema.allOf) ? schema.allOf : []), part] };
}
