import { glob } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { expect, test } from 'vitest';

// A folder is a list that a reader takes in at once. Fixtures are not read, and generated files have one folder.

const root = join(import.meta.dirname, '../..');

/** Maximum number of files of a folder, without those of its subfolders and its README. */
const MAX_FILES = 25;
/** Number of files from which on a README explains a folder. */
const MIN_EXPLAINED_FILES = 16;

/** Returns the names of the files of each folder. */
async function readFolders(): Promise<Map<string, string[]>> {
  const folders = new Map<string, string[]>();
  const entries = glob('{spec,server,client,test}/**', {
    cwd: root,
    withFileTypes: true,
    exclude: ({ name, parentPath }) =>
      ['node_modules', 'dist'].includes(name) || (name === 'fixtures' && parentPath === join(root, 'test')),
  });
  for await (const entry of entries) {
    const folder = entry.parentPath.slice(root.length + sep.length);
    if (entry.isFile()) {
      folders.set(folder, [...(folders.get(folder) ?? []), entry.name]);
    }
  }
  return folders;
}

test('a folder has at most 25 files, and explains itself if it has more than 15', async () => {
  const folders = await readFolders();
  expect(folders.size).toBeGreaterThan(200);
  const problems = [...folders].flatMap(([folder, names]) => {
    const count = names.filter((name) => name !== 'README.md').length;
    if (count > MAX_FILES) {
      return [`${folder} has ${count} files. Fix: move files that belong together to a subfolder.`];
    }
    return count >= MIN_EXPLAINED_FILES && !names.includes('README.md')
      ? [`${folder} has ${count} files and no README. Fix: add one of one screen.`]
      : [];
  });
  expect(problems).toEqual([]);
});
