import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DEFINED_REASONS } from '../../../server/errors/errors.ts';

const contract: { components: { schemas: { ErrorReason: { enum: string[] } } } } = JSON.parse(
  readFileSync(new URL('../../../generated/openapi.json', import.meta.url), 'utf8'),
);

test('maps every reason of the contract to an error, and every error to a reason', () => {
  expect([...DEFINED_REASONS].toSorted()).toEqual(contract.components.schemas.ErrorReason.enum.toSorted());
});
