import { Ajv } from 'ajv';

/** The class that Ajv shares with its edition for OpenAPI 3.1. All ways to compile a schema lead to its method. */
export const schemaCompiler: { _compileSchemaEnv(schema: unknown): unknown } = Object.getPrototypeOf(
  Ajv.prototype,
);
