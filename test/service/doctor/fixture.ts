import type { RawBuilder } from 'kysely';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import type { Findings } from '../../../server/database/checks/findings.ts';
import { examine } from '../../../server/platform/content/doctor/doctor.ts';
import { createSpace, importRepository } from '../../support/content/imports.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const FILES = {
  'README.md': '# Start\n\nOverview.\n\n![A picture](picture.svg)\n',
  'limits.md': '# Limits\n\nOne value.\n\n## More\n\nAnother value.\n',
  'picture.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>',
};
export const PATIENCE = { timeout: 60_000, interval: 50 };

/** A server with a space, whose data are examined. */
export interface Examined {
  readonly server: TestServer;
  /** The ID of the space. */
  readonly space: string;
  run(repair?: boolean): Promise<Map<string, Findings>>;
  /** Returns the descriptions of the problems by check. */
  problems(): Promise<Record<string, string>>;
  /** Runs a statement, next to the server. */
  execute(statement: RawBuilder<unknown>): Promise<void>;
}

/** Registers the hooks for a server that the tests of a file share. */
export function useExamined(): Examined {
  let server: TestServer;
  let git: GitServer;
  let space: string;
  const run = (repair = false) =>
    examine({
      database: server.database,
      objectStorage: undefined,
      readsObjects: false,
      now: new Date(),
      repair,
    });
  const problems = async () =>
    Object.fromEntries(
      [...(await run())].flatMap(([name, { descriptions }]) =>
        descriptions.length > 0 ? [[name, descriptions.join('\n')]] : [],
      ),
    );
  beforeAll(async () => {
    [server, git] = await Promise.all([startTestServer(), startGitServer()]);
    space = (await createSpace(server)).id;
    await importRepository(server, space, await git.createRepository(FILES));
    await vi.waitFor(async () => expect(await problems()).toEqual({}), PATIENCE);
  });
  afterAll(() => Promise.all([server.stop(), git.close()]));
  return {
    get server() {
      return server;
    },
    get space() {
      return space;
    },
    run,
    problems,
    async execute(statement) {
      await statement.execute(server.database.query);
    },
  };
}
