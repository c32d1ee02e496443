import fc from 'fast-check';
import {
  OperationRequests,
  type Parts,
  type RequestInputs,
} from '../../../../spec/toolchain/conform/requests/requests.ts';
import { parseData } from '../../../../spec/toolchain/documents/parse.ts';
import type { Contract, Operation } from '../../../../spec/toolchain/model/contract/contract.ts';
import { readContract } from '../../../../spec/toolchain/model/contract/read.ts';
import { schemasOf } from '../../../../spec/toolchain/model/contract/schemas-of.ts';
import { SchemaArbitraries } from '../../../../spec/toolchain/model/schema/arbitraries.ts';
import { documentOf } from '../../../../spec/toolchain/source.ts';

const SHOP = `
openapi: 3.0.3
info: { title: Shop, version: '7' }
paths:
  /shops/{shopId}/items:
    post:
      operationId: addItem
      parameters:
        - { name: shopId, in: path, required: true, schema: { $ref: '#/components/schemas/Id' } }
        - { name: dryRun, in: query, required: true, schema: { type: boolean } }
        - { name: tags, in: query, schema: { type: array, items: { type: string, maxLength: 5 }, maxItems: 3 } }
        - { name: cursor, in: query, schema: { type: string } }
        - { name: X-Trace, in: header, schema: { type: string, minLength: 3, maxLength: 9 } }
        - { name: session, in: cookie, required: true, schema: { type: integer, minimum: 1 } }
      requestBody:
        required: true
        content:
          application/json: { schema: { $ref: '#/components/schemas/ItemCreate' } }
      responses: { '201': { description: Made } }
  /upload:
    post:
      operationId: upload
      requestBody:
        required: true
        content:
          multipart/form-data:
            schema: { type: object, required: [file, note], properties: { file: { type: string, format: binary }, note: { type: string, maxLength: 4 } } }
      responses: { '204': { description: Done } }
  /form:
    post:
      operationId: fill
      requestBody:
        required: true
        content:
          application/x-www-form-urlencoded:
            schema: { type: object, required: [a], properties: { a: { type: string, minLength: 2, maxLength: 4 }, b: { type: array, items: { type: integer } } } }
      responses: { '204': { description: Done } }
  /note:
    put:
      operationId: note
      requestBody: { content: { text/plain: { schema: { type: string, minLength: 1 } } } }
      responses: { '204': { description: Done } }
  /fetch:
    post:
      operationId: fetchIt
      requestBody:
        required: true
        content:
          application/json:
            schema: { type: object, required: [from, until], properties: { from: { type: string, format: uri }, until: { type: string, format: date-time }, kind: { type: string } } }
      responses: { '204': { description: Done } }
  /image:
    put:
      operationId: draw
      requestBody: { required: true, content: { image/png: {} } }
      responses: { '204': { description: Done } }
  /mix:
    put:
      operationId: mix
      requestBody: { required: true, content: { application/xml: { schema: { type: object } } } }
      responses: { '204': { description: Done } }
  /attach:
    post:
      operationId: attach
      requestBody:
        required: true
        content:
          multipart/form-data:
            schema: { type: object, required: [meta], properties: { meta: { type: object, required: [kind], properties: { kind: { type: string } } } } }
      responses: { '204': { description: Done } }
  /count:
    get:
      operationId: count
      parameters:
        - { name: kinds, in: query, required: true, schema: { type: array, items: { type: string, enum: [a, b] } } }
        - { name: numbers, in: query, required: true, style: pipeDelimited, explode: false, schema: { type: array, items: { type: integer } } }
      responses: { '200': { description: Done } }
components:
  schemas:
    Id: { type: string, maxLength: 40, pattern: '^[a-z0-9-]+$' }
    ItemCreate:
      type: object
      additionalProperties: false
      required: [title, ownerId]
      properties:
        title: { type: string, minLength: 1, maxLength: 9 }
        ownerId: { type: string }
        shop: { nullable: true, allOf: [{ $ref: '#/components/schemas/Id' }] }
        partIds: { type: array, items: { type: string, format: uuid }, uniqueItems: true }
        kind: { type: string, enum: [new, used] }
`;

/** A contract with parameters and bodies of many forms. */
export const shop = readContract(documentOf('shop.yaml', parseData('shop.yaml', SHOP)));
export const plain = { text: (text: string) => !text.includes('\0') };

const operationOf = (contract: Contract, id: string): Operation => {
  const operation = contract.operations.find((item) => item.id === id);
  if (!operation) {
    throw new Error(`There is no operation ${id}.`);
  }
  return operation;
};
/** Creates the generator of the requests of an operation. */
export const requestsOf = (id: string, contract = shop) =>
  new OperationRequests(
    contract,
    operationOf(contract, id),
    new SchemaArbitraries(schemasOf(contract), plain),
  );

export const pathValues = { shopId: 'shop-1' };
export const reference = { step: 0, from: '/id' };
export const inputs: RequestInputs = { path: pathValues, values: () => fc.constant(reference) };
export const bodySchema = { $ref: '#/components/schemas/ItemCreate' };
export const jsonOf = ({ body }: Parts) => (body && 'json' in body ? body.json : undefined);
/** Checks generated requests. */
export const assertAll = (parts: fc.Arbitrary<Parts>, check: (parts: Parts) => void, numRuns = 40) =>
  fc.assert(fc.property(parts, check), { numRuns });
