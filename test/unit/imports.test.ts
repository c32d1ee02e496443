import { join } from 'node:path';
import { expect, test } from 'vitest';
import { circlesOf, readImports } from '../support/module-imports.ts';

// The client and the toolchain. The server has further laws, which server/imports.test.ts checks.

test('no module of the client or the toolchain imports itself through others', async () => {
  const imports = await readImports(join(import.meta.dirname, '../..'), [
    'client/**/*.ts',
    'spec/toolchain/**/*.ts',
  ]);
  expect(imports.size).toBeGreaterThan(300);
  expect(circlesOf(imports)).toEqual([]);
});
