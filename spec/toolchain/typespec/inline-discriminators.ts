import { isObject, type Json, type JsonObject, modelReference, type OpenApiDocument } from '../document.ts';
import { capitalize, unusedName } from '../names.ts';
import { eachObject } from '../rewrite.ts';

/**
 * Declares the discriminator of a union without an envelope (`@discriminated(#{ envelope: "none" })`) in its variants:
 * the emitter refers to the models themselves, which do not have it. Each variant becomes a model of its own, named after
 * the union, as the emitter names variants with an envelope. In place.
 */
export function declareDiscriminators(document: OpenApiDocument): void {
  const schemas = document.components?.schemas ?? {};
  for (const [union, schema] of Object.entries({ ...schemas })) {
    eachObject(schema, (object) => {
      const { discriminator, oneOf } = object;
      if (isObject(discriminator) && isObject(discriminator.mapping) && Array.isArray(oneOf)) {
        declareIn(schemas, union, oneOf, discriminator);
      }
    });
  }
}

/** Declares a discriminator in those variants of a union that do not declare it. */
function declareIn(
  schemas: Record<string, Json>,
  union: string,
  oneOf: Json[],
  discriminator: JsonObject,
): void {
  const { propertyName, mapping } = discriminator;
  if (typeof propertyName !== 'string' || !isObject(mapping)) {
    return;
  }
  for (const [tag, reference] of Object.entries(mapping)) {
    const name = Object.keys(schemas).find((model) => modelReference(model) === reference);
    const model = name === undefined ? undefined : schemas[name];
    const index = oneOf.findIndex((variant) => isObject(variant) && variant.$ref === reference);
    if (!isObject(model) || index === -1 || !lacks(model, propertyName)) {
      continue;
    }
    const own = unusedName(union + capitalize(tag).replaceAll(/[^\w.-]/g, ''), (used) =>
      Object.hasOwn(schemas, used),
    );
    const { properties, required, ...rest } = model;
    schemas[own] = {
      ...rest,
      required: [propertyName, ...(Array.isArray(required) ? required : [])],
      properties: {
        [propertyName]: { type: 'string', enum: [tag] },
        ...(isObject(properties) && properties),
      },
    };
    oneOf[index] = { $ref: modelReference(own) };
    mapping[tag] = modelReference(own);
  }
}

/** Whether a model certainly does not declare a property. */
const lacks = ({ type, properties = {}, allOf, anyOf, oneOf, $ref }: JsonObject, name: string): boolean =>
  type === 'object' &&
  [allOf, anyOf, oneOf, $ref].every((composed) => composed === undefined) &&
  isObject(properties) &&
  !Object.hasOwn(properties, name);
