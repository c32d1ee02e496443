import type { Ajv } from 'ajv';
import { resolveRef, SchemaEnv } from 'ajv/dist/compile/index.js';
import type { AnyValidateFunction, DataValidateFunction, DataValidationCxt } from 'ajv/dist/types/index.js';

/** A keyword with the meaning of `$ref`. */
export const COMPILED_ON_USE = 'x-compiled-on-use';

/**
 * Makes a validator know {@link COMPILED_ON_USE}: what it refers to is compiled when a value first needs it. With
 * `$ref` a validator compiles all that a schema reaches at its first value, which for a tree of unions holds the
 * thread of requests for a fifth of a second.
 */
export function addCompiledOnUse(ajv: Ajv): void {
  ajv.addKeyword({
    keyword: COMPILED_ON_USE,
    schemaType: 'string',
    compile: (ref: string, _schema, { self, schemaEnv, baseId }) => {
      let compiled: AnyValidateFunction | undefined;
      const validate: DataValidateFunction = (value: unknown, context?: DataValidationCxt) => {
        compiled ??= compile(self, ref, resolveRef.call(self, schemaEnv.root, baseId, ref));
        const fits = compiled(value, context);
        validate.errors = compiled.errors ?? [];
        // Only a schema with `$async` has another result.
        return fits as boolean;
      };
      return validate;
    },
  });
}

function compile(ajv: Ajv, ref: string, found: ReturnType<typeof resolveRef>): AnyValidateFunction {
  // A schema that refers to no other is found as it is.
  const compiled = found instanceof SchemaEnv ? found.validate : found !== undefined && ajv.compile(found);
  if (!compiled) throw new Error(`The reference ${ref} leads nowhere.`);
  return compiled;
}
