import { Ajv } from 'ajv';
import { expect, onTestFinished, test, vi } from 'vitest';
import { operationsOf } from '../../server/contract/document.ts';
import { createValidation } from '../../server/contract/validation.ts';
import { document } from './small-contract.ts';
import { serveSmallContract } from './small-server.ts';

/** Counts the schemas that are compiled until the test ends. */
function watchCompiler() {
  // The class that Ajv shares with its edition for OpenAPI 3.1. All ways to compile lead to this method.
  const core: { _compileSchemaEnv(schema: unknown): unknown } = Object.getPrototypeOf(Ajv.prototype);
  const compile = vi.spyOn(core, '_compileSchemaEnv');
  onTestFinished(() => compile.mockRestore());
  return compile;
}

const sendAll = async ({ send }: Awaited<ReturnType<typeof serveSmallContract>>) => {
  expect((await send('GET', '/v1/things')).status).toBe(200);
  expect((await send('POST', '/v1/things', { title: 'a' })).status).toBe(201);
  expect((await send('GET', '/v1/things/a')).status).toBe(200);
};

test('validators are compiled with the first request that needs them', async () => {
  const compile = watchCompiler();
  const server = await serveSmallContract({}, { validateResponses: false });
  expect(compile).not.toHaveBeenCalled();
  await sendAll(server);
  expect(compile).toHaveBeenCalled();
});

test('validators are compiled before the first request where the server says so', async () => {
  const compile = watchCompiler();
  const operations = Object.values(document.paths).flatMap(operationsOf);
  for (const [method, operation] of operations) {
    createValidation(document, method, operation).prepare();
  }
  const schemas = compile.mock.calls.length;
  expect(schemas).toBeGreaterThan(operations.length);
  compile.mockClear();
  const server = await serveSmallContract({}, { validateResponses: false, compileAhead: true });
  await vi.waitFor(() => expect(compile).toHaveBeenCalledTimes(schemas), { timeout: 10_000 });
  await sendAll(server);
  expect(compile).toHaveBeenCalledTimes(schemas);
});
