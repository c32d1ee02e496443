import { afterAll, beforeAll, beforeEach, onTestFailed } from 'vitest';
import {
  createDataLocation,
  type DataLocation,
  runServer,
  type ServerProgram,
  type TestPrograms,
} from './program.ts';

/**
 * Registers the hooks for {@link TestPrograms} that all tests of a file, or of a `describe` block, share: one data
 * location, and servers that end after the last test. The logs of all of them are printed when a test fails.
 *
 * @param options of {@link createDataLocation}
 */
export function useSharedPrograms(options?: { blank?: boolean }): TestPrograms {
  let target: DataLocation;
  const servers: ServerProgram[] = [];
  beforeAll(async () => {
    target = await createDataLocation(options);
  });
  beforeEach(() => {
    onTestFailed(() => {
      for (const { output } of servers) {
        console.error(output.stderr);
      }
    });
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop('SIGKILL')));
    await target.remove();
  });
  return {
    get location() {
      return target;
    },
    async serve(environment = {}, entry) {
      const server = await runServer({ ...target.environment, ...environment }, entry);
      servers.push(server);
      return server;
    },
  };
}
