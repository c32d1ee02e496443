import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { expect, it } from 'vitest';
import { schemaTypes } from '../../spec/toolchain/schema-types.ts';

it('writes the types that the library itself would write after linting and bundling', async () => {
  const text = await readFile(join(import.meta.dirname, '../../generated/openapi.json'), 'utf8');
  const whole = await openapiTypescript(text, { defaultNonNullable: false, silent: true });
  expect(schemaTypes(JSON.parse(text)) === astToString(whole)).toBe(true);
});
