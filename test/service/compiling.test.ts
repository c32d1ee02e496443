import { expect, onTestFinished, test, vi } from 'vitest';
import { operations } from '../../generated/operations.ts';
import { watchCompiler } from '../support/compiler.ts';
import { isFirstEngine } from '../support/engines.ts';
import { startTestServer } from '../support/server.ts';

test.runIf(isFirstEngine)(
  'compiles validators before the first request in a server with a job process',
  async () => {
    const compile = watchCompiler();
    const server = await startTestServer({}, 'forked');
    onTestFinished(() => server.stop());
    const count = Object.keys(operations).length;
    await vi.waitFor(() => expect(compile.mock.calls.length).toBeGreaterThan(count), { timeout: 60_000 });
  },
);
