import { isObject, type Json, type JsonObject, modelOf } from '../document.ts';

/** Models by name. */
export type Models = Readonly<Record<string, Json>>;

/** Returns the alternative schemas of a value. */
export const variantsOf = ({ oneOf, anyOf }: JsonObject): Json[] =>
  [oneOf, anyOf].flatMap((variants) => (Array.isArray(variants) ? variants : []));

/** Returns the target of a schema that refers to a model; undefined for others. */
export function targetOf(models: Models, schema: JsonObject): Json | undefined {
  const name = modelOf(schema.$ref);
  return name !== undefined && Object.hasOwn(models, name) ? models[name] : undefined;
}

/** Returns the schemas that each value of a schema matches: itself, the target of its reference, and those of `allOf`. */
export function partsOf(models: Models, schema: Json, visited = new Set<Json>()): JsonObject[] {
  if (!isObject(schema) || visited.has(schema)) {
    return [];
  }
  visited.add(schema);
  const target = targetOf(models, schema);
  const inner = [
    ...(target === undefined ? [] : [target]),
    ...(Array.isArray(schema.allOf) ? schema.allOf : []),
  ];
  return [schema, ...inner.flatMap((part) => partsOf(models, part, visited))];
}

/** Returns the declarations of properties by name: of a schema, its parts and, on request, its variants. */
export function declaredProperties(
  models: Models,
  schema: Json,
  { variants = false } = {},
): Map<string, Json[]> {
  const declared = new Map<string, Json[]>();
  const visited = new Set<Json>();
  for (const queue = [schema]; queue.length > 0; ) {
    for (const part of partsOf(models, queue.pop() ?? true, visited)) {
      for (const [name, property] of Object.entries(isObject(part.properties) ? part.properties : {})) {
        declared.set(name, [...(declared.get(name) ?? []), property]);
      }
      if (variants) {
        queue.push(...variantsOf(part));
      }
    }
  }
  return declared;
}

/** Returns the values of a property that the parts of a schema allow; undefined if they do not restrict them. */
export const allowedValues = (models: Models, schema: Json, property: string): Json[] | undefined =>
  listedValues(models, declaredProperties(models, schema).get(property) ?? []);

/** Returns the values that schemas and their parts list, by `enum` or `const`; undefined if none lists any. */
export function listedValues(models: Models, schemas: readonly Json[]): Json[] | undefined {
  const lists = schemas.flatMap((schema) =>
    partsOf(models, schema).flatMap(({ enum: members, const: constant }) =>
      Array.isArray(members) ? [members] : constant === undefined ? [] : [[constant]],
    ),
  );
  const [first, ...others] = lists;
  return first?.filter((value) => others.every((members) => members.includes(value)));
}
