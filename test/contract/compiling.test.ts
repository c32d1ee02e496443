import { expect, test, vi } from 'vitest';
import { operationsOf } from '../../server/contract/document.ts';
import { createValidation, MAX_FULL_REPORT_BYTES } from '../../server/contract/validation.ts';
import { watchCompiler } from '../support/compiler.ts';
import { document } from './small-contract.ts';
import { serveSmallContract } from './small-server.ts';

const sendAll = async ({ send }: Awaited<ReturnType<typeof serveSmallContract>>) => {
  expect((await send('GET', '/v1/widgets')).status).toBe(200);
  expect((await send('POST', '/v1/widgets', { title: 'a' })).status).toBe(201);
  expect((await send('GET', '/v1/widgets/a')).status).toBe(200);
  // Large bodies have a separate validator.
  const padding = ' '.repeat(MAX_FULL_REPORT_BYTES);
  expect((await send('POST', '/v1/widgets', `${padding}{"title":"a"}`)).status).toBe(201);
};

test('compiles validators with the first request that needs them', async () => {
  const compile = watchCompiler();
  const server = await serveSmallContract({}, { validateResponses: false });
  expect(compile).not.toHaveBeenCalled();
  await sendAll(server);
  expect(compile).toHaveBeenCalled();
});

test('compiles validators before the first request if the server requests it', async () => {
  const compile = watchCompiler();
  const operations = Object.values(document.paths).flatMap(operationsOf);
  for (const [method, operation] of operations) {
    const validation = createValidation(document, method, operation);
    while (validation.prepare()) {
      // Each call compiles one validator.
    }
  }
  const schemas = compile.mock.calls.length;
  expect(schemas).toBeGreaterThan(operations.length);
  compile.mockClear();
  const server = await serveSmallContract({}, { validateResponses: false, compileAhead: true });
  await vi.waitFor(() => expect(compile).toHaveBeenCalledTimes(schemas), { timeout: 10_000 });
  await sendAll(server);
  expect(compile).toHaveBeenCalledTimes(schemas);
});
