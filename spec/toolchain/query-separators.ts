import {
  dereference,
  isObject,
  type Json,
  type JsonObject,
  type OpenApiDocument,
  type Parameter,
} from './document.ts';

/** How the client writes a query parameter that is a list or an object: see its `QuerySeparator`. */
export type Separator = ',' | '&';

interface StyledParameter extends Parameter {
  style?: string;
  explode?: boolean;
}

/**
 * Returns the separators of the query parameters that the client would otherwise not write as declared: it repeats the
 * names of lists, and writes names in brackets for objects. It does not support the styles `spaceDelimited` and
 * `pipeDelimited` (OpenAPI 3.1, Style Values).
 */
export function separatorsOf(
  document: OpenApiDocument,
  parameters: readonly Parameter[],
): Record<string, Separator> {
  return Object.fromEntries(
    parameters.flatMap((parameter) => {
      const separator = parameter.in === 'query' ? separatorOf(document, parameter) : undefined;
      return separator === undefined ? [] : [[parameter.name, separator]];
    }),
  );
}

/** A parameter without a schema has a text as its value. */
function separatorOf(
  document: OpenApiDocument,
  { schema, style = 'form', explode = style === 'form' }: StyledParameter,
): Separator | undefined {
  const permits = (type: 'array' | 'object') => schema !== undefined && permitsType(document, schema, type);
  if (style !== 'form') {
    return undefined;
  }
  if (explode) {
    return permits('object') ? '&' : undefined;
  }
  return permits('array') || permits('object') ? ',' : undefined;
}

/** Maximum depth of nested unions. Guards against recursive schemas. */
const MAX_UNION_DEPTH = 16;

/** Whether a schema permits arrays or objects, as far as its type, its values or its unions state it. */
function permitsType(
  document: OpenApiDocument,
  declared: Json,
  searched: 'array' | 'object',
  depth = 0,
): boolean {
  const schema = dereference<Json>(document, declared as JsonObject);
  if (!isObject(schema) || depth > MAX_UNION_DEPTH) {
    return schema === true;
  }
  const { type, enum: values, const: value, anyOf, oneOf, allOf, properties, items } = schema;
  const permits = (part: Json) => permitsType(document, part, searched, depth + 1);
  if (type !== undefined) {
    return Array.isArray(type) ? type.includes(searched) : type === searched;
  }
  if (Array.isArray(values) || value !== undefined) {
    const members = Array.isArray(values) ? values : [value ?? null];
    return members.some((member) => (searched === 'array' ? Array.isArray(member) : isObject(member)));
  }
  const union = anyOf ?? oneOf;
  if (Array.isArray(union)) {
    return union.some(permits);
  }
  if (Array.isArray(allOf)) {
    return allOf.every(permits);
  }
  return searched === 'array' ? properties === undefined : items === undefined;
}
