import { propertiesWith, type ReadOnlyPolicy } from '../directions.ts';
import { isObject, type MediaTypeObject, type OpenApiDocument, schemaOf } from '../document.ts';
import type { Fault } from '../errors.ts';
import { parseMediaType } from '../media-types.ts';
import { compileSchema } from '../schema-check.ts';
import { permittedTypes, shapeOf } from '../shapes.ts';
import { isNumberText } from '../target.ts';

/** How a form sends a property. */
export interface FormField {
  /** Whether the property is an array, which repeats the name. */
  isList: boolean;
  /** Whether the property is a file, or a list of files. */
  isFile: boolean;
  /** Whether the value, or each item, is sent as JSON. */
  isJson: boolean;
  /** Media types that the contract permits; any if it declares none. */
  contentTypes: readonly string[];
  /** JSON types of the value, or of each item; undefined if any is permitted. */
  types: readonly string[] | undefined;
  /** Whether the field is read-only and removed. */
  isIgnored: boolean;
  /** Returns the faults of a single value: of the property, or of one item. */
  check: (value: unknown) => Fault[];
}

/** The declared properties of a form. */
export interface FormSchema {
  fields: ReadonlyMap<string, FormField>;
  required: readonly string[];
  /** Whether undeclared names are permitted. */
  isOpen: boolean;
  /** Returns the faults of a complete form; of files, only their number is checked. */
  check: (form: unknown) => Fault[];
}

/** Describes a form from its schema and the `encoding` of its media type. */
export function formSchema(
  document: OpenApiDocument,
  { schema, encoding = {} }: MediaTypeObject,
  readOnly: ReadOnlyPolicy,
): FormSchema {
  const readOnlyNames = propertiesWith(document, schema, 'readOnly');
  const properties = propertiesOf(document, schema);
  const fields = new Map<string, FormField>();
  for (const [name, property] of properties) {
    const resolved = schemaOf(document, property);
    const isList = shapeOf(document, property).types?.includes('array') === true;
    const item = isList ? (resolved.items ?? {}) : property;
    const types = typesOf(document, item);
    fields.set(name, {
      isList,
      isFile: isFileSchema(schemaOf(document, item)),
      isJson: types?.includes('object') === true || types?.includes('array') === true,
      contentTypes: (encoding[name]?.contentType ?? '').split(',').flatMap((type) => {
        const { essence } = parseMediaType(type);
        return essence === '' ? [] : [essence];
      }),
      types,
      isIgnored: readOnly === 'ignore' && readOnlyNames.has(name),
      check: readOnlyNames.has(name) ? readOnlyFault : compileSchema(document, item),
    });
  }
  const { required, isOpen } = shapeOf(document, schema);
  return {
    fields,
    required: required.filter((name) => !readOnlyNames.has(name)),
    isOpen,
    check: compileSchema(document, withoutFiles(schema, document, fields), readOnly),
  };
}

const readOnlyFault = (): Fault[] => [{ in: 'body', path: '', message: 'is read-only' }];

/** Returns the properties that a schema and the parts of its `allOf` declare. */
export function propertiesOf(document: OpenApiDocument, schema: unknown): [string, unknown][] {
  const { properties, allOf } = schemaOf(document, schema);
  const own = isObject(properties) ? Object.entries(properties) : [];
  const parts = Array.isArray(allOf) ? allOf : [];
  return [...parts.flatMap((part) => propertiesOf(document, part)), ...own];
}

/** Returns the JSON types of a value; also those of a single schema or null, as TypeSpec declares a nullable one. */
function typesOf(document: OpenApiDocument, schema: unknown): readonly string[] | undefined {
  const shape = shapeOf(document, schema);
  const isNullable =
    shape.alternatives.length === 2 && shape.alternatives.some(({ types }) => types?.join() === 'null');
  return isNullable ? permittedTypes(shape) : shape.types;
}

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
  schema: unknown,
  document: OpenApiDocument,
  fields: ReadonlyMap<string, FormField>,
): unknown {
  const { properties, allOf, ...others } = schemaOf(document, schema);
  const copies = Object.entries(isObject(properties) ? properties : {}).map(([name, property]) => {
    const field = fields.get(name);
    const file = field?.isList ? { ...schemaOf(document, property), items: {} } : {};
    return [name, field?.isFile ? file : property];
  });
  return {
    ...others,
    ...(isObject(properties) && { properties: Object.fromEntries(copies) }),
    ...(Array.isArray(allOf) && { allOf: allOf.map((part) => withoutFiles(part, document, fields)) }),
  };
}

/** Converts the text of a form to the declared type; text of another type stays text, which validation rejects. */
export function coerce(text: string, types: readonly string[] | undefined): unknown {
  if (types === undefined || types.includes('string')) {
    return text;
  }
  if (types.includes('number') && isNumberText(text)) {
    return Number(text);
  }
  if (types.includes('boolean') && (text === 'true' || text === 'false')) {
    return text === 'true';
  }
  return types.includes('null') && text === '' ? null : text;
}
