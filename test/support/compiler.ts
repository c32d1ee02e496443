import { Ajv } from 'ajv';
import { onTestFinished, vi } from 'vitest';

/** Counts the schemas that are compiled until the test ends. */
export function watchCompiler() {
  // The class that Ajv shares with its edition for OpenAPI 3.1. All ways to compile lead to this method.
  const core: { _compileSchemaEnv(schema: unknown): unknown } = Object.getPrototypeOf(Ajv.prototype);
  const compile = vi.spyOn(core, '_compileSchemaEnv');
  onTestFinished(() => compile.mockRestore());
  return compile;
}
