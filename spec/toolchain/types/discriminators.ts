import {
  isObject,
  type Json,
  type JsonObject,
  modelOf,
  modelReference,
  type OpenApiDocument,
} from '../document.ts';
import { unusedName } from '../names.ts';
import { eachObject } from '../rewrite.ts';
import { allowedValues, type Models, partsOf, variantsOf } from './schema-members.ts';

/** Discriminators of the models that others extend; undefined for models that their variants extend. */
type Bases = ReadonlyMap<string, JsonObject | undefined>;

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
  const models: Record<string, Json> = { ...copy.components?.schemas };
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
    if (discriminator) {
      addInheritedTags(models, name, bases, tags);
    }
  }
  splitBases(models, bases, tags);
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

/** Adds the tags of a model that others extend, and of those. A model below a base of its own may also name this one. */
function addInheritedTags(models: Models, name: string, bases: Bases, tags: Map<string, Tags>): void {
  const discriminator = bases.get(name) ?? {};
  const descendants = descendantsOf(models, name);
  for (const model of isAbstract(name, discriminator) ? descendants : [name, ...descendants]) {
    addTags(models, model, discriminator, tags);
  }
  for (const inner of descendants) {
    const { propertyName = discriminator.propertyName } = bases.get(inner) ?? {};
    for (const model of propertyName === discriminator.propertyName ? [] : descendantsOf(models, inner)) {
      addTags(models, inner, discriminator, tags, model);
    }
  }
}

/** Whether the mapping of a discriminator names other models, but not the one that has it. */
function isAbstract(name: string, discriminator: JsonObject | undefined): boolean {
  const mapping = isObject(discriminator?.mapping) ? discriminator.mapping : {};
  return Object.keys(mapping).length > 0 && namesIn(mapping, name).length === 0;
}

/** Returns the values of a mapping that name a model. */
const namesIn = (mapping: JsonObject, model: string): string[] =>
  Object.entries(mapping).flatMap(([value, target]) =>
    (modelOf(target) ?? String(target)) === model ? [value] : [],
  );

/**
 * Adds the values that a discriminator has for a model, unless the model has no others.
 *
 * @param tagged the model that gets them
 */
function addTags(
  models: Models,
  model: string,
  discriminator: JsonObject,
  tags: Map<string, Tags>,
  tagged = model,
): void {
  const property = String(discriminator.propertyName);
  const mapped = namesIn(isObject(discriminator.mapping) ? discriminator.mapping : {}, model);
  const own = allowedValues(models, { $ref: modelReference(model) }, property)?.map(String);
  const named = mapped.length > 0 ? mapped : [model];
  const values = own === undefined ? named : named.filter((value) => own.includes(value));
  if (values.length === 0 || values.length === own?.length) {
    return;
  }
  const properties = tags.get(tagged) ?? new Map<string, Set<string>>();
  properties.set(property, new Set([...(properties.get(property) ?? []), ...values]));
  tags.set(tagged, properties);
}

/**
 * Returns the models that others extend, and which have a discriminator without variants, or variants that extend them.
 * The latter would otherwise contain themselves. The discriminator of other variants selects one of these.
 */
function baseModels(models: Models): Bases {
  const bases = new Map<string, JsonObject | undefined>();
  const extended = new Set(Object.values(models).flatMap(basesOf));
  for (const [name, schema] of Object.entries(models)) {
    if (!isObject(schema) || !extended.has(name)) {
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
function splitBases(models: Record<string, Json>, bases: Bases, tags: Map<string, Tags>): void {
  const family = new Set([...bases.keys()].flatMap((root) => [root, ...descendantsOf(models, root)]));
  const extended = [...family].filter((model) => childrenOf(models, model).length > 0);
  const fields = new Map<string, string>();
  const children = new Map(extended.map((model) => [model, childrenOf(models, model)]));
  for (const model of extended) {
    const name = unusedName(`${model}Fields`, (used) => Object.hasOwn(models, used));
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
    const isTagged = (property: string) =>
      bases.get(model)?.propertyName !== property || requires(models, schema, property);
    const own = [...self].reduce<Json>(
      (part, [property, values]) => tagged(models, part, property, [...values], isTagged(property)),
      { allOf: [{ $ref: modelReference(name) }] },
    );
    const others = (children.get(model) ?? []).map((child) => ({ $ref: modelReference(child) }));
    models[model] = {
      ...(description !== undefined && { description }),
      oneOf: listsChildren ? variants : isAbstract(model, bases.get(model)) ? others : [own, ...others],
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

/** Whether each value of a schema has a property. */
const requires = (models: Models, schema: Json, property: string): boolean =>
  partsOf(models, schema).some(({ required }) => Array.isArray(required) && required.includes(property));

/**
 * Restricts a property of a schema to the values of a discriminator.
 *
 * @param isRequired whether the property is required, too
 */
function tagged(
  models: Models,
  schema: Json,
  property: string,
  values: readonly string[],
  isRequired = true,
): Json {
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
      required: !isRequired || required.includes(property) ? required : [...required, property],
      properties: { ...properties, [property]: described },
    };
  }
  const part = {
    type: 'object',
    ...(isRequired && { required: [property] }),
    properties: { [property]: { enum: members } },
  };
  return { ...schema, allOf: [...(Array.isArray(schema.allOf) ? schema.allOf : []), part] };
}
