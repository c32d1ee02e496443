import { type ContractError, type Fault, fieldsInvalid } from '../errors.ts';
import { parsePointer } from '../json-values.ts';

/** Maximum number of invalid fields reported for one request. */
export const MAX_REPORTED_FAULTS = 50;

/**
 * Maximum size of a body for reporting all faults. For larger bodies, only the first fault is reported: a megabyte can
 * contain hundreds of thousands.
 */
export const MAX_FULL_REPORT_BYTES = 65_536;

/** Maximum length of a reported path, which may contain property names chosen by the caller. */
const MAX_FAULT_PATH_CHARACTERS = 200;

/** Maximum number of messages per field. Each variant of a union contributes one. */
const MAX_FAULT_MESSAGES = 5;

/** One error of a JSON Schema validator. */
export interface SchemaError {
  /** The keyword that failed. */
  keyword: string;
  /** JSON Pointer to the invalid value, the missing property or the unknown property. */
  pointer: string;
  message: string;
}

/** Converts validator errors to faults of one part of the request: one per field, up to {@link MAX_REPORTED_FAULTS}. */
export function faultsOf(part: Fault['in'], errors: Iterable<SchemaError>): Fault[] {
  const messagesByPath = new Map<string, Set<string>>();
  for (const { keyword, pointer, message } of errors) {
    // `if` fails only because its `then` failed, which is reported too.
    if (keyword === 'if') {
      continue;
    }
    const path = parsePointer(pointer).join('.').slice(0, MAX_FAULT_PATH_CHARACTERS);
    const messages = messagesByPath.get(path) ?? new Set();
    if (messages.size === 0 && messagesByPath.size >= MAX_REPORTED_FAULTS) {
      continue;
    }
    if (messages.size < MAX_FAULT_MESSAGES) {
      messages.add(MESSAGES.get(keyword) ?? readableMessage(keyword, message));
    }
    messagesByPath.set(path, messages);
  }
  return [...messagesByPath].map(([path, messages]) => ({
    in: part,
    path,
    message: [...messages].join(', or '),
  }));
}

/** The validator lists several types as `must be integer,null`. */
const readableMessage = (keyword: string, message: string): string =>
  keyword === 'type' ? message.replaceAll(',', ' or ') : message;

/** Replacements for validator messages that do not read well after a field name. */
const MESSAGES: ReadonlyMap<string, string> = new Map([
  ['required', 'is required'],
  ['additionalProperties', 'is not a known field'],
  ['unevaluatedProperties', 'is not a known field'],
]);

/** Creates the 400 that reports the first fault of each field of a request. */
export function refusal(faults: Fault[]): ContractError {
  const fields = new Map<string, Fault>();
  for (const fault of faults) {
    const key = `${fault.in} ${fault.path}`;
    if (!fields.has(key)) {
      fields.set(key, { ...fault, path: fault.path.slice(0, MAX_FAULT_PATH_CHARACTERS) });
    }
  }
  const details = [...fields.values()].slice(0, MAX_REPORTED_FAULTS);
  const first = details.slice(0, 3).map(({ in: part, path, message }) => `${part} ${path} ${message}`);
  const more = fields.size > 3 ? `; and ${fields.size - 3} more` : '';
  const summary = first.join('; ').replaceAll(/ {2,}/g, ' ');
  return fieldsInvalid(`${summary}${more}`, details);
}
