import type { OpenApiDocument } from '../document.ts';
import { isObject } from '../json-values.ts';
import {
  isMap,
  permitsList,
  permitsObject,
  type ValueType,
  valueType,
} from '../request/values/value-type.ts';
import { headerText, pairsOf, pathText } from './assets/notation.js';
import { exampleValue } from './example-value.ts';
import { formFields, isStructured, parameterNotation } from './notations.ts';
import type { MediaReference, OperationReference, ParameterReference } from './reference.ts';

/** Returns the parameters of a location that samples have: the required ones, and those with an example. */
export const sampleParameters = ({ parameters }: OperationReference, location: string) =>
  parameters.filter(
    (parameter) =>
      parameter.in === location &&
      (parameter.required || location === 'path' || parameter.example !== undefined),
  );

/** Returns the value of a parameter in samples: its example, or a value of its schema. */
export function parameterValue(document: OpenApiDocument, parameter: ParameterReference): unknown {
  const { schema, example, name, in: location } = parameter;
  if (example !== undefined) {
    return example;
  }
  const value = exampleValue(document, schema, 'request');
  const type = valueType(document, schema);
  if (isEmpty(value)) {
    return anyValue(type);
  }
  return location === 'path' && typeof value === 'string' ? pathValue(type, name, value) : value;
}

const isEmpty = (value: unknown) =>
  value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

/** Returns a value with a member, because an empty list or object is no parameter at all. */
function anyValue(type: ValueType): unknown {
  return permitsObject(type) && isMap(type) ? { name: 'text' } : permitsList(type) ? ['text'] : 'text';
}

/** Returns a placeholder such as `SPACE_ID` or `space-id`, unless the schema permits only other texts. */
function pathValue(type: ValueType, name: string, value: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/\W+/g, '_');
  const placeholder = words.toUpperCase();
  const texts = [placeholder, words.toLowerCase().replaceAll('_', '-'), value];
  // Any other value is a declared one, or that of a format.
  return value === 'text' ? (texts.find((text) => type.accepts(text)) ?? placeholder) : value;
}

/** Returns how an example of a list, an object, or a value in a media type is sent; undefined for a plain text. */
export function notationExample(
  document: OpenApiDocument,
  parameter: ParameterReference,
): string | undefined {
  if (!isStructured(document, parameter)) {
    return undefined;
  }
  const notation = parameterNotation(parameter);
  const value = parameterValue(document, parameter);
  const { in: location } = notation;
  try {
    const text =
      location === 'path'
        ? pathText(notation, value)
        : location === 'header'
          ? headerText(notation, value)
          : pairsOf(notation, value)
              .map((pair) => pair.join('='))
              .join(location === 'cookie' ? '; ' : '&');
    // Brackets are sent encoded, and are easier to read as they are.
    return text.length > MAX_NOTATION_CHARACTERS
      ? undefined
      : text.replaceAll('%5B', '[').replaceAll('%5D', ']');
  } catch {
    return undefined;
  }
}

/** Maximum length of the notation of a parameter on a documentation page, in UTF-16 units. Longer ones are not shown. */
export const MAX_NOTATION_CHARACTERS = 200;

/** Returns the example of a body. */
export function bodyExample(document: OpenApiDocument, { schema, example }: MediaReference): unknown {
  return example ?? exampleValue(document, schema, 'request');
}

/** A field of a form in a sample. A file has no value. */
export interface SampleField {
  name: string;
  isFile: boolean;
  /** Whether several files can be sent. */
  isList: boolean;
  value: unknown;
}

/** Returns the fields of a form in samples: those of its example, or the required ones. */
export function sampleFields(document: OpenApiDocument, media: MediaReference): SampleField[] {
  const { fields, example } = formFields(document, media);
  const values = bodyExample(document, media);
  const own = isObject(values) ? values : {};
  const names = media.example === undefined ? new Set([...example, ...Object.keys(own)]) : Object.keys(own);
  return [...names].map((name) => {
    const field = fields.find((candidate) => candidate.name === name);
    const value = Object.hasOwn(own, name)
      ? own[name]
      : (exampleValue(document, field?.schema ?? {}, 'request') ?? 'text');
    return { name, isFile: field?.isFile === true, isList: field?.isList === true, value };
  });
}
