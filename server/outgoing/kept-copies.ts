import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

/*
 * Local copies of repositories that are kept between fetches, so that the next fetch transfers only what changed. A copy
 * in use is in a folder of its own, so that no two processes use the same one. Copies can be removed at any time.
 */

/** Maximum number of copies of Git repositories that are kept for the next import. */
export const MAX_KEPT_COPIES = 200;
/** Maximum packed size of a copy of a Git repository that is kept. */
export const MAX_KEPT_COPY_BYTES = 268_435_456;
/** Maximum packed size of all copies of Git repositories that are kept. */
export const MAX_KEPT_BYTES = 2_147_483_648;
/** Maximum fetches into a copy of a Git repository: each one adds a pack, and objects that later commits do not need. */
export const MAX_KEPT_PACKS = 50;
/** Time after which an unused copy of a Git repository is removed, when another one is kept. */
export const KEPT_COPY_AGE_MS = 604_800_000;

/** Where a copy is kept. */
export interface KeptLocation {
  /** An existing folder for the copies of all keys. */
  folder: string;
  key: string;
}

const PREFIX = 'kept-';
const namePattern = /^kept-([0-9a-f]{64})\.(\d+)$/;

/**
 * Moves the kept copy with a key, if there is one, to a new folder.
 *
 * @param prefix of the path of the new folder, on the same file system
 */
export async function takeKeptCopy(
  { folder: parent, key }: KeptLocation,
  prefix: string,
): Promise<string | undefined> {
  const start = `${PREFIX}${digestOf(key)}.`;
  for (const name of await readdir(parent)) {
    if (!name.startsWith(start)) {
      continue;
    }
    const [kept, folder] = [join(parent, name), await mkdtemp(prefix)];
    try {
      // Its age is that of its last use.
      await touch(kept);
      await rename(kept, folder);
      return folder;
    } catch {
      // Another process took or removed it.
      await rm(folder, { recursive: true, force: true });
    }
  }
  return undefined;
}

/** Keeps a copy under a key, in place of an earlier one, unless it is too large. Its folder no longer exists then. */
export async function keepCopy({ folder: parent, key }: KeptLocation, folder: string): Promise<void> {
  const packs = join(folder, 'objects', 'pack');
  const names = await readdir(packs);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(packs, name))).size));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const digest = digestOf(key);
  const isUsable =
    bytes <= MAX_KEPT_COPY_BYTES && names.filter((name) => name.endsWith('.pack')).length <= MAX_KEPT_PACKS;
  await removeCopies(parent, ({ key: kept }) => kept === digest);
  if (isUsable) {
    await touch(folder);
    await rename(folder, join(parent, `${PREFIX}${digest}.${bytes}`));
  } else {
    await rm(folder, { recursive: true, force: true });
  }
  await removeSurplus(parent);
}

interface KeptCopy {
  name: string;
  /** Digest of the key. */
  key: string;
  bytes: number;
}

async function listCopies(parent: string): Promise<KeptCopy[]> {
  return (await readdir(parent)).flatMap((name) => {
    const [, key, bytes] = namePattern.exec(name) ?? [];
    return key === undefined ? [] : [{ name, key, bytes: Number(bytes) }];
  });
}

async function removeCopies(parent: string, isRemoved: (copy: KeptCopy) => boolean): Promise<void> {
  for (const copy of await listCopies(parent)) {
    if (isRemoved(copy)) {
      await rm(join(parent, copy.name), { recursive: true, force: true });
    }
  }
}

/** Removes the copies that exceed the limits, those that were not used for longest first. */
async function removeSurplus(parent: string): Promise<void> {
  const copies = await Promise.all(
    (await listCopies(parent)).map(async (copy) => {
      const usedAt = await stat(join(parent, copy.name)).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      );
      return { ...copy, usedAt };
    }),
  );
  const surplus = new Set<string>();
  let [count, bytes] = [0, 0];
  for (const copy of copies.sort((left, right) => right.usedAt - left.usedAt)) {
    count += 1;
    bytes += copy.bytes;
    if (count > MAX_KEPT_COPIES || bytes > MAX_KEPT_BYTES || Date.now() - copy.usedAt > KEPT_COPY_AGE_MS) {
      surplus.add(copy.name);
    }
  }
  await removeCopies(parent, ({ name }) => surplus.has(name));
}

async function touch(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now);
}

const digestOf = (key: string): string => createHash('sha256').update(key).digest('hex');
