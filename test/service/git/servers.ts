import { afterAll, beforeAll } from 'vitest';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

/** Server of the current test file. */
export let server: TestServer;
/** Git server of the current test file. */
export let git: GitServer;

/** Starts both servers for the tests of a file. Call it once, at the top of the file. */
export function useServers(): void {
  beforeAll(async () => {
    [server, git] = await Promise.all([startTestServer(), startGitServer()]);
  });
  afterAll(() => Promise.all([server.stop(), git.close()]));
}
