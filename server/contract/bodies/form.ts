import type { Fault } from '../errors.ts';
import { bodyFault, decode, unsafeText } from './buffered.ts';
import { coerce, type FormSchema } from './fields.ts';

/**
 * Parses a form (`application/x-www-form-urlencoded`) into an object of the declared types; a repeated name becomes an
 * array. Returns undefined if the form is invalid, after adding a fault for each invalid field.
 */
export async function parseForm(
  chunks: readonly Buffer[],
  schema: FormSchema,
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
  const form: Record<string, unknown> = {};
  const invalid: Fault[] = [];
  for (const pair of pairs) {
    const fault = addPair(form, pair, schema);
    if (fault) {
      invalid.push(fault);
    }
  }
  faults.push(...(invalid.length > 0 ? invalid : schema.check(form)));
  return form;
}

function addPair(form: Record<string, unknown>, pair: string, { fields }: FormSchema): Fault | undefined {
  const mark = pair.indexOf('=');
  const name = decodeField(mark < 0 ? pair : pair.slice(0, mark));
  const value = mark < 0 ? '' : decodeField(pair.slice(mark + 1));
  if (name === undefined || value === undefined) {
    return bodyFault(
      'has invalid percent-encoding: each % must be followed by two hexadecimal digits, and the text must be UTF-8 without U+0000',
      name ?? '',
    );
  }
  if (name === '__proto__') {
    return bodyFault('is not a valid field name', name);
  }
  const field = fields.get(name);
  const coerced = coerce(value, field?.types);
  if (field?.isList) {
    const list = form[name];
    if (Array.isArray(list)) {
      list.push(coerced);
    } else {
      form[name] = [coerced];
    }
    return undefined;
  }
  if (Object.hasOwn(form, name)) {
    return bodyFault('must not be repeated', name);
  }
  form[name] = coerced;
  return undefined;
}

function decodeField(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '));
    return unsafeText(decoded) === undefined ? decoded : undefined;
  } catch {
    return undefined;
  }
}
