import { glob, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

// A reader who searches a folder for a type finds one: no two files of a folder declare types of the same name.

const ROOT = join(import.meta.dirname, '../..');

/** A declaration of a type at the start of a line, and what follows an equals sign. */
const DECLARATION =
  /^(?:export )?(?:abstract )?(?:interface|type|class|enum) (\w+)(?:<.*>)?(?: (?:extends|implements) .*)? (?:\{|=\s*(.*))/gm;

/** A short name for the types of the contract, or for one of them, which each file declares for itself. */
const CONTRACT_ALIAS = /^(?:components\['schemas'\]|Schemas\[)/;

test('no two files of a folder declare types of the same name', async () => {
  const patterns = ['client/**/*.ts', 'server/**/*.ts', 'spec/toolchain/**/*.ts'];
  const paths = await Array.fromAsync(glob(patterns, { cwd: ROOT, exclude: ['**/node_modules/**'] }));
  expect(paths.length).toBeGreaterThan(1_000);
  const filesByType = new Map<string, Set<string>>();
  for (const path of paths) {
    for (const [, name, alias = ''] of (await readFile(join(ROOT, path), 'utf8')).matchAll(DECLARATION)) {
      const type = `${dirname(path)}: ${name}`;
      if (!CONTRACT_ALIAS.test(alias)) {
        filesByType.set(type, (filesByType.get(type) ?? new Set()).add(path));
      }
    }
  }
  expect(filesByType.size).toBeGreaterThan(1_500);
  expect([...filesByType].filter(([, files]) => files.size > 1).map(([type]) => type)).toEqual([]);
});
