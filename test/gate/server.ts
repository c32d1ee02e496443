import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runNode, startNode } from './programs.ts';

/** The server of a copy, running, with two people who have nothing in common. */
export interface CopyServer {
  url: string;
  /** Of the admin of the organization that the first start made. */
  token: string;
  /** Of somebody who belongs to no organization yet. */
  secondToken: string;
  stop(): Promise<void>;
}

const ADMIN_TOKEN = 'gate-admin-token-0123456789-0123456789';

/**
 * Starts the server that stands in a copy, with an empty embedded database. It does not look at its own
 * responses: those are for others to judge.
 */
export async function startCopy(root: string): Promise<CopyServer> {
  const data = await mkdtemp(join(tmpdir(), 'colophon-gate-data-'));
  const environment = {
    PORT: '0',
    COLOPHON_DATA: data,
    COLOPHON_BOOTSTRAP_TOKEN: ADMIN_TOKEN,
    COLOPHON_RATE_LIMIT: 'off',
    COLOPHON_VALIDATE_RESPONSES: 'off',
    LOG_LEVEL: 'silent',
  };
  const server = startNode(['server/main.ts'], { cwd: root, environment });
  const [, url = ''] = await server.says(/^Documentation: (.*)\/docs$/m);
  const { output } = await runNode(['server/commands/token.ts', '--email', 'second@example.com'], {
    cwd: root,
    environment,
  });
  return {
    url,
    token: ADMIN_TOKEN,
    secondToken: output.trim(),
    stop: async () => {
      await server.stop();
      await rm(data, { recursive: true, force: true });
    },
  };
}
