import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { OperationRequests, type Parts } from '../../../../spec/toolchain/conform/requests/requests.ts';
import { readContract } from '../../../../spec/toolchain/model/contract/read.ts';
import { schemasOf } from '../../../../spec/toolchain/model/contract/schemas-of.ts';
import { SchemaArbitraries } from '../../../../spec/toolchain/model/schema/arbitraries.ts';
import { documentOf } from '../../../../spec/toolchain/source.ts';
import { assertAll, jsonOf, plain } from './shop-requests.ts';

describe('the operations of the platform', () => {
  const document = JSON.parse(
    readFileSync(new URL('../../../../generated/openapi.json', import.meta.url), 'utf8'),
  );
  const contract = readContract(documentOf('generated/openapi.json', document));
  const make = new SchemaArbitraries(schemasOf(contract), plain);

  // `service/requests/bad-input.test.ts` sends their invalid requests to the server, which rejects each of them.
  test('have valid and edge-case requests', () => {
    for (const operation of contract.operations) {
      const requests = new OperationRequests(contract, operation, make);
      const path = Object.fromEntries(operation.parameters.map(({ name }) => [name, 'known']));
      const schema = operation.body?.content['application/json']?.schema;
      const valid = (parts: Parts) => {
        const json = jsonOf(parts);
        if (schema && json !== undefined) {
          expect(make.schemas.faults(schema, json)).toEqual([]);
        }
      };
      assertAll(requests.valid({ path }), valid, 3);
      assertAll(requests.minimal({ path }), valid, 1);
      for (const { parts } of requests.edges({ path })) {
        assertAll(parts, valid, 1);
      }
    }
  });
});
