import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, ok } from '../../../client/platform/index.ts';
import type { TestServer } from '../../support/server.ts';
import { type FakePorts, PORTS_VARIABLE } from './redirect.ts';

/** A server that integrations are published to. */
export type Service = Pick<TestServer, 'url' | 'organization'> & {
  admin: Pick<TestServer['admin'], 'token' | 'client'>;
};

const TOKEN = 'interop-admin-token-0123456789-0123456789';

/**
 * Starts the server as an operator does.
 *
 * @param ports fake services that connections to public hosts are redirected to
 */
export async function startService(
  ports: FakePorts | undefined,
  environment: Readonly<Record<string, string>> = {},
): Promise<Service & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'colophon-interop-'));
  const redirect = `--import=${new URL('./redirect.ts', import.meta.url).href}`;
  const child = spawn(process.execPath, [new URL('../../../server/main.ts', import.meta.url).pathname], {
    env: {
      PATH: process.env.PATH,
      // Also for the job process.
      ...(ports && { NODE_OPTIONS: `--no-warnings ${redirect}`, [PORTS_VARIABLE]: JSON.stringify(ports) }),
      PORT: '0',
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'error',
      COLOPHON_DATA: folder,
      COLOPHON_BOOTSTRAP_TOKEN: TOKEN,
      COLOPHON_RATE_LIMIT: 'off',
      COLOPHON_OUTGOING_ALLOW: '127.0.0.0/8,::1/128',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise<string>((resolve, reject) => {
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const [, found] = /^Documentation: (.*)\/docs$/m.exec(output) ?? [];
      if (found !== undefined) {
        resolve(found);
      }
    });
    child.once('exit', (code) => reject(new Error(`The server ended with ${code}: ${output}`)));
  });
  const client = createClient({ baseUrl: url, token: TOKEN, retries: 0 });
  const { items } = await ok(client.GET('/v1/orgs'));
  return {
    url,
    organization: items[0]?.id ?? '',
    admin: { token: TOKEN, client },
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
