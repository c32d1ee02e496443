import type { EncodingObject, OpenApiDocument } from '../document.ts';
import { isLocation } from '../document.ts';
import { isJsonType, isMultipart } from '../media-types.ts';
import { formSchema } from '../request/bodies/fields.ts';
import {
  isMap,
  itemType,
  permitsList,
  permitsObject,
  propertyNames,
  propertySchemas,
  propertyType,
  type ValueType,
  valueType,
} from '../request/values/value-type.ts';
import type { Notation } from './assets/notation.js';
import { specificType } from './media.ts';
import type { MediaReference, ParameterReference } from './reference.ts';

/**
 * How a value is entered: as a text, as a text on each line, as JSON, or as JSON if it begins like an object or a list
 * and as a text otherwise.
 */
export type InputKind = 'text' | 'lines' | 'json' | 'mixed';

/** Returns how a parameter is written. */
export function parameterNotation(parameter: ParameterReference): Notation {
  const { name, in: location, style, explode, isReserved, mediaType } = parameter;
  return {
    in: isLocation(location) ? location : 'query',
    name,
    ...(mediaType === undefined ? { style, explode } : { type: mediaType }),
    ...(isReserved && { reserved: true }),
  };
}

/** Returns how the value of a parameter is entered. */
export const parameterInput = (
  document: OpenApiDocument,
  { schema, mediaType }: ParameterReference,
): InputKind =>
  mediaType === undefined
    ? inputKind(document, valueType(document, schema))
    : isJsonType(mediaType)
      ? 'json'
      : 'text';

/** Returns how a value is entered that is written in a style. */
function inputKind(document: OpenApiDocument, type: ValueType): InputKind {
  const [isList, isObject] = [permitsList(type), permitsObject(type)];
  if (!isList && !isObject) {
    return 'text';
  }
  const items = itemType(document, type, 0);
  const hasComplexItems = isList && (permitsList(items) || permitsObject(items));
  const isComplex = isObject || hasComplexItems;
  const others = [...(type.kinds ?? [])].filter((kind) => !['array', 'object', 'null'].includes(kind));
  return others.length > 0 ? 'mixed' : isComplex ? 'json' : 'lines';
}

/** A field of a form. */
export interface FormField {
  name: string;
  notation: Notation;
  input: InputKind;
  isFile: boolean;
  /** Whether several files can be sent. */
  isList: boolean;
  required: boolean;
  /** Schema of the field: that of the first alternative with the field. */
  schema: unknown;
}

/** The fields of a form. */
export interface FormFields {
  /** The declared ones. Those of a union are those of all its alternatives. */
  fields: FormField[];
  /** Names of the fields of an example: the required ones of the first alternative, or its first field. */
  example: string[];
  /** Whether fields of other names are permitted by the schema, or none are declared. */
  isMap: boolean;
}

/** Returns the fields of a form, and how they are written. */
export function formFields(
  document: OpenApiDocument,
  { type, schema, encoding }: MediaReference,
): FormFields {
  const form = valueType(document, schema);
  const declared = formSchema(document, { schema, encoding }, 'ignore');
  const names = [...propertyNames(form)].filter((name) => declared.fields.get(name)?.isIgnored !== true);
  const fields = names.map((name): FormField => {
    const own = propertyType(document, form.alternatives, name);
    const { isFile = false, isList = false } = declared.fields.get(name) ?? {};
    const notation = fieldNotation(type, name, Object.hasOwn(encoding, name) ? encoding[name] : undefined);
    return {
      name,
      notation,
      input: notation.type !== undefined && isJsonType(notation.type) ? 'json' : inputKind(document, own),
      isFile: isFile && isMultipart(type),
      isList,
      required: declared.required.includes(name),
      schema: propertySchemas(form, name)[0],
    };
  });
  const [first] = form.alternatives;
  const required = names.filter((name) => first?.required.includes(name));
  return {
    fields,
    example: required.length > 0 ? required : names.filter((name) => first?.properties.has(name)).slice(0, 1),
    isMap: isMap(form) || fields.length === 0,
  };
}

/** Returns how a field is written that is not declared. */
export const otherNotation = (name: string): Notation => ({ in: 'body', name });

function fieldNotation(
  formType: string,
  name: string,
  { style, explode, contentType }: EncodingObject = {},
): Notation {
  const notation = otherNotation(name);
  // A list of media types, or a range, leaves the choice to the client.
  const [first = ''] = (contentType ?? '').split(',');
  const type = first.trim() === '' ? undefined : specificType(first.trim());
  if (isMultipart(formType) || (style === undefined && explode === undefined)) {
    return type === undefined ? notation : { ...notation, type };
  }
  const declared = style ?? 'form';
  return { ...notation, style: declared, explode: explode ?? declared === 'form' };
}

/** Whether the notation of a value is not that of a single text. */
export const isStructured = (document: OpenApiDocument, parameter: ParameterReference): boolean =>
  parameter.mediaType !== undefined || parameterInput(document, parameter) !== 'text';
