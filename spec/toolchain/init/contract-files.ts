import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';

/** Files and packages of a contract. */
export interface ContractFiles {
  /** Paths relative to the root. */
  files: Set<string>;
  /** Names of the packages that it imports. */
  packages: Set<string>;
}

/**
 * Follows the imports of TypeSpec files.
 * @param root absolute path of the project
 * @param entries paths relative to the root; those of other kinds of files are returned as they are
 */
export async function contractFiles(root: string, entries: readonly string[]): Promise<ContractFiles> {
  const files = new Set(entries);
  const packages = new Set<string>();
  for (const file of files) {
    const text =
      file.endsWith('.tsp') && existsSync(join(root, file)) ? await readFile(join(root, file), 'utf8') : '';
    for (const [, specifier = ''] of text.matchAll(/^[ \t]*import "([^"\n]+)"/gm)) {
      if (!specifier.startsWith('.')) {
        packages.add(
          specifier
            .split('/')
            .slice(0, specifier.startsWith('@') ? 2 : 1)
            .join('/'),
        );
        continue;
      }
      const path = posix.join(dirname(file), specifier);
      files.add(/\.(tsp|m?js)$/.test(path) ? path : `${path}/main.tsp`);
    }
  }
  return { files, packages };
}
