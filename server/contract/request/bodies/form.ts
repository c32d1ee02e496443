import type { EncodingObject, MediaTypeObject, OpenApiDocument } from '../../document.ts';
import type { Fault } from '../../errors.ts';
import type { ReadOnlyPolicy } from '../../validation/directions.ts';
import { type CheckValue, compileSchema } from '../../validation/schema-check.ts';
import { decodeForm, INVALID_ENCODING } from '../values/decode.ts';
import { Field } from '../values/field.ts';
import { FieldNames } from '../values/names.ts';
import { addAt, memberOf, type RawValue, splitName } from '../values/raw-value.ts';
import { splitPair } from '../values/separation.ts';
import { ValueReader } from '../values/value-reader.ts';
import { permitsList, propertyNames, propertyType, type ValueType, valueType } from '../values/value-type.ts';
import { bodyFault, decode } from './buffered.ts';

/** How a form (`application/x-www-form-urlencoded`) is read. */
export interface UrlEncodedForm {
  document: OpenApiDocument;
  type: ValueType;
  names: FieldNames;
  check: CheckValue;
}

/** Describes a form by its schema and the `encoding` of its media type. */
export function urlEncodedForm(
  document: OpenApiDocument,
  { schema, encoding = {} }: MediaTypeObject,
  readOnly: ReadOnlyPolicy,
): UrlEncodedForm {
  const type = valueType(document, schema);
  const fields = [...propertyNames(type)].map((name) => {
    const own = propertyType(document, type.alternatives, name);
    return formField(document, name, own, Object.hasOwn(encoding, name) ? encoding[name] : undefined);
  });
  return { document, type, names: new FieldNames(fields), check: compileSchema(document, schema, readOnly) };
}

/**
 * Without a style, lists repeat their names, and objects have names in brackets, or are JSON: the default style makes
 * their properties fields of the form (OpenAPI 3.0), and the default media type makes them JSON (OpenAPI 3.1).
 */
function formField(
  document: OpenApiDocument,
  name: string,
  type: ValueType,
  { style, explode, contentType }: EncodingObject = {},
): Field {
  if (style === undefined && explode === undefined) {
    const isBracketed = contentType === undefined;
    return new Field(document, {
      ...{ name, type, style: 'deepObject', explode: true },
      ...(isBracketed ? { permitsJson: true } : { mediaType: contentType }),
    });
  }
  const declared = style ?? 'form';
  const isExploded = explode ?? declared === 'form';
  // Lists with repeated names may also have brackets.
  const isRepeated = isExploded && permitsList(type);
  return new Field(document, {
    name,
    type,
    style: isRepeated ? 'deepObject' : declared,
    explode: isExploded,
  });
}

/**
 * Parses a form into an object of the declared types. Returns undefined if the form is invalid, after adding a fault for
 * each invalid field.
 */
export async function parseForm(
  chunks: readonly Buffer[],
  form: UrlEncodedForm,
  maxFields: number,
  faults: Fault[],
): Promise<unknown> {
  const text = await decode(chunks).catch(() => undefined);
  if (text === undefined) {
    faults.push(bodyFault('is not valid UTF-8'));
    return undefined;
  }
  const pairs = text.split('&', maxFields + 1).filter((pair) => pair !== '');
  if (pairs.length > maxFields) {
    faults.push(bodyFault(`must not have more than ${maxFields} fields`));
    return undefined;
  }
  const { document, type, names, check } = form;
  const members = new Map<string, RawValue>();
  const invalid: Fault[] = [];
  for (const pair of pairs) {
    const fault = addPair({ texts: [], members }, pair, names);
    if (fault) {
      invalid.push(fault);
    }
  }
  const report = (path: readonly string[], message: string) =>
    invalid.push(bodyFault(message, path.join('.')));
  const value = new ValueReader(document, report).object(members, type, []);
  faults.push(...(invalid.length > 0 ? invalid : check(value)));
  return value;
}

function addPair(form: RawValue, pair: string, names: FieldNames): Fault | undefined {
  const [encodedName = '', text = ''] = splitPair(pair);
  const name = decodeForm(encodedName);
  if (name === undefined) {
    return bodyFault(INVALID_ENCODING);
  }
  const found = names.find(name);
  if (found && found.steps.length === 0) {
    const { field } = found;
    const problem = field.add(memberOf(form, field.name), text, decodeForm);
    return problem === undefined ? undefined : bodyFault(problem, field.name);
  }
  const { base, steps } = splitName(name) ?? { base: name, steps: [] };
  const path = found ? [found.field.name, ...found.steps] : [base, ...steps];
  const decoded = decodeForm(text);
  const problem = decoded === undefined ? INVALID_ENCODING : addAt(form, path, decoded);
  return problem === undefined ? undefined : bodyFault(problem, path.join('.'));
}
