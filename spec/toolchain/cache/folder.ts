import { hash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Project } from '../project.ts';

/** Files in `node_modules` in which package managers record what they installed. */
const INSTALLATION_RECORDS = ['.package-lock.json', '.modules.yaml', '.yarn-state.yml', '.yarn-integrity'];

/** Age from which on a file of the cache is removed: that of a project that was removed, or of an interrupted process. */
const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * Absolute path of the folder for what the commands reuse between runs; `undefined` if the project has no folder
 * `node_modules`, or a link to that of another project.
 */
export function cacheFolder({ root }: Pick<Project, 'root'>): string | undefined {
  const modules = ancestors(root)
    .map((folder) => join(folder, 'node_modules'))
    .find((path) => lstatSync(path, { throwIfNoEntry: false }));
  return modules !== undefined && lstatSync(modules).isDirectory()
    ? join(modules, '.cache/colophon')
    : undefined;
}

/** Digest of a text or of bytes. */
export function digest(data: string | Uint8Array): string {
  return hash('sha256', data, 'base64url');
}

/**
 * Digest of the packages that are installed for a project and for this program; `undefined` if no record of a package
 * manager states them.
 */
export function installationDigest({ root }: Project): string | undefined {
  const places = [root, import.meta.dirname].map((start) =>
    ancestors(start).map((folder) => ({
      manifest: readIfFile(join(folder, 'package.json')),
      records: INSTALLATION_RECORDS.map((name) => readIfFile(join(folder, 'node_modules', name))),
    })),
  );
  const isRecorded = places.every((found) => found.some(({ records }) => records.some((text) => text)));
  return isRecorded ? digest(JSON.stringify(places)) : undefined;
}

/**
 * Writes a file of the cache, and removes old ones. Readers see all of it or none, also if another process writes it at the
 * same time.
 */
export async function writeCached(path: string, data: Uint8Array | string): Promise<void> {
  const temporary = `${path}.${process.pid}.${crypto.randomUUID()}`;
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(temporary, data);
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
  await removeOld(dirname(path));
}

async function removeOld(folder: string): Promise<void> {
  const newestMs = Date.now() - MAX_AGE_MS;
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    // Another process may remove it at the same time.
    const modifiedMs = (await stat(path).catch(() => undefined))?.mtimeMs ?? newestMs;
    if (modifiedMs < newestMs) {
      await rm(path, { recursive: true, force: true });
    }
  }
}

/** Contents of a file; `undefined` if it is missing or unreadable. */
export function readIfFile(path: string): string | undefined {
  return readBytesIfFile(path)?.toString('utf8');
}

/** Bytes of a file; `undefined` if it is missing or unreadable. */
export function readBytesIfFile(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** A folder and those that contain it, from the inside. */
function ancestors(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
}
