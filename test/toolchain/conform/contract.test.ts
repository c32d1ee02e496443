import { describe, expect, test } from 'vitest';
import { parseData } from '../../../spec/toolchain/documents/parse.ts';
import type { Contract, Operation } from '../../../spec/toolchain/model/contract/contract.ts';
import { basePathOf, readContract } from '../../../spec/toolchain/model/contract/read.ts';
import { schemasOf } from '../../../spec/toolchain/model/contract/schemas-of.ts';
import { documentOf } from '../../../spec/toolchain/source.ts';

const read = (yaml: string): Contract => readContract(documentOf('shop.yaml', parseData('shop.yaml', yaml)));

const operationOf = (contract: Contract, id: string): Operation => {
  const operation = contract.operations.find((item) => item.id === id);
  if (!operation) {
    throw new Error(`There is no operation ${id}.`);
  }
  return operation;
};

/** Whether a parsed schema of OpenAPI 3.0 accepts values. */
function accepts(schema: string, ...values: unknown[]): boolean[] {
  const contract = read(`
openapi: 3.0.3
info: { title: One schema, version: '1' }
paths: {}
components: { schemas: { It: ${schema}, Other: { type: string, maxLength: 3 } } }
`);
  return values.map((value) => schemasOf(contract).accepts({ $ref: '#/components/schemas/It' }, value));
}

const SHOP = `
openapi: 3.0.3
info: { title: Shop, version: '7' }
servers: [{ url: 'https://{host}/api/v1/', variables: { host: { default: shop.test } } }]
security: [{ token: [] }]
paths:
  /items/{id}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: string } }
      - { name: verbose, in: query, schema: { type: boolean } }
      - { name: Accept, in: header, schema: { type: string } }
    get:
      operationId: getItem
      security: []
      parameters:
        - { name: verbose, in: query, required: true, schema: { type: integer } }
        - { $ref: '#/components/parameters/Tags' }
        - { name: filter, in: query, content: { application/json: { schema: { type: object } } } }
      responses:
        '200': { $ref: '#/components/responses/Item' }
        default: { description: Wrong }
    put:
      security: [{ token: [], key: [] }, {}, { old: [] }]
      requestBody: { $ref: '#/components/requestBodies/Item' }
      responses: { '204': { description: Done } }
  /items/{id}/{unnamed}:
    $ref: '#/x-items/nested'
x-items:
  nested:
    delete: { responses: { '204': { description: Gone } } }
components:
  parameters:
    Tags: { name: tags, in: query, style: pipeDelimited, explode: false, schema: { type: array, items: { type: string } }, example: [a] }
  requestBodies:
    Item: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Item' } } } }
  responses:
    Item:
      description: One
      headers: { X-Count: { required: true, schema: { type: integer } }, Content-Type: { schema: { type: string } } }
      content: { application/json: { schema: { $ref: '#/components/schemas/Item' }, example: { id: i1 } } }
      links:
        self: { operationId: getItem, parameters: { id: '$response.body#/id' } }
        other: { operationRef: '#/paths/~1items~1{id}/put', parameters: { path.id: '$response.body#/id' } }
        elsewhere: { operationId: unknown }
  schemas:
    Item:
      type: object
      required: [id, name, secret]
      additionalProperties: false
      properties:
        id: { type: string, readOnly: true }
        name: { type: string }
        secret: { type: string, writeOnly: true }
        parent: { $ref: '#/components/schemas/Item' }
        plain: { $ref: '#/components/schemas/Plain' }
    Plain: { type: object, properties: { a: { $ref: '#/components/schemas/Item/properties/name' } } }
  securitySchemes:
    token: { type: http, scheme: Bearer }
    key: { type: apiKey, in: query, name: k }
    old: { type: http, scheme: digest }
`;

describe('a contract', () => {
  const contract = read(SHOP);
  const item = operationOf(contract, 'getItem');
  const put = operationOf(contract, 'PUT /items/{id}');
  const nested = operationOf(contract, 'DELETE /items/{id}/{unnamed}');

  test('has each operation, by its id or by method and path', () => {
    expect([contract.title, contract.version]).toEqual(['Shop', '7']);
    expect(contract.operations).toHaveLength(3);
  });

  test('has the parameters of the path, overridden by those of the operation, in their default styles', () => {
    expect(
      item.parameters.map(({ name, in: location, required, style, explode, mediaType }) => [
        `${location} ${name}`,
        required,
        style,
        explode,
        mediaType,
      ]),
    ).toEqual([
      ['path id', true, 'simple', false, undefined],
      ['query verbose', true, 'form', true, undefined],
      ['query tags', false, 'pipeDelimited', false, undefined],
      ['query filter', false, 'form', true, 'application/json'],
    ]);
    expect(item.parameters[1]?.schema).toEqual({ type: 'integer' });
    expect(item.parameters[2]?.examples).toEqual([['a']]);
  });

  test('has a parameter for each brace of a path, even if the document omits it', () => {
    expect(nested.parameters.map(({ name }) => name)).toEqual(['id', 'unnamed']);
  });

  test('has the security requirements of the operation, else of the document', () => {
    expect(item.security).toEqual([]);
    expect(nested.security).toEqual([[{ name: 'token', kind: 'bearer' }]]);
    expect(put.security).toEqual([
      [
        { name: 'token', kind: 'bearer' },
        { name: 'key', kind: 'query', parameter: 'k' },
      ],
      [],
      [{ name: 'old', kind: 'unsupported' }],
    ]);
  });

  test('has the headers, bodies, examples and links of responses', () => {
    const response = item.responses['200'];
    expect(response?.headers).toEqual({ 'x-count': { required: true, schema: { type: 'integer' } } });
    expect(response?.content['application/json']?.examples).toEqual([{ id: 'i1' }]);
    expect(response?.links).toEqual([
      { operation: 'getItem', parameters: { id: '$response.body#/id' } },
      { operation: 'PUT /items/{id}', parameters: { 'path.id': '$response.body#/id' } },
    ]);
    expect(item.responses.default?.content).toEqual({});
  });

  test('omits read-only properties of requests and write-only properties of responses', () => {
    const schemas = schemasOf(contract);
    const request = put.body?.content['application/json']?.schema ?? {};
    const response = item.responses['200']?.content['application/json']?.schema ?? {};
    const written = { name: 'n', secret: 's', parent: { name: 'n', secret: 's' } };
    const shown = { id: 'i', name: 'n', parent: { id: 'i', name: 'n' }, plain: { a: 'x' } };
    expect(schemas.faults(request, written)).toEqual([]);
    expect(schemas.faults(response, shown)).toEqual([]);
    expect(schemas.accepts(request, shown)).toBe(false);
    expect(schemas.accepts(response, written)).toBe(false);
    // Parameters that are equal to both are listed once.
    expect(Object.keys(contract.components).filter((pointer) => pointer.endsWith('Plain'))).toHaveLength(1);
  });

  test('has the path of its server', () => {
    const base = (servers: string) =>
      basePathOf(
        documentOf('x', parseData('x', `{ openapi: 3.1.0, info: {}, paths: {}, servers: ${servers} }`)),
      );
    expect(basePathOf(documentOf('x', parseData('x', SHOP)))).toBe('/api/v1');
    expect(base('[{ url: /v2 }]')).toBe('/v2');
    expect(base("[{ url: 'https://shop.test' }]")).toBe('');
    expect(base("[{ url: 'https://shop.test/{stage}', variables: { stage: {} } }]")).toBe('');
    expect(base('[]')).toBe('');
  });

  test.each([
    ['other.yaml#/components/schemas/X', 'bundle'],
    ['#/components/schemas/Nothing', 'which does not exist'],
    ['#name', 'bundle'],
  ])('is rejected with a reference to %s', ($ref, why) => {
    const document = (more: string) => `{ openapi: 3.1.0, info: {}, paths: {}, ${more} }`;
    expect(() => read(document(`components: { schemas: { A: { $ref: '${$ref}' } } }`))).toThrow(why);
  });

  test('is rejected with a parameter without a location', () => {
    expect(() =>
      read('{ openapi: 3.1.0, info: {}, paths: { /a: { get: { parameters: [{ name: a, in: body }] } } } }'),
    ).toThrow('in "body"');
  });
});

describe('a schema of OpenAPI 3.0', () => {
  test.each<[what: string, schema: string, good: unknown[], bad: unknown[]]>([
    ['nullable', '{ type: string, nullable: true }', ['a', null], [1]],
    ['nullable and an enum', '{ type: string, nullable: true, enum: [a] }', ['a', null], ['b']],
    [
      'nullable and allOf',
      "{ nullable: true, allOf: [{ $ref: '#/components/schemas/Other' }] }",
      ['a', null],
      ['long'],
    ],
    ['a bound that is excluded', '{ type: number, minimum: 1, exclusiveMinimum: true }', [1.5], [1]],
    ['a bound that is not', '{ type: number, maximum: 1, exclusiveMaximum: false }', [1], [1.5]],
    [
      'keywords next to a reference',
      "{ $ref: '#/components/schemas/Other', maxLength: 1 }",
      ['abc'],
      ['abcd'],
    ],
    ['bytes', '{ type: string, format: byte }', ['YQ=='], ['?']],
    ['a format of its own', '{ type: string, format: currency }', ['EUR'], [1]],
    [
      'a property named like a keyword',
      '{ type: object, properties: { nullable: { type: string } } }',
      [{ nullable: 'a' }],
      [{ nullable: 1 }],
    ],
  ])('is converted to JSON Schema: %s', (_what, schema, good, bad) => {
    expect(accepts(schema, ...good)).toEqual(good.map(() => true));
    expect(accepts(schema, ...bad)).toEqual(bad.map(() => false));
  });
});

describe('a discriminator', () => {
  const pets = (union: string) => `
openapi: 3.0.0
info: { title: Pets, version: '1' }
paths:
  /pets:
    post:
      operationId: addPet
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
      responses: { '200': { description: Pet, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } } }
components:
  schemas:
    Pet: ${union}
    Cat: { allOf: [{ $ref: '#/components/schemas/Base' }, { type: object, required: [lives], properties: { lives: { type: integer } } }] }
    Dog: { allOf: [{ $ref: '#/components/schemas/Base' }, { type: object, properties: { tail: { type: boolean } } }] }
    Base: { type: object, required: [kind], properties: { kind: { type: string } } }
`;
  const cases = [
    [{ kind: 'cat', lives: 9 }, true],
    [{ kind: 'Dog', tail: true }, true],
    [{ kind: 'cat' }, false],
    [{ kind: 'Cat', lives: 9 }, false],
    [{ kind: 'fish' }, false],
  ] as const;

  test.each(cases)('selects a variant: %j is valid: %s', (value, valid) => {
    const contract = read(
      pets(`
      oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }]
      discriminator: { propertyName: kind, mapping: { cat: '#/components/schemas/Cat' } }`),
    );
    const schema = operationOf(contract, 'addPet').body?.content['application/json']?.schema ?? {};
    expect(schemasOf(contract).accepts(schema, value)).toBe(valid);
  });

  test.each(cases)('of a base schema selects a derived schema: %j is valid: %s', (value, valid) => {
    const text = pets(`
      type: object
      required: [kind]
      properties: { kind: { type: string } }
      discriminator: { propertyName: kind, mapping: { cat: Cat } }`);
    const contract = read(text.replaceAll('schemas/Base', 'schemas/Pet'));
    const { body, responses } = operationOf(contract, 'addPet');
    const schemas = schemasOf(contract);
    expect(schemas.accepts(body?.content['application/json']?.schema ?? {}, value)).toBe(valid);
    expect(schemas.accepts(responses['200']?.content['application/json']?.schema ?? {}, value)).toBe(valid);
  });
});
