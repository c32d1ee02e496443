import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type OpenApiDocument, operationsOf } from '../../../spec/toolchain/document.ts';

const read = (file: string) => readFileSync(new URL(`../../../generated/${file}`, import.meta.url), 'utf8');

// What operations have in common is stored once, so that the files grow with what is new about an operation.
test.each([
  ['openapi.json', 4600],
  ['schema.d.ts', 2500],
])('%s has at most %i bytes for each operation', (file, maximum) => {
  const operations = operationsOf(JSON.parse(read('openapi.json')) as OpenApiDocument).length;
  expect(operations).toBeGreaterThan(0);
  expect(Buffer.byteLength(read(file)) / operations).toBeLessThanOrEqual(maximum);
});
