import type { Json, OpenApiDocument } from '../../spec/toolchain/document.ts';
import { literal } from '../../spec/toolchain/generate/operation-table.ts';
import { readContract } from '../../spec/toolchain/model/contract/read.ts';
import { draw, seedOf } from '../../spec/toolchain/model/sample/draw.ts';
import { SampleValues } from '../../spec/toolchain/model/sample/values.ts';
import { type LocatedValue, SchemaArbitraries } from '../../spec/toolchain/model/schema/arbitraries.ts';
import { type Schema, SchemaSet } from '../../spec/toolchain/model/schema/schema.ts';
import { rewriteObjects } from '../../spec/toolchain/rewrite.ts';
import { documentOf } from '../../spec/toolchain/source.ts';
import { withImpliedType } from '../../spec/toolchain/types/constraints.ts';
import { withTaggedVariants } from '../../spec/toolchain/types/discriminators.ts';
import { withModelReferences } from '../../spec/toolchain/types/references.ts';
import { testSeed } from '../support/seed.ts';

/** Maximum number of sampled bodies per document. */
const MAX_BODIES = 30;
/** Random valid values of a body, besides a readable one. */
const VALID_VALUES = 3;
const MAX_INVALID_VALUES = 12;
/** Longer values only repeat parts of the types. */
const MAX_VALUE_LENGTH = 4000;
/** Time for the values of a document. */
const SAMPLING_MS = 40_000;

/** Keywords of the constraints that types have. All others limit values of a type. */
const SHAPE_KEYWORDS = new Set(['required', 'type', 'null', 'enum', 'tag', 'additionalProperties']);

/** A statement of a program, and what it shows if its result is not the expected one. */
export interface Sample {
  type: string;
  value: unknown;
  /** Violated keyword and its location; undefined for a valid value. */
  violates?: string;
}

interface TypedSchema {
  type: string;
  schema: Schema;
}

interface Bodies {
  bodies: TypedSchema[];
  schemas: SchemaSet;
}

/** Returns the JSON bodies of operations with their types. */
function bodiesOf(document: OpenApiDocument): Bodies {
  const contract = readContract(documentOf('document', document));
  const bodies = contract.operations.flatMap(({ id, body, responses }) => {
    const operation = `operations[${quote(id)}]`;
    const all = [
      { content: body?.content ?? {}, type: `NonNullable<${operation}['requestBody']>['content']` },
      ...Object.entries(responses)
        // Errors that repeat the default response are omitted.
        .filter(([status]) => status.startsWith('2'))
        .map(([status, { content }]) => ({
          content,
          type: `${operation}['responses'][${/^\d+$/.test(status) ? status : quote(status)}]['content']`,
        })),
    ];
    return all.flatMap(({ content, type }) =>
      Object.entries(content).flatMap(([mediaType, { schema }]) =>
        schema && /^application\/(.*\+)?json$/.test(mediaType)
          ? [{ type: `${type}[${quote(mediaType)}]`, schema }]
          : [],
      ),
    );
  });
  return { bodies, schemas: new SchemaSet(contract.components) };
}

/** Returns at most {@link MAX_BODIES} bodies, with different schemas. */
function selected(bodies: readonly TypedSchema[]): TypedSchema[] {
  const all = [...new Map(bodies.map((body) => [JSON.stringify(body.schema), body])).values()];
  const step = Math.max(1, all.length / MAX_BODIES);
  return all.filter((_, index) => Math.floor((index + 1) / step) > Math.floor(index / step));
}

/** Returns valid values of the bodies of a document, and values with one violation of their shape. */
export function samplesOf(document: OpenApiDocument, name: string): Sample[] {
  // By convention, keywords of objects and arrays imply the type, which validators do not require.
  const typed = rewriteObjects(document, withImpliedType);
  const { bodies, schemas } = bodiesOf(typed);
  // Validators ignore a discriminator if its variants do not restrict its property themselves, but types do not.
  const tagged = bodiesOf(withTaggedVariants(withModelReferences(typed)));
  const taggedSchemas = new Map(tagged.bodies.map(({ type, schema }) => [type, schema]));
  const values = new SampleValues(schemas);
  const taggedValues = new SampleValues(tagged.schemas);
  const arbitraries = new SchemaArbitraries(schemas, { depth: 2 });
  const end = performance.now() + SAMPLING_MS;
  return selected(bodies).flatMap(({ type, schema }) => {
    const narrowed = taggedSchemas.get(type) ?? schema;
    const seed = seedOf(testSeed(), `${name} ${type}`);
    const accepted = attempt(() => [values.value(schema, 'value', 1)])
      .concat(
        attempt(() => draw(arbitraries.validValue(schema), seed, VALID_VALUES).map(({ value }) => value)),
      )
      .filter((value) => isJson(value) && values.isExact(schema, value))
      .filter((value) => taggedValues.isExact(narrowed, value));
    const rejected =
      performance.now() > end || accepted.length === 0 ? [] : violations(arbitraries.sparse, schema, seed);
    return [
      ...accepted.map((value): Sample => ({ type, value })),
      ...rejected.map(({ value, violates }): Sample => ({ type, value, violates })),
    ];
  });
}

function violations(arbitraries: SchemaArbitraries, schema: Schema, seed: number) {
  const { schemas } = arbitraries;
  const variants = attempt(() => [...arbitraries.invalidVariants(schema)]).filter(({ keyword }) =>
    SHAPE_KEYWORDS.has(keyword),
  );
  const step = Math.max(1, variants.length / MAX_INVALID_VALUES);
  return variants
    .filter((_, index) => Math.floor((index + 1) / step) > Math.floor(index / step))
    .flatMap(({ keyword, location, values }) =>
      attempt(() => draw(values, seed))
        .map((drawn) => drawn.value)
        .filter((located) => isJson(located.value) && !schemas.accepts(schema, located.value))
        .filter((located) => keyword !== 'type' || !isAmbiguous(nestedValue(located)))
        .map(({ value }) => ({ value, violates: `${keyword} at ${location || 'the value'}` })),
    );
}

const nestedValue = ({ value, path }: LocatedValue): unknown =>
  path.reduce<unknown>((parent, step) => Object(parent)[step], value);

/**
 * Whether a value of another type may compile: TypeScript has one type for integers and other numbers, and texts and lists
 * have the property of an object that declares only a `length`.
 */
const isAmbiguous = (value: unknown): boolean => typeof value === 'number' || value === '';

/** Returns the result of a function; none if a schema has no values. */
function attempt<Item>(list: () => Item[]): Item[] {
  try {
    return list();
  } catch {
    return [];
  }
}

const isJson = (value: unknown): boolean => JSON.stringify(value)?.length < MAX_VALUE_LENGTH;
const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** Returns a program that assigns each sample to its type, in a line of its own. */
export function programOf(samples: readonly Sample[]): string {
  const statements = samples.map(
    // Samples are JSON. The compiler has further line separators.
    ({ type, value }, index) =>
      `export const v${index}: ${type} = ${literal(value as Json)};`
        .replaceAll('\u2028', '\\u2028')
        .replaceAll('\u2029', '\\u2029'),
  );
  return ["import type { operations } from './generated/schema.d.ts';", ...statements].join('\n');
}

/** Returns the samples that compile although they are invalid, those that do not although they are valid, and other errors. */
export function unexpectedResults(samples: readonly Sample[], lines: readonly string[]): string[] {
  const errors = new Map<number, string>();
  const others: string[] = [];
  for (const error of lines) {
    const [, line, message] = /^samples\.ts\((\d+),\d+\): error (.*)$/.exec(error) ?? [];
    if (line === undefined || message === undefined) {
      others.push(error);
    } else {
      errors.set(Number(line) - 2, message);
    }
  }
  const described = samples.flatMap(({ type, value, violates }, index) => {
    const error = errors.get(index);
    if ((error === undefined) === (violates === undefined)) {
      return [];
    }
    const text = JSON.stringify(value).slice(0, 300);
    return violates === undefined
      ? [`valid, but does not compile: ${type}: ${text}: ${error}`]
      : [`invalid (${violates}), but compiles: ${type}: ${text}`];
  });
  return [...others, ...described];
}
