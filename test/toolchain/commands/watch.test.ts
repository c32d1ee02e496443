import fs from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Watcher, watchFolders } from '../../../spec/toolchain/dev/watch.ts';
import { until } from '../workspace.ts';

/** Errors for the folders with certain names. */
const errors: Readonly<Record<string, string>> = { full: 'ENOSPC', gone: 'ENOENT' };

let root: string;
let watcher: Watcher | undefined;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'watch-'));
  const { watch } = fs;
  vi.spyOn(fs, 'watch').mockImplementation((path, listener) => {
    const code = errors[basename(String(path))];
    if (code !== undefined) {
      throw Object.assign(new Error(`${code}: watch`), { code });
    }
    return watch(path, listener);
  });
  syncBuiltinESMExports();
});
afterEach(async () => {
  watcher?.close();
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  await rm(root, { recursive: true, force: true });
});

test('reports a new folder that cannot be watched, and watches the others', async () => {
  const reported: string[] = [];
  const warnings: string[] = [];
  watcher = watchFolders(root, ['.'], {
    debounceMs: 1,
    report: (paths) => reported.push(...paths),
    warn: (message) => warnings.push(message),
  });
  await mkdir(join(root, 'gone'));
  await mkdir(join(root, 'full'));
  await until(
    () => reported.includes('full'),
    () => `Expected full in ${reported}`,
  );
  expect(new Set(warnings)).toEqual(new Set(['changes in full are not detected: ENOSPC: watch']));
  await mkdir(join(root, 'new'));
  await writeFile(join(root, 'new/file.ts'), '');
  await until(
    () => reported.includes('new/file.ts'),
    () => `Expected new/file.ts in ${reported}`,
  );
});
