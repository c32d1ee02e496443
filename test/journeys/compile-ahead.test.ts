import { expect, test, vi } from 'vitest';
import { operations } from '../../generated/operations.ts';
import { useTestPrograms } from '../support/processes/program.ts';

const { serve } = useTestPrograms();

// Those that do so with the first requests are tested in process.test.ts.
test('a server compiles validators before the first request', async () => {
  const { output } = await serve({
    COLOPHON_COMPILE_AHEAD: 'on',
    // Prints a line for each schema.
    NODE_OPTIONS: `--import=${import.meta.resolve('../support/contract/report-compiling.ts')}`,
  });
  const countCompiled = () => output.stdout.match(/^compiled a schema$/gm)?.length ?? 0;
  const count = Object.keys(operations).length;
  await vi.waitFor(() => expect(countCompiled()).toBeGreaterThan(count), { timeout: 60_000 });
});
