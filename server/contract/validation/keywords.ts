import { _, type Ajv, type CodeKeywordDefinition, type FuncKeywordDefinition, str } from 'ajv';
import { resolveRef, type SchemaCxt, SchemaEnv } from 'ajv/dist/compile/index.js';
import type { AnyValidateFunction, DataValidateFunction, DataValidationCxt } from 'ajv/dist/types/index.js';
import { CLOSEST_KEYWORDS, CLOSEST_SHAPES } from './closest.ts';
import { MULTIPLE_OF, PRINTED_EXACTLY_KEYWORD } from './decimals.ts';
import { type ReadOnlyPolicy, UNSENT_PROPERTY } from './directions.ts';
import { COUNTED_SCHEMA_KEYWORD } from './evaluations.ts';

/** A keyword that behaves like `$ref`, but compiles its target on first use. */
export const COMPILED_ON_USE = 'x-compiled-on-use';

/** Adds the keywords of this module to a validator, replacing its `maxLength`, `minLength` and `multipleOf`. */
export function addKeywords(ajv: Ajv): void {
  ajv.addKeyword({ keyword: COMPILED_ON_USE, schemaType: 'string', compile: compileOnUse });
  ajv.addKeyword({ keyword: CLOSEST_SHAPES, schemaType: 'array' });
  ajv.addKeyword(UNSENT).addKeyword(COUNTED_SCHEMA_KEYWORD);
  for (const keyword of CLOSEST_KEYWORDS) {
    ajv.addKeyword(keyword);
  }
  ajv.removeKeyword('maxLength').removeKeyword('minLength');
  ajv.removeKeyword('multipleOf');
  ajv
    .addKeyword(MAX_LENGTH)
    .addKeyword(MIN_LENGTH)
    .addKeyword(MULTIPLE_OF)
    .addKeyword(PRINTED_EXACTLY_KEYWORD);
}

const UNSENT: FuncKeywordDefinition = {
  keyword: UNSENT_PROPERTY,
  schemaType: 'object',
  modifying: true,
  errors: 'full',
  compile: ({ keyword, policy }: { keyword: string; policy: ReadOnlyPolicy }) => {
    const validate: DataValidateFunction = (_value: unknown, context?: DataValidationCxt) => {
      if (policy === 'ignore' && context) {
        delete context.parentData[context.parentDataProperty];
        return true;
      }
      const message = keyword === 'readOnly' ? 'is read-only' : 'is write-only';
      const instancePath = context?.instancePath ?? '';
      validate.errors = [{ keyword: UNSENT_PROPERTY, instancePath, schemaPath: '', params: {}, message }];
      return false;
    };
    return validate;
  },
};

/**
 * Compiles the referenced schema on first use. With `$ref`, Ajv compiles every reachable schema at the first
 * validation, which blocks the main thread for about 0.2 seconds for a tree of unions.
 */
function compileOnUse(ref: string, _schema: unknown, { self, schemaEnv, baseId }: SchemaCxt) {
  let compiled: AnyValidateFunction | undefined;
  const validate: DataValidateFunction = (value: unknown, context?: DataValidationCxt) => {
    compiled ??= compile(self, ref, resolveRef.call(self, schemaEnv.root, baseId, ref));
    const fits = compiled(value, context);
    validate.errors = compiled.errors ?? [];
    // Only schemas with `$async` return something other than a boolean.
    return fits as boolean;
  };
  return validate;
}

function compile(ajv: Ajv, ref: string, target: ReturnType<typeof resolveRef>): AnyValidateFunction {
  // A schema without references is resolved to the schema itself.
  const compiled =
    target instanceof SchemaEnv ? target.validate : target !== undefined && ajv.compile(target);
  if (!compiled) {
    throw new Error(`Unresolved reference: ${ref}`);
  }
  return compiled;
}

/*
 * Lengths are in Unicode code points, which take one or two UTF-16 code units. Code points are counted only if the
 * number of code units does not decide: counting a text of megabytes takes longer than parsing it.
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
  for (const _character of text) {
    count += 1;
  }
  return count;
}
