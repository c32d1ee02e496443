import { isObject, type Json, type JsonObject, type OpenApiDocument } from '../document.ts';

const SCHEMAS = '#/components/schemas/';

/** Names of merge patches. Those that replace a value require all of its properties. */
const PATCH_NAME = /MergePatch(?:Update|CreateOrUpdate|UpdateOrCreate|CreateOrUpdateOrCreate)$/;

/**
 * Replaces the base model of a merge patch by the merge patch of this model: the emitter refers to the model itself, so
 * that the patch would have to contain all of its properties. In place.
 */
export function completeMergePatches(document: OpenApiDocument): void {
  const schemas = document.components?.schemas;
  if (schemas === undefined) {
    return;
  }
  for (const [name, schema] of Object.entries(schemas)) {
    const [suffix] = PATCH_NAME.exec(name) ?? [];
    if (suffix !== undefined && isObject(schema) && Array.isArray(schema.allOf)) {
      schema.allOf = schema.allOf.map((base) => patchOf(base, suffix, schemas));
    }
  }
}

/** Returns the reference to the merge patch of a model, which is added if it does not exist. */
function patchOf(reference: Json, suffix: string, schemas: Record<string, Json>): Json {
  const model = modelOf(reference, schemas);
  if (model === undefined || /MergePatch/.test(model.name)) {
    return reference;
  }
  const name = `${model.name}${suffix}`;
  if (!Object.hasOwn(schemas, name)) {
    const { required, properties = {}, allOf, discriminator: _, ...rest } = model.schema;
    const names = Array.isArray(required) ? required : [];
    schemas[name] = {
      ...rest,
      ...(isObject(properties) && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([property, schema]) => [
            property,
            names.includes(property) ? nestedPatch(schema, schemas) : nullable(nestedPatch(schema, schemas)),
          ]),
        ),
      }),
      ...(Array.isArray(allOf) && { allOf: allOf.map((base) => patchOf(base, suffix, schemas)) }),
    };
  }
  return { $ref: SCHEMAS + name };
}

/** The value of a property is patched like the emitter does it, if the contract contains such a patch. */
function nestedPatch(schema: Json, schemas: Record<string, Json>): Json {
  const model = modelOf(schema, schemas);
  const name = `${model?.name}MergePatchUpdateOrCreate`;
  return model && Object.hasOwn(schemas, name) ? { $ref: SCHEMAS + name } : schema;
}

function nullable(schema: Json): Json {
  const isNullable =
    isObject(schema) &&
    Array.isArray(schema.anyOf) &&
    schema.anyOf.some((branch) => isObject(branch) && branch.type === 'null');
  return isNullable ? schema : { anyOf: [schema, { type: 'null' }] };
}

function modelOf(
  reference: Json,
  schemas: Record<string, Json>,
): { name: string; schema: JsonObject } | undefined {
  if (!isObject(reference) || typeof reference.$ref !== 'string' || !reference.$ref.startsWith(SCHEMAS)) {
    return undefined;
  }
  const name = reference.$ref.slice(SCHEMAS.length);
  const schema = schemas[name];
  return isObject(schema) ? { name, schema } : undefined;
}
