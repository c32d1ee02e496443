import { type EncodingObject, type MediaTypeObject, type OpenApiDocument, schemaOf } from '../../document.ts';
import type { Fault } from '../../errors.ts';
import { isObject } from '../../json-values.ts';
import { isJsonType, parseMediaType } from '../../media-types.ts';
import { propertiesWith, type ReadOnlyPolicy } from '../../validation/directions.ts';
import { compileSchema } from '../../validation/schema-check.ts';
import {
  itemSchemas,
  MAX_COMPOSITION_DEPTH,
  permitsList,
  permitsText,
  propertyNames,
  propertySchemas,
  type ValueType,
  valueType,
} from '../values/value-type.ts';

/** How a multipart form sends a property. */
export interface FormField {
  /** Whether the property is an array, which repeats the name. */
  isList: boolean;
  /** Whether the property is a file, or a list of files. */
  isFile: boolean;
  /** Whether the value, or each item, is sent as JSON: always, or in parts of such a media type. */
  isJson: boolean | 'typed';
  /** Media types that the contract permits; any if it declares none. */
  contentTypes: readonly string[];
  /** Type of the value, or of each item. */
  type: ValueType;
  /** Whether the field is read-only and removed. */
  isIgnored: boolean;
  /** Returns the faults of a single value: of the property, or of one item. */
  check: (value: unknown) => Fault[];
}

/** The properties of a multipart form. */
export interface FormSchema {
  document: OpenApiDocument;
  fields: ReadonlyMap<string, FormField>;
  required: readonly string[];
  /** The fields of undeclared names, if a schema describes them. */
  others: FormField | undefined;
  /** Whether undeclared names are permitted. */
  isOpen: boolean;
  /** Returns the faults of a complete form; of files, only their number is checked. */
  check: (form: unknown) => Fault[];
}

/** Describes a multipart form by its schema and the `encoding` of its media type. */
export function formSchema(
  document: OpenApiDocument,
  { schema, encoding = {} }: MediaTypeObject,
  readOnly: ReadOnlyPolicy,
): FormSchema {
  const readOnlyNames = propertiesWith(document, schema, 'readOnly');
  const type = valueType(document, schema);
  const fields = new Map<string, FormField>();
  for (const name of propertyNames(type)) {
    const own = Object.hasOwn(encoding, name) ? encoding[name] : undefined;
    const field = formField(document, propertySchemas(type, name), own);
    const isReadOnly = readOnlyNames.has(name);
    fields.set(name, {
      ...field,
      isIgnored: readOnly === 'ignore' && isReadOnly,
      ...(isReadOnly && { check: readOnlyFault }),
    });
  }
  const { alternatives } = type;
  const additional = alternatives.flatMap((alternative) =>
    isObject(alternative.additional) && Object.keys(alternative.additional).length > 0
      ? [alternative.additional]
      : [],
  );
  const others = additional.length > 0 ? formField(document, additional) : undefined;
  const [first = [], ...rest] = alternatives.map(({ required }) => required);
  const required = first.filter((name) => rest.every((names) => names.includes(name)));
  return {
    document,
    fields,
    others,
    required: required.filter((name) => !readOnlyNames.has(name)),
    isOpen: alternatives.length === 0 || alternatives.some((alternative) => alternative.additional !== false),
    check: compileSchema(document, withoutFiles(document, schema, fields, others), readOnly),
  };
}

const readOnlyFault = (): Fault[] => [{ in: 'body', path: '', message: 'is read-only' }];

function formField(
  document: OpenApiDocument,
  schemas: readonly unknown[],
  { contentType = '' }: EncodingObject = {},
): FormField {
  const property = anyOf(schemas);
  const propertyType = valueType(document, property);
  const isList = permitsList(propertyType);
  const item = isList ? (anyOf(itemSchemas(propertyType, 0)) ?? {}) : property;
  const type = valueType(document, item);
  const contentTypes = contentType.split(',').flatMap((text) => {
    const { essence } = parseMediaType(text);
    return essence === '' ? [] : [essence];
  });
  const isComplex = type.kinds?.has('object') || type.kinds?.has('array');
  return {
    isList,
    isFile: isFileSchema(schemaOf(document, item)),
    isJson:
      isComplex && !hasTexts(type) ? true : isComplex || contentTypes.some(isJsonType) ? 'typed' : false,
    contentTypes,
    type,
    isIgnored: false,
    check: compileSchema(document, item),
  };
}

/** Whether values other than null are sent as a text. */
const hasTexts = (type: ValueType) =>
  permitsText(type) &&
  (!type.kinds || [...type.kinds].some((kind) => !['null', 'object', 'array'].includes(kind)));

const anyOf = (schemas: readonly unknown[]): unknown =>
  schemas.length > 1 ? { anyOf: schemas } : schemas[0];

/** A binary value (OpenAPI 3.0: `format: binary`; 3.1: a media type without an encoding, or no schema at all). */
function isFileSchema(schema: Record<string, unknown>): boolean {
  const { format, contentMediaType, contentEncoding } = schema;
  return (
    format === 'binary' ||
    (contentMediaType !== undefined && contentEncoding === undefined) ||
    Object.keys(schema).every((keyword) => keyword === 'description' || keyword === 'title')
  );
}

/** Returns a copy of the schema of a form that accepts any value for files. */
function withoutFiles(
  document: OpenApiDocument,
  schema: unknown,
  fields: ReadonlyMap<string, FormField>,
  others: FormField | undefined,
  depth = 0,
): unknown {
  if (depth > MAX_COMPOSITION_DEPTH) {
    return schema;
  }
  const { properties, additionalProperties, ...rest } = schemaOf(document, schema);
  const copyOf = (property: unknown, field: FormField | undefined): unknown => {
    const file = field?.isList ? { ...schemaOf(document, property), items: {} } : {};
    return field?.isFile ? file : property;
  };
  const copies = Object.entries(isObject(properties) ? properties : {}).map(([name, property]) => [
    name,
    copyOf(property, fields.get(name)),
  ]);
  const compositions = ['allOf', 'oneOf', 'anyOf'].flatMap((keyword) => {
    const parts = rest[keyword];
    return Array.isArray(parts)
      ? [[keyword, parts.map((part) => withoutFiles(document, part, fields, others, depth + 1))]]
      : [];
  });
  return {
    ...rest,
    ...(isObject(properties) && { properties: Object.fromEntries(copies) }),
    ...(additionalProperties !== undefined && { additionalProperties: copyOf(additionalProperties, others) }),
    ...Object.fromEntries(compositions),
  };
}
