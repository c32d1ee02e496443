import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

/** How often a process shows that its folder is in use, in milliseconds, and when one counts as left behind. */
const TOUCH_MS = 60 * 60_000;
/** When the folder of a process that shows no more use of it is deleted. */
export const LEFTOVER_MS = 24 * TOUCH_MS;
const PREFIX = 'jobs-';

/** Where a process that does jobs keeps what it fetches. Whoever ends it removes the folder. */
export const scratchFolder = (parent: string, owner: string): string => join(parent, `${PREFIX}${owner}`);

/** Makes the folder, and removes those of processes that were killed together with their server. */
export async function makeScratch(parent: string, owner: string): Promise<string> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(parent, name);
    // One that is gone meanwhile is of no age.
    const touched = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => Date.now(),
    );
    if (Date.now() - touched > LEFTOVER_MS) await rm(path, { recursive: true, force: true });
  }
  const folder = scratchFolder(parent, owner);
  await mkdir(folder, { mode: 0o700 });
  const touch = () => utimes(folder, new Date(), new Date()).catch(() => undefined);
  setInterval(touch, TOUCH_MS).unref();
  return folder;
}
