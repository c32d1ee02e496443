import { brief, isObject } from '../../json-values.ts';
import { SCHEMA_GRAMMAR } from '../grammar.ts';
import { flagsOf } from '../patterns/patterns.ts';

/** Describes the values that a keyword can have, and returns whether a value is one. */
type Rule = readonly [expected: string, isValid: (value: unknown) => boolean];

const TYPES = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer'];

const isStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');
const isType = (value: unknown) => TYPES.some((type) => type === value);
const isSchema = (value: unknown) => typeof value === 'boolean' || isObject(value);

const count: Rule = ['a non-negative integer', (value) => Number.isInteger(value) && Number(value) >= 0];
const number: Rule = ['a number', (value) => typeof value === 'number'];
const text: Rule = ['a string', (value) => typeof value === 'string'];
const flag: Rule = ['true or false', (value) => typeof value === 'boolean'];
// A boolean is what remains of OpenAPI 3.0.
const limit: Rule = ['a number', (value) => typeof value === 'number' || typeof value === 'boolean'];

const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ...[
    ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'],
    ...['minContains', 'maxContains'],
  ].map((keyword) => [keyword, count] as const),
  ...['minimum', 'maximum'].map((keyword) => [keyword, number] as const),
  ...['exclusiveMinimum', 'exclusiveMaximum'].map((keyword) => [keyword, limit] as const),
  ...['pattern', 'format', '$ref'].map((keyword) => [keyword, text] as const),
  ['uniqueItems', flag],
  ['multipleOf', ['a number greater than 0', (value) => typeof value === 'number' && value > 0]],
  ['enum', ['a list', Array.isArray]],
  ['required', ['a list of names', isStrings]],
  [
    'dependentRequired',
    ['lists of names by name', (value) => isObject(value) && Object.values(value).every(isStrings)],
  ],
  [
    'type',
    [
      `a JSON type (${TYPES.join(', ')}) or a list of them`,
      (value) => isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType)),
    ],
  ],
]);

/** Keywords that give a schema an address of its own, or refer to one. */
const ADDRESS_KEYWORDS = ['$dynamicRef', '$dynamicAnchor', '$anchor', '$id'];

/** Returns why a schema cannot be compiled or would not be applied. Nested schemas have reasons of their own. */
export function schemaProblems(schema: Record<string, unknown>): string[] {
  const problems: string[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    const [expected, isValid] = RULES.get(keyword) ?? containing(keyword) ?? [];
    if (isValid?.(value) === false) {
      problems.push(`${keyword} must be ${expected}, and is ${brief(value)}`);
    }
  }
  const { pattern, patternProperties } = schema;
  for (const expression of [pattern, ...Object.keys(isObject(patternProperties) ? patternProperties : {})]) {
    if (typeof expression === 'string' && flagsOf(expression) === undefined) {
      problems.push(`the pattern ${expression} is not a regular expression of JavaScript`);
    }
  }
  for (const keyword of ADDRESS_KEYWORDS) {
    if (typeof schema[keyword] === 'string') {
      problems.push(`${keyword} is not supported`);
    }
  }
  return problems;
}

/** Returns the rule of a keyword that contains schemas. */
function containing(keyword: string): Rule | undefined {
  const contents = SCHEMA_GRAMMAR.get(keyword);
  if (contents === undefined) {
    return undefined;
  }
  if (typeof contents === 'string') {
    return ['a schema', isSchema];
  }
  if ('map' in contents) {
    return ['schemas by name', (value) => isObject(value) && Object.values(value).every(isSchema)];
  }
  return ['a list of schemas', (value) => Array.isArray(value) && value.length > 0 && value.every(isSchema)];
}
