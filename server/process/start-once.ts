import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { flushCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../app/config.ts';
import { createLog } from '../app/log.ts';
import { programParts } from './parts.ts';
import { start } from './start.ts';

/**
 * Starts a server with a new database in a temporary folder, sends it a request of its admin, and stops it. What this
 * compiled is in the cache of compiled code afterwards. The configuration in the environment is ignored.
 */
export async function startOnce(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'colophon-install-'));
  const token = randomBytes(32).toString('hex');
  const environment = {
    HOST: '127.0.0.1',
    PORT: '0',
    COLOPHON_DATA: folder,
    COLOPHON_BOOTSTRAP_TOKEN: token,
    LOG_LEVEL: 'silent',
  };
  try {
    const config = readConfig(environment);
    const server = await start(config, createLog(config), () => {}, programParts(environment));
    try {
      const response = await fetch(`${server.url}/v1/user`, {
        headers: { Authorization: `Bearer ${token}`, Connection: 'close' },
      });
      await response.text();
    } finally {
      await server.stop();
    }
    flushCompileCache();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
