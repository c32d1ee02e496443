import { _, type CodeKeywordDefinition } from 'ajv';

/** Maximum number of evaluations of named schemas for a value, whatever its size. */
export const MAX_SCHEMA_EVALUATIONS = 20_000;

/** Number of further evaluations of named schemas for each byte of a body: a value has at least two. */
export const SCHEMA_EVALUATIONS_PER_BYTE = 4;

/** Assumed size of a value of unknown size. */
const ASSUMED_BYTES = 1_048_576;

/** A keyword that counts the evaluations of the schema that contains it. Its value is the name of the schema. */
export const COUNTED_SCHEMA = 'x-counted-schema';

/** The error for a value that requires too many evaluations of schemas. */
export class TooManyEvaluations extends Error {
  /** @param schema the name of the schema that exceeded the limit */
  constructor(schema: string) {
    super(`takes too many evaluations of the schema ${schema}: nest fewer values`);
  }
}

let left = Number.POSITIVE_INFINITY;

/**
 * Validates a value, and stops when it takes too long: schemas that refer to each other several times, or recursive
 * unions without a discriminating property, can take time that is exponential in the nesting depth of a value.
 *
 * @param bytes size of the value, if it is known
 * @throws {TooManyEvaluations}
 */
export function limitEvaluations<Result>(validate: () => Result, bytes = ASSUMED_BYTES): Result {
  const outer = left;
  left = MAX_SCHEMA_EVALUATIONS + SCHEMA_EVALUATIONS_PER_BYTE * bytes;
  try {
    return validate();
  } finally {
    left = outer;
  }
}

function count(schema: string): void {
  left -= 1;
  if (left < 0) {
    throw new TooManyEvaluations(schema);
  }
}

/** The definition of {@link COUNTED_SCHEMA}. */
export const COUNTED_SCHEMA_KEYWORD: CodeKeywordDefinition = {
  keyword: COUNTED_SCHEMA,
  schemaType: 'string',
  // Before the keywords that evaluate their own schemas.
  before: '$ref',
  code: ({ gen, schema }) => {
    gen.code(_`${gen.scopeValue('func', { ref: count })}(${String(schema)})`);
  },
};
