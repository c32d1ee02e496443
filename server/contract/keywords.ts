import { _, type Ajv, type CodeKeywordDefinition, str } from 'ajv';
import { resolveRef, type SchemaCxt, SchemaEnv } from 'ajv/dist/compile/index.js';
import type { AnyValidateFunction, DataValidateFunction, DataValidationCxt } from 'ajv/dist/types/index.js';

/** A keyword with the meaning of `$ref`. */
export const COMPILED_ON_USE = 'x-compiled-on-use';

/** Gives a validator the keywords of this module, in the place of its own where it has them. */
export function addKeywords(ajv: Ajv): void {
  ajv.addKeyword({ keyword: COMPILED_ON_USE, schemaType: 'string', compile: compileOnUse });
  ajv.removeKeyword('maxLength').removeKeyword('minLength');
  ajv.addKeyword(MAX_LENGTH).addKeyword(MIN_LENGTH);
}

/**
 * What is referred to is compiled when a value first needs it. With `$ref` a validator compiles all that a schema
 * reaches at its first value, which for a tree of unions holds the thread of requests for a fifth of a second.
 */
function compileOnUse(ref: string, _schema: unknown, { self, schemaEnv, baseId }: SchemaCxt) {
  let compiled: AnyValidateFunction | undefined;
  const validate: DataValidateFunction = (value: unknown, context?: DataValidationCxt) => {
    compiled ??= compile(self, ref, resolveRef.call(self, schemaEnv.root, baseId, ref));
    const fits = compiled(value, context);
    validate.errors = compiled.errors ?? [];
    // Only a schema with `$async` has another result.
    return fits as boolean;
  };
  return validate;
}

function compile(ajv: Ajv, ref: string, found: ReturnType<typeof resolveRef>): AnyValidateFunction {
  // A schema that refers to no other is found as it is.
  const compiled = found instanceof SchemaEnv ? found.validate : found !== undefined && ajv.compile(found);
  if (!compiled) throw new Error(`The reference ${ref} leads nowhere.`);
  return compiled;
}

/*
 * Lengths are in characters, of which UTF-16 has one or two units each. A text of megabytes is counted only where
 * its units leave it open: counting takes longer than parsing.
 */

const MAX_LENGTH: CodeKeywordDefinition = {
  keyword: 'maxLength',
  type: 'string',
  schemaType: 'number',
  error: { message: ({ schemaCode }) => str`must NOT have more than ${schemaCode} characters` },
  code: (cxt) => {
    const { gen, data, schemaCode: limit } = cxt;
    const count = gen.scopeValue('func', { ref: charactersOf });
    cxt.fail(_`${data}.length > ${limit} && (${data}.length > 2 * ${limit} || ${count}(${data}) > ${limit})`);
  },
};

const MIN_LENGTH: CodeKeywordDefinition = {
  keyword: 'minLength',
  type: 'string',
  schemaType: 'number',
  error: { message: ({ schemaCode }) => str`must NOT have fewer than ${schemaCode} characters` },
  code: (cxt) => {
    const { gen, data, schemaCode: limit } = cxt;
    const count = gen.scopeValue('func', { ref: charactersOf });
    cxt.fail(_`${data}.length < 2 * ${limit} && ${count}(${data}) < ${limit}`);
  },
};

function charactersOf(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}
