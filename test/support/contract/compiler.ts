import { onTestFinished, vi } from 'vitest';
import { schemaCompiler } from './schema-compiler.ts';

/** Counts the schemas that are compiled until the test ends. */
export function watchCompiler() {
  const compile = vi.spyOn(schemaCompiler, '_compileSchemaEnv');
  onTestFinished(() => compile.mockRestore());
  return compile;
}
