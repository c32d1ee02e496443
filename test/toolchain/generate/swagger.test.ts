import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../spec/toolchain/document.ts';
import { receivedDocument } from '../../../spec/toolchain/documents/read.ts';
import { formatProblem } from '../../../spec/toolchain/problem.ts';

/** Converts a Swagger 2.0 document. */
async function convert(yaml: string): Promise<{ root: JsonObject; problems: string[] }> {
  const { root, problems } = await receivedDocument(
    'swagger.yaml',
    `swagger: "2.0"\ninfo: { title: Shop, version: "1" }\n${yaml}`,
  );
  return { root, problems: problems.map(formatProblem) };
}

const operation = async (text: string, rest = '') => {
  const { root, problems } = await convert(
    `${rest}\npaths:\n  /a:\n    post:\n${text.replace(/^/gm, '      ')}`,
  );
  const paths = root.paths as { '/a': { post: JsonObject } };
  return { converted: paths['/a'].post, components: root.components as JsonObject, problems };
};

const OK = 'responses: { 200: { description: Yes. } }';

describe('a Swagger 2.0 document', () => {
  test.each([
    ['csv', 'query', { style: 'form', explode: false }],
    ['multi', 'query', { style: 'form', explode: true }],
    ['ssv', 'query', { style: 'spaceDelimited', explode: false }],
    ['pipes', 'query', { style: 'pipeDelimited', explode: false }],
    ['csv', 'header', {}],
  ])('has lists with the collectionFormat %s in a %s', async (format, place, style) => {
    const { converted, problems } = await operation(
      `parameters: [{ name: ids, in: ${place}, type: array, items: { type: integer }, collectionFormat: ${format} }]\n${OK}`,
    );
    expect(problems).toEqual([]);
    expect(converted.parameters).toEqual([
      { name: 'ids', in: place, ...style, schema: { type: 'array', items: { type: 'integer' } } },
    ]);
  });

  test('reads lists that OpenAPI 3 cannot express as text, with a warning', async () => {
    const { converted, problems } = await operation(
      `parameters: [{ name: ids, in: query, type: array, items: { type: integer }, collectionFormat: tsv }]\n${OK}`,
    );
    expect(converted.parameters).toEqual([{ name: 'ids', in: 'query', schema: { type: 'string' } }]);
    expect(problems).toEqual([expect.stringContaining('collectionFormat tsv')]);
  });

  test('has bodies and responses in the media types of the operation, or of the document', async () => {
    const rest =
      'consumes: [application/json, application/xml]\nproduces: [application/json]\ndefinitions: { Item: { type: object } }';
    const body =
      'parameters: [{ name: b, in: body, required: true, schema: { $ref: "#/definitions/Item" } }]';
    const response =
      'responses: { 200: { description: Yes., schema: { $ref: "#/definitions/Item" }, examples: { application/json: { a: 1 } } } }';
    const schema = { $ref: '#/components/schemas/Item' };
    const { converted: global } = await operation(`${body}\n${response}`, rest);
    expect(global).toEqual({
      requestBody: {
        required: true,
        content: { 'application/json': { schema }, 'application/xml': { schema } },
      },
      responses: {
        200: { description: 'Yes.', content: { 'application/json': { schema, example: { a: 1 } } } },
      },
    });
    const { converted: own } = await operation(
      `consumes: [text/csv]\nproduces: [text/csv]\n${body}\n${response}`,
      rest,
    );
    expect(own).toMatchObject({
      requestBody: { content: { 'text/csv': { schema } } },
      responses: { 200: { content: { 'text/csv': { schema } } } },
    });
  });

  test('has forms, and files in multipart forms only', async () => {
    const fields = `parameters:
  - { name: name, in: formData, type: string, required: true, description: Name. }
  - { name: tags, in: formData, type: array, items: { type: string } }`;
    const properties = {
      name: { type: 'string', description: 'Name.' },
      tags: { type: 'array', items: { type: 'string' } },
    };
    const { converted } = await operation(`${fields}\n${OK}`);
    expect(converted.requestBody).toEqual({
      required: true,
      content: {
        'application/x-www-form-urlencoded': {
          schema: { type: 'object', properties, required: ['name'] },
          encoding: { tags: { style: 'form', explode: false } },
        },
      },
    });
    const { converted: upload } = await operation(
      `consumes: [application/x-www-form-urlencoded, multipart/form-data]\n${fields}\n  - { name: photo, in: formData, type: file }\n${OK}`,
    );
    expect(upload.requestBody).toMatchObject({
      content: {
        'multipart/form-data': {
          schema: { properties: { ...properties, photo: { type: 'string', format: 'binary' } } },
        },
      },
    });
    expect(Object.keys((upload.requestBody as { content: object }).content)).toEqual(['multipart/form-data']);
  });

  test('shares parameters, bodies and responses, unless the operation has other media types', async () => {
    const rest = `parameters:
  Limit: { name: limit, in: query, type: integer, maximum: 10 }
  Body: { name: body, in: body, schema: { type: string } }
  Field: { name: field, in: formData, type: string }
responses:
  Failure: { description: No., schema: { type: string } }`;
    const shared =
      'parameters: [{ $ref: "#/parameters/Limit" }, { $ref: "#/parameters/Body" }]\nresponses: { 400: { $ref: "#/responses/Failure" } }';
    const { converted, components } = await operation(shared, rest);
    expect(converted).toEqual({
      parameters: [{ $ref: '#/components/parameters/Limit' }],
      requestBody: { $ref: '#/components/requestBodies/Body' },
      responses: { 400: { $ref: '#/components/responses/Failure' } },
    });
    expect(components).toMatchObject({
      parameters: { Limit: { schema: { type: 'integer', maximum: 10 } } },
      requestBodies: { Body: { content: { 'application/json': { schema: { type: 'string' } } } } },
      responses: { Failure: { content: { 'application/json': { schema: { type: 'string' } } } } },
    });
    const { converted: other } = await operation(
      `consumes: [text/plain]\nproduces: [text/plain]\n${shared}`,
      rest,
    );
    expect(other).toMatchObject({
      requestBody: { content: { 'text/plain': {} } },
      responses: { 400: { content: { 'text/plain': {} } } },
    });
    const { converted: form } = await operation(`parameters: [{ $ref: "#/parameters/Field" }]\n${OK}`, rest);
    expect(form.requestBody).toMatchObject({
      content: { 'application/x-www-form-urlencoded': { schema: { properties: { field: {} } } } },
    });
  });

  test('has schemas with null, discriminators and references to other places', async () => {
    const { root, problems } = await convert(`paths:
  /a: { get: { responses: { 200: { description: Yes., schema: { $ref: "#/paths/~1b/get/responses/200/schema" } } } } }
  /b: { get: { responses: { 200: { description: Yes., schema: { type: file } } } } }
definitions:
  Pet:
    type: object
    discriminator: kind
    required: [kind]
    properties: { kind: { type: string }, owner: { x-nullable: true, $ref: "#/definitions/Owner" } }
  Owner: { type: string, x-nullable: true }
  Cat: { x-ms-discriminator-value: Felis, allOf: [{ $ref: "#/definitions/Pet" }] }
`);
    expect(problems).toEqual([]);
    expect(root.components).toMatchObject({
      schemas: {
        Pet: {
          discriminator: { propertyName: 'kind', mapping: { Felis: '#/components/schemas/Cat' } },
          properties: { owner: { nullable: true, allOf: [{ $ref: '#/components/schemas/Owner' }] } },
        },
        Owner: { type: 'string', nullable: true },
        paths_1b_get_responses_200_schema: { type: 'string', format: 'binary' },
      },
    });
    expect(root.paths).toMatchObject({
      '/b': { get: { responses: { 200: { content: { 'application/octet-stream': {} } } } } },
    });
  });

  test('has servers and security schemes', async () => {
    const { root } = await convert(`host: "{region}.example.com"
basePath: v1/
schemes: [https, wss]
paths: {}
securityDefinitions:
  basic: { type: basic }
  key: { type: apiKey, in: header, name: X-Key }
  code: { type: oauth2, flow: accessCode, authorizationUrl: https://a, tokenUrl: https://t, scopes: { read: Reads. } }
  machine: { type: oauth2, flow: application, tokenUrl: https://t }
`);
    expect(root.servers).toEqual([
      { url: 'https://{region}.example.com/v1', variables: { region: { default: 'region' } } },
    ]);
    expect(root.components).toEqual({
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic' },
        key: { type: 'apiKey', in: 'header', name: 'X-Key' },
        code: {
          type: 'oauth2',
          flows: {
            authorizationCode: {
              authorizationUrl: 'https://a',
              tokenUrl: 'https://t',
              scopes: { read: 'Reads.' },
            },
          },
        },
        machine: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: 'https://t', scopes: {} } } },
      },
    });
  });
});
