import { expect, test, vi } from 'vitest';
import { createClient, ok } from '../../client/platform/index.ts';
import { operations } from '../../generated/operations.ts';
import { type ServerProgram, useTestPrograms } from '../support/program.ts';

const { serve } = useTestPrograms();

/** Starts a server that prints a line for each schema that it compiles. */
const serveReporting = (compileAhead: 'on' | 'off') =>
  serve({
    COLOPHON_COMPILE_AHEAD: compileAhead,
    COLOPHON_BOOTSTRAP_TOKEN: TOKEN,
    NODE_OPTIONS: `--import=${import.meta.resolve('../support/report-compiling.ts')}`,
  });
const TOKEN = 'a-token-of-the-first-admin-of-the-tests';

const countCompiled = ({ output }: ServerProgram) =>
  output.stdout.match(/^compiled a schema$/gm)?.length ?? 0;

test('a server compiles validators before the first request', async () => {
  const server = await serveReporting('on');
  const count = Object.keys(operations).length;
  await vi.waitFor(() => expect(countCompiled(server)).toBeGreaterThan(count), { timeout: 60_000 });
});

test('a server leaves that to the first requests if COLOPHON_COMPILE_AHEAD is off', async () => {
  const server = await serveReporting('off');
  const client = createClient({ baseUrl: server.url, token: TOKEN, retries: 0 });
  // They take longer than compiling the validators of a dozen operations.
  for (let count = 0; count < 200; count += 1) {
    await ok(client.GET('/v1/user'));
  }
  await server.stop();
  expect(countCompiled(server)).toBeGreaterThan(0);
  expect(countCompiled(server)).toBeLessThan(10);
});
