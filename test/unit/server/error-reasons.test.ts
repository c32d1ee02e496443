import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DEFINED_REASONS } from '../../../server/errors.ts';

const contract: { components: { schemas: { ErrorReason: { enum: string[] } } } } = JSON.parse(
  readFileSync(new URL('../../../generated/openapi.json', import.meta.url), 'utf8'),
);

test('every reason of the contract belongs to an error, and every error has a reason of the contract', () => {
  expect([...DEFINED_REASONS].toSorted()).toEqual(contract.components.schemas.ErrorReason.enum.toSorted());
});
