import { schemaCompiler } from './schema-compiler.ts';

/* Loaded before a server with `--import`: prints a line for each schema that is compiled. */

const compile = schemaCompiler._compileSchemaEnv;
schemaCompiler._compileSchemaEnv = function (schema) {
  console.log('compiled a schema');
  return compile.call(this, schema);
};
