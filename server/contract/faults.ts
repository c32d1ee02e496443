import { unescapePointer } from './document.ts';
import { badRequest, type ContractError, type Fault } from './errors.ts';

/** At most so many faults of one request are told. */
export const MAX_REPORTED_FAULTS = 50;

/** At most so much of a path is told: its names may be the caller's own. */
const LONGEST_PATH = 200;

/** At most so many ways to mend one field are told: the variants of a union each have theirs. */
const MOST_WAYS = 5;

/** One error of a JSON Schema validator. */
export interface SchemaError {
  /** The keyword that failed. */
  keyword: string;
  /** A JSON pointer to the value, to the missing or to the surplus property. */
  pointer: string;
  message: string;
}

/** Errors of a validator as faults of a part of the request: one for each field, capped in number. */
export function faultsOf(part: Fault['in'], errors: Iterable<SchemaError>): Fault[] {
  const told = new Map<string, Set<string>>();
  for (const { keyword, pointer, message } of errors) {
    // A condition fails because what it asks for fails, and that is told as well.
    if (keyword === 'if') continue;
    const path = pointer.split('/').slice(1).map(unescapePointer).join('.').slice(0, LONGEST_PATH);
    const ways = told.get(path) ?? new Set();
    if (ways.size === 0 && told.size >= MAX_REPORTED_FAULTS) continue;
    if (ways.size < MOST_WAYS) ways.add(keyword in OWN_WORDS ? (OWN_WORDS[keyword] ?? message) : message);
    told.set(path, ways);
  }
  return [...told].map(([path, ways]) => ({ in: part, path, message: [...ways].join(', or ') }));
}

/** Where a validator's own words name no field, or read oddly after the name of one. */
const OWN_WORDS: Record<string, string> = {
  required: 'must be there',
  additionalProperties: 'is not a field of this object',
  unevaluatedProperties: 'is not a field of this object',
};

/** The 400 that tells all faults of a request at once, the first one of each field. */
export function refusal(faults: Fault[]): ContractError {
  const fields = new Map<string, Fault>();
  for (const fault of faults) {
    const key = `${fault.in} ${fault.path}`;
    if (!fields.has(key)) fields.set(key, { ...fault, path: fault.path.slice(0, LONGEST_PATH) });
  }
  const details = [...fields.values()].slice(0, MAX_REPORTED_FAULTS);
  const first = details.slice(0, 3).map(({ in: part, path, message }) => `${part} ${path} ${message}`);
  const more = fields.size > 3 ? `; and ${fields.size - 3} more` : '';
  const told = first.join('; ').replaceAll(/ {2,}/g, ' ');
  return badRequest(`The request does not fit the contract: ${told}${more}.`, details);
}
