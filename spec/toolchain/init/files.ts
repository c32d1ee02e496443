import { mkdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readIfExists } from '../generate/generate.ts';

/** Returns the files that do not exist with the same text, each with its current text. */
export async function changedFiles(
  root: string,
  files: ReadonlyMap<string, string>,
): Promise<Map<string, string | undefined>> {
  const changed = new Map<string, string | undefined>();
  for (const [path, text] of files) {
    const before = await readIfExists(join(root, path));
    if (before !== text) {
      changed.set(path, before);
    }
  }
  return changed;
}

/** Writes the files that changed. Returns their paths, sorted. */
export async function writeFiles(root: string, files: ReadonlyMap<string, string>): Promise<string[]> {
  const written = [...(await changedFiles(root, files)).keys()].sort();
  for (const path of written) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), files.get(path) ?? '');
  }
  return written;
}

/** Removes files, and the folders that are empty without them. */
export async function removeFiles(root: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await rm(join(root, path), { force: true });
    let folder = dirname(path);
    while (folder !== '.' && (await isRemoved(join(root, folder)))) {
      folder = dirname(folder);
    }
  }
}

/** Removes a folder if it is empty. */
async function isRemoved(folder: string): Promise<boolean> {
  return rmdir(folder).then(
    () => true,
    () => false,
  );
}
