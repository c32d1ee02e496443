import { Ajv } from 'ajv';

/* Loaded before a server with `--import`: prints a line for each schema that is compiled. */

// As in compiler.ts.
const core: { _compileSchemaEnv(schema: unknown): unknown } = Object.getPrototypeOf(Ajv.prototype);
const compile = core._compileSchemaEnv;
core._compileSchemaEnv = function (schema) {
  console.log('compiled a schema');
  return compile.call(this, schema);
};
