import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runNode, startNode } from './programs.ts';

/** A running server of a copy, with two users of different organizations. */
export interface CopyServer {
  url: string;
  /** Token of the admin of the organization that the first start created. */
  token: string;
  /** Token of a user without an organization. */
  secondToken: string;
  stop(): Promise<void>;
}

const ADMIN_TOKEN = 'gate-admin-token-0123456789-0123456789';

/**
 * Starts the server of a copy with an empty SQLite database. It does not validate its own responses: that is left to
 * the parts of the gate.
 */
export async function startCopy(root: string): Promise<CopyServer> {
  const data = await mkdtemp(join(tmpdir(), 'colophon-gate-data-'));
  const environment = {
    PORT: '0',
    COLOPHON_DATA: data,
    COLOPHON_BOOTSTRAP_TOKEN: ADMIN_TOKEN,
    COLOPHON_RATE_LIMIT: 'off',
    COLOPHON_VALIDATE_RESPONSES: 'off',
    COLOPHON_COMPILE_AHEAD: 'off',
    LOG_LEVEL: 'silent',
  };
  const server = startNode(['server/main.ts'], { cwd: root, environment });
  const [, url = ''] = await server.until(/^Documentation: (.*)\/docs$/m);
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
