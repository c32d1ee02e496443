import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

let version: Promise<string> | undefined;

/**
 * Returns the version of the code that determines what a PDF looks like: a hash of the content engine and of the
 * versions of its dependencies. It is never incremented by hand.
 */
export function printerVersion(): Promise<string> {
  version ??= hashSources();
  return version;
}

async function hashSources(): Promise<string> {
  const engine = fileURLToPath(new URL('..', import.meta.url));
  const entries = await readdir(engine, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && /\.[jt]s$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
  files.push(fileURLToPath(new URL('../../../package.json', import.meta.url)));
  const hash = createHash('sha256');
  for (const file of files) {
    hash.update(await readFile(file)).update('\0');
  }
  return hash.digest('base64url');
}
