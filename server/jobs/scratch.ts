import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

/** Interval between updates of the modification time of a process's folder. */
const TOUCH_MS = 60 * 60_000;
/** Time without an update before the folder of a process is deleted. */
export const LEFTOVER_MS = 24 * TOUCH_MS;
const PREFIX = 'jobs-';

/** Returns the temporary folder of a job process. The server removes it when the process ends. */
export const scratchFolder = (parent: string, owner: string): string => join(parent, `${PREFIX}${owner}`);

/** Creates the folder, and removes leftover folders of processes that were killed together with their server. */
export async function createScratchFolder(parent: string, owner: string): Promise<string> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(PREFIX)) {
      continue;
    }
    const path = join(parent, name);
    // The folder may have been removed meanwhile.
    const touched = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => Date.now(),
    );
    if (Date.now() - touched > LEFTOVER_MS) {
      await rm(path, { recursive: true, force: true });
    }
  }
  const folder = scratchFolder(parent, owner);
  await mkdir(folder, { mode: 0o700 });
  const touch = () => utimes(folder, new Date(), new Date()).catch(() => undefined);
  setInterval(touch, TOUCH_MS).unref();
  return folder;
}
