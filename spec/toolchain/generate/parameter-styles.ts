import { DEFAULT_STYLES } from '../../../server/contract/document.ts';
import { isMultipart, isUrlEncoded } from '../../../server/contract/media-types.ts';
import {
  type Content,
  dereference,
  type EncodingObject,
  isObject,
  type Json,
  type JsonObject,
  type OpenApiDocument,
  type Parameter,
} from '../document.ts';
import { readAs } from '../media-types.ts';
import { LOCATIONS, type Location } from './function-types.ts';

/** How the client writes a parameter or a field: see its `ParameterStyle`. */
export type WrittenStyle = string | string[];

/** Styles by location, and by name. The location `body` has those of the fields of a form. */
export type WrittenStyles = Record<string, Record<string, WrittenStyle>>;

/**
 * Returns the styles of the parameters and of the fields of forms that the client would otherwise not write as declared
 * (OpenAPI 3.1, Style Values and Encoding Object).
 */
export function stylesOf(
  document: OpenApiDocument,
  parameters: readonly Parameter[],
  content: Content,
): WrittenStyles {
  const styles: WrittenStyles = {};
  for (const location of LOCATIONS) {
    const own = parameters.flatMap((parameter): [string, WrittenStyle][] => {
      const style = parameter.in === location ? parameterStyle(document, parameter, location) : undefined;
      return style === undefined ? [] : [[parameter.name, style]];
    });
    if (own.length > 0) {
      styles[location] = Object.fromEntries(own);
    }
  }
  const fields = Object.entries(content).flatMap(([type, media]) => fieldStyles(document, type, media));
  if (fields.length > 0) {
    styles.body = Object.fromEntries(fields);
  }
  return styles;
}

function parameterStyle(
  document: OpenApiDocument,
  parameter: Parameter,
  location: Location,
): WrittenStyle | undefined {
  const { name, schema, content, style = DEFAULT_STYLES[location], explode = style === 'form' } = parameter;
  if (content !== undefined) {
    return Object.keys(content).every(isJson) ? 'json' : undefined;
  }
  const isList = permits(document, schema, 'array');
  const value = { isList, isObject: permits(document, schema, 'object') };
  if (location === 'query' || location === 'cookie') {
    const written = pairStyle(style, explode, value) ?? '';
    const suffix = location === 'query' && parameter.allowReserved === true ? '+' : '';
    return written + suffix === '' ? undefined : written + suffix;
  }
  const isComplex = value.isList || value.isObject;
  const written = textStyle(encodeURIComponent(name), style, explode && isComplex, value);
  // A client rejects lists and objects in a path that has no style for them.
  return written ?? (location === 'path' && isComplex ? ['', ','] : undefined);
}

/** Style of a parameter of a query, or of a field of a form. */
function pairStyle(
  style: string,
  explode: boolean,
  { isList, isObject }: { isList: boolean; isObject: boolean },
): string | undefined {
  if (style === 'deepObject') {
    // Without it, lists repeat their name.
    return isList ? '[]' : undefined;
  }
  if (explode) {
    return isObject ? '&' : undefined;
  }
  const separator = { spaceDelimited: ' ', pipeDelimited: '|' }[style] ?? ',';
  return isList || isObject ? separator : undefined;
}

/**
 * Style of a parameter with all parts in one text: the text before them, their separator, and the separator of names
 * and values.
 */
function textStyle(
  name: string,
  style: string,
  isExploded: boolean,
  { isList }: { isList: boolean },
): WrittenStyle | undefined {
  const isObject = isExploded && !isList;
  if (style === 'matrix') {
    const before = isObject ? ';' : `;${name}=`;
    return isExploded ? [before, before, ...(isObject ? ['='] : [])] : [before, ','];
  }
  if (style === 'label') {
    return isExploded ? ['.', '.', ...(isObject ? ['='] : [])] : ['.', ','];
  }
  return isObject ? ['', ',', '='] : undefined;
}

function fieldStyles(
  document: OpenApiDocument,
  type: string,
  { schema, encoding = {} }: Content[string],
): [string, WrittenStyle][] {
  return Object.entries(encoding).flatMap(([name, field]): [string, WrittenStyle][] => {
    const properties = schema === undefined ? [] : propertiesOf(document, schema, name);
    const style = isUrlEncoded(type)
      ? urlEncodedStyle(document, properties, field)
      : isMultipart(type)
        ? partStyle(document, properties, field)
        : undefined;
    return style === undefined ? [] : [[name, style]];
  });
}

function urlEncodedStyle(
  document: OpenApiDocument,
  properties: JsonObject[],
  { style, explode, contentType }: EncodingObject,
): WrittenStyle | undefined {
  if (style === undefined && explode === undefined) {
    return contentType !== undefined && isJson(contentType) ? 'json' : undefined;
  }
  const some = (type: 'array' | 'object') => properties.some((property) => permits(document, property, type));
  const { style: declared, isExploded } = {
    style: style ?? 'form',
    isExploded: explode ?? (style ?? 'form') === 'form',
  };
  return pairStyle(declared, isExploded, { isList: some('array'), isObject: some('object') });
}

/** Files have a media type of their own. */
function partStyle(
  document: OpenApiDocument,
  properties: JsonObject[],
  { contentType = '' }: EncodingObject,
): WrittenStyle | undefined {
  const isFile = properties.some((property) => {
    const { format, contentMediaType, items } = property;
    const item = isObject(items) ? dereference<JsonObject>(document, items) : {};
    return (
      [format, item.format].includes('binary') || (contentMediaType ?? item.contentMediaType) !== undefined
    );
  });
  if (isFile || !/^[^\s,*]+$/.test(contentType) || properties.length === 0) {
    return undefined;
  }
  return isJson(contentType) ? 'json' : contentType;
}

const isJson = (type: string) => readAs(type) === 'json';

/** Maximum depth of nested unions. Guards against recursive schemas. */
const MAX_UNION_DEPTH = 16;

/** Returns the schemas of a property in a schema and in those that it composes. */
function propertiesOf(document: OpenApiDocument, declared: Json, name: string, depth = 0): JsonObject[] {
  const schema = isObject(declared) ? dereference<JsonObject>(document, declared) : {};
  const { properties, allOf, oneOf, anyOf } = schema;
  const own = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  const parts =
    depth > MAX_UNION_DEPTH ? [] : [allOf, oneOf, anyOf].flatMap((list) => (Array.isArray(list) ? list : []));
  return [
    ...(isObject(own) ? [dereference<JsonObject>(document, own)] : []),
    ...parts.flatMap((part) => propertiesOf(document, part, name, depth + 1)),
  ];
}

/** A parameter without a schema has a text as its value. */
const permits = (document: OpenApiDocument, schema: Json | undefined, type: 'array' | 'object') =>
  schema !== undefined && permitsType(document, schema, type);

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
