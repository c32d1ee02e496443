import { randomBytes } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Returns the secret key of a server that is configured without one: it is in a private file of the data folder, and is
 * created if it does not exist.
 *
 * Several processes can start at once: the key is written to a file of another name, synced and then linked into
 * place, so that every process reads the same complete key.
 */
export async function ownSecretKey(folder: string): Promise<string> {
  const file = join(folder, 'secret-key');
  const existing = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') {
      throw error;
    }
  });
  if (existing === undefined) {
    const draft = `${file}.${randomBytes(6).toString('hex')}`;
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(randomBytes(32).toString('base64url'));
      await handle.sync();
      await link(draft, file);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) {
        throw error;
      }
    } finally {
      await handle.close();
      await rm(draft);
    }
    return await ownSecretKey(folder);
  }
  if (existing.length < 32) {
    throw new Error(`${file} is damaged: it contains no key. Restore it from a backup of the data folder.`);
  }
  return existing;
}
