import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { operations } from '../../generated/operations.ts';
import { watchCompiler } from '../support/compiler.ts';

describe('a server with a job process', () => {
  // Other files may have compiled validators in the modules that a worker shares.
  beforeEach(() => {
    vi.resetModules();
  });
  afterEach(() => {
    vi.doUnmock('../../server/contract/router.ts');
    vi.resetModules();
  });

  async function start(compileAhead: 'on' | 'off'): Promise<void> {
    const { startTestServer } = await import('../support/server.ts');
    const server = await startTestServer({ COLOPHON_COMPILE_AHEAD: compileAhead }, 'forked');
    onTestFinished(() => server.stop());
  }

  test('compiles validators before the first request', async () => {
    const compile = watchCompiler();
    await start('on');
    const count = Object.keys(operations).length;
    await vi.waitFor(() => expect(compile.mock.calls.length).toBeGreaterThan(count), { timeout: 60_000 });
  });

  test('leaves that to the first requests if COLOPHON_COMPILE_AHEAD is off', async () => {
    const router = await vi.importActual<typeof import('../../server/contract/router.ts')>(
      '../../server/contract/router.ts',
    );
    const createContractRouter = vi.fn(router.createContractRouter);
    vi.doMock('../../server/contract/router.ts', () => ({ ...router, createContractRouter }));
    await start('off');
    expect(createContractRouter.mock.lastCall?.[0]).toMatchObject({ compileAhead: false });
  });
});
