import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

/*
 * Cache of local copies of repositories, so that the next fetch transfers only changes. A copy in use is in a folder of
 * its own, so that no two processes use the same one. Copies can be removed at any time.
 */

/** Maximum number of copies of Git repositories that are cached for the next import. */
export const MAX_CACHED_COPIES = 200;
/** Maximum packed size of a cached copy of a Git repository. */
export const MAX_CACHED_COPY_BYTES = 268_435_456;
/** Maximum packed size of all cached copies of Git repositories. */
export const MAX_COPY_CACHE_BYTES = 2_147_483_648;
/** Maximum fetches into a copy of a Git repository: each one adds a pack, and objects that later commits do not need. */
export const MAX_CACHED_COPY_PACKS = 50;
/** Maximum time without use of a cached copy of a Git repository. The next import or start then removes it. */
export const CACHED_COPY_AGE_MS = 604_800_000;

/** Location of a copy in the cache. */
export interface CacheLocation {
  /** An existing folder for the copies of all keys. */
  folder: string;
  key: string;
}

const PREFIX = 'cached-';
const NAME_PATTERN = /^cached-([0-9a-f]{64})\.(\d+)$/;

/**
 * Moves the cached copy with a key, if there is one, to a new folder.
 *
 * @param prefix of the path of the new folder, on the same file system
 */
export async function moveFromCache(
  { folder: parent, key }: CacheLocation,
  prefix: string,
): Promise<string | undefined> {
  const start = `${PREFIX}${digestOf(key)}.`;
  for (const name of await readdir(parent)) {
    if (!name.startsWith(start)) {
      continue;
    }
    const [cached, folder] = [join(parent, name), await mkdtemp(prefix)];
    try {
      // Its age is that of its last use.
      await touch(cached);
      await rename(cached, folder);
      return folder;
    } catch {
      // Another process moved or removed it.
      await rm(folder, { recursive: true, force: true });
    }
  }
  return undefined;
}

/** Moves a copy to the cache under a key, in place of an earlier one; removes a copy that is too large. */
export async function moveToCache({ folder: parent, key }: CacheLocation, folder: string): Promise<void> {
  const packs = join(folder, 'objects', 'pack');
  const names = await readdir(packs);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(packs, name))).size));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const digest = digestOf(key);
  const isUsable =
    bytes <= MAX_CACHED_COPY_BYTES &&
    names.filter((name) => name.endsWith('.pack')).length <= MAX_CACHED_COPY_PACKS;
  await removeCopies(parent, ({ key: cached }) => cached === digest);
  if (isUsable) {
    await touch(folder);
    await rename(folder, join(parent, `${PREFIX}${digest}.${bytes}`));
  } else {
    await rm(folder, { recursive: true, force: true });
  }
  await removeUnusedCopies(parent);
}

interface CachedCopy {
  name: string;
  /** Digest of the key. */
  key: string;
  bytes: number;
}

async function listCopies(parent: string): Promise<CachedCopy[]> {
  return (await readdir(parent)).flatMap((name) => {
    const [, key, bytes] = NAME_PATTERN.exec(name) ?? [];
    return key === undefined ? [] : [{ name, key, bytes: Number(bytes) }];
  });
}

async function removeCopies(parent: string, isRemoved: (copy: CachedCopy) => boolean): Promise<void> {
  for (const copy of await listCopies(parent)) {
    if (isRemoved(copy)) {
      await rm(join(parent, copy.name), { recursive: true, force: true });
    }
  }
}

/** Removes the copies that exceed the limits, those that were not used for longest first. */
export async function removeUnusedCopies(parent: string): Promise<void> {
  const copies = await Promise.all(
    (await listCopies(parent)).map(async (copy) => {
      const usedAt = await stat(join(parent, copy.name)).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      );
      return { ...copy, usedAt };
    }),
  );
  const unused = new Set<string>();
  let [count, bytes] = [0, 0];
  for (const copy of copies.sort((left, right) => right.usedAt - left.usedAt)) {
    count += 1;
    bytes += copy.bytes;
    if (
      count > MAX_CACHED_COPIES ||
      bytes > MAX_COPY_CACHE_BYTES ||
      Date.now() - copy.usedAt > CACHED_COPY_AGE_MS
    ) {
      unused.add(copy.name);
    }
  }
  await removeCopies(parent, ({ name }) => unused.has(name));
}

async function touch(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now);
}

const digestOf = (key: string): string => createHash('sha256').update(key).digest('hex');
