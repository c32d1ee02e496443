import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject, OpenApiDocument } from '../../../spec/toolchain/document.ts';
import { markBinary } from '../../../spec/toolchain/normalize/binary-schemas.ts';
import { astToString, loadEntryPoint } from '../../../spec/toolchain/types/libraries.ts';
import { modelNames, nameModels } from '../../../spec/toolchain/types/named-models.ts';
import { omitUnusedMembers } from '../../../spec/toolchain/types/omitted-members.ts';
import {
  plainComments,
  schemaTypes,
  withoutRepetitions,
} from '../../../spec/toolchain/types/schema-types.ts';

test('writes the same types as the entry point of the library, which also lints and bundles', async () => {
  const text = await readFile(join(import.meta.dirname, '../../../generated/openapi.json'), 'utf8');
  const document: OpenApiDocument = JSON.parse(text);
  const { default: openapiTypescript } = await loadEntryPoint();
  const types = await openapiTypescript(JSON.stringify(withoutRepetitions(document)), {
    defaultNonNullable: false,
    silent: true,
  });
  const expected = plainComments(astToString(nameModels(omitUnusedMembers(types))));
  expect(schemaTypes(document) === expected).toBe(true);
});

/** Beginning of each document. */
const HEAD = { openapi: '3.1.0', info: { title: 'Test', version: '1' } };

test('omits error responses with the body of the default response, and their unused components', () => {
  const response = (name: string) => ({ $ref: `#/components/responses/${name}` });
  const error = (type: string) => ({
    description: '',
    content: { 'application/json': { schema: { type } } },
  });
  const types = schemaTypes({
    ...HEAD,
    paths: {
      '/a': {
        get: {
          operationId: 'getA',
          responses: {
            404: response('NotFound'),
            409: response('Conflict'),
            default: response('UnexpectedError'),
          },
        },
      },
      '/b': { get: { operationId: 'getB', responses: { 400: error('object') } } },
    },
    components: {
      responses: { Conflict: error('array'), NotFound: error('object'), UnexpectedError: error('object') },
    },
  });
  expect(types).toContain('409: ConflictResponse');
  expect(types).toContain('default: UnexpectedErrorResponse');
  expect(types).not.toContain('NotFound');
  expect(types).toContain('400: {');
});

test('omits the description of an operation with a summary, and of a response that only names its status', () => {
  const types = schemaTypes({
    ...HEAD,
    paths: {
      '/a': {
        get: {
          operationId: 'getA',
          summary: 'Get A',
          description: 'Retrieves A.',
          responses: { 200: { description: 'OK' }, 202: { description: 'Started.' } },
        },
        delete: {
          operationId: 'deleteA',
          description: 'Deletes A.',
          responses: { 204: { description: 'No content.' } },
        },
      },
    },
  });
  expect(types.match(/\/\*\* .* \*\//g)).toEqual(['/** Get A */', '/** Deletes A. */', '/** Started. */']);
});

test('writes descriptions as plain comments, in their own paragraph after a summary or a format', () => {
  const tagged =
    '/** @description One. */\n  /**\n   * @description Two,\n   *     long:\n   *     \n   *     - item\n   */\n  /**\n   * Three\n   * @description More.\n   */';
  expect(plainComments(tagged)).toBe(
    '/** One. */\n  /**\n   * Two,\n   * long:\n   *\n   * - item\n   */\n  /**\n   * Three\n   *\n   * More.\n   */',
  );
});

test('writes no comment about the values of a type, and keeps the indentation of examples', () => {
  const tagged =
    '/** @enum {string} */\n/**\n * @description Kind. (enum property replaced by openapi-typescript)\n * @enum {string}\n */\n/**\n * @example {\n *       "a": 1\n *     }\n */';
  expect(plainComments(tagged)).toBe('/** Kind. */\n/**\n * @example {\n *   "a": 1\n * }\n */');
});

test('omits methods, bodies, common parameters, locations of parameters and headers that are not declared', () => {
  const parameter = (name: string) => ({ name, in: 'query', schema: { type: 'string' } });
  const created = { headers: { Location: { schema: { type: 'string' } } }, content: {} };
  const types = schemaTypes({
    ...HEAD,
    paths: {
      '/a': { get: { operationId: 'getA', summary: 'Get A', responses: { 204: {} } } },
      '/b': {
        parameters: [parameter('q')],
        put: { responses: { 204: {} } },
        post: {
          operationId: 'createB',
          parameters: [{ ...parameter('c'), in: 'cookie' }],
          requestBody: { content: { 'text/plain': { schema: { type: 'string' } } } },
          responses: {
            201: created,
            404: { $ref: '#/components/responses/Missing' },
          },
        },
      },
    },
    components: { responses: { Missing: { description: 'Missing.' } } },
  });
  const [paths = '', operations = ''] = types.split('export interface operations');
  expect(paths).toContain('"/a": {\n        /** Get A */\n        get: operations["getA"];\n    };');
  expect(paths).toContain('q?: string;');
  expect(paths).not.toContain('delete?:');
  expect(operations.match(/cookie\?: \{|cookie\?: never/g)).toEqual(['cookie?: {']);
  expect(types.match(/requestBody\??:.*/g)).toEqual(['requestBody?: {']);
  expect(types.match(/headers: \{\n.*/g)).toEqual(['headers: {\n                    Location?: string;']);
  expect(operations).not.toMatch(/(path|query|header)\?: never/);
});

test('writes binary data in JSON and parameters as text', () => {
  const binary = { type: 'string', format: 'binary' };
  const json = (schema: JsonObject) => ({ content: { 'application/json': { schema } } });
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const types = schemaTypes(
    markBinary({
      ...HEAD,
      paths: {
        '/a': {
          post: {
            operationId: 'upload',
            parameters: [{ name: 'key', in: 'query', schema: binary }],
            requestBody: { content: { 'multipart/form-data': { schema: ref('Both') } } },
            responses: { 200: json(ref('Text')), 201: json(ref('Both')) },
          },
        },
      },
      components: {
        schemas: {
          Text: { type: 'object', properties: { text: binary } },
          Both: { type: 'object', properties: { file: binary } },
        },
      },
    }),
  );
  expect(types).toContain('text?: string;');
  expect(types).toContain('file?: Blob;');
  expect(types).toContain('key?: string;');
});

test('writes binary data as Blob: the format of OpenAPI 3.0, media types of 3.1, and untyped parts of forms', () => {
  const text = { type: 'string' };
  const form = { $ref: '#/components/schemas/Upload' };
  const types = schemaTypes(
    markBinary({
      ...HEAD,
      paths: {
        '/a': {
          post: {
            operationId: 'upload',
            requestBody: { content: { 'multipart/form-data': { schema: form } } },
            responses: { 204: {} },
          },
        },
      },
      components: {
        schemas: {
          Upload: {
            properties: {
              part: {},
              parts: { type: 'array', items: {} },
              title: text,
              choice: { enum: ['a'] },
            },
          },
          Formats: {
            properties: {
              old: { ...text, format: 'binary' },
              image: { contentMediaType: 'image/png' },
              none: { type: ['string', 'null'], format: 'binary' },
              encoded: { ...text, contentMediaType: 'image/png', contentEncoding: 'base64' },
              html: { ...text, contentMediaType: 'text/html' },
              any: {},
            },
          },
        },
      },
    }),
  );
  const properties = types.match(/^ +(\w+)\?: .*;$/gm)?.map((line) => line.trim());
  for (const property of [
    ...['part?: Blob;', 'parts?: Blob[];', 'title?: string;', 'choice?: "a";'],
    ...['old?: Blob;', 'image?: Blob;', 'none?: Blob | null;'],
    ...['encoded?: string;', 'html?: string;', 'any?: unknown;'],
  ]) {
    expect(properties).toContain(property);
  }
});

test('declares each model by its name, to which references to models and parameters refer', () => {
  const parameterOf = (name: string) => ({ $ref: `#/components/parameters/${name}` });
  const access = { $ref: '#/components/schemas/full-repository' };
  const types = schemaTypes({
    ...HEAD,
    paths: {
      '/teams': {
        get: {
          operationId: 'listTeams',
          parameters: [parameterOf('Access'), parameterOf('Accesses'), parameterOf('Limit')],
          responses: { 204: {} },
        },
      },
    },
    components: {
      schemas: {
        Team: {
          description: 'A team.',
          type: 'object',
          properties: { parent: { $ref: '#/components/schemas/Team' } },
        },
        'full-repository': { type: 'string', enum: ['a', 'b'] },
        404: { type: 'boolean' },
      },
      parameters: {
        Access: { name: 'access', in: 'query', schema: access },
        Accesses: { name: 'accesses', in: 'query', schema: { type: 'array', items: access } },
        Limit: { name: 'limit', in: 'query', schema: { type: 'integer' } },
      },
    },
  });
  expect(types).toContain('        Team: Team;\n        "full-repository": FullRepository;\n');
  expect(types).toContain('/** A team. */\nexport type Team = {\n    parent?: Team;\n};');
  expect(types).toContain('export type FullRepository = "a" | "b";');
  expect(types).toContain('        404: Model404;\n');
  expect(types).toContain('export type Model404 = boolean;');
  const [, operation = ''] = types.split('listTeams: {');
  expect(operation).toContain('access?: FullRepository;');
  expect(operation).toContain('accesses?: components["parameters"]["Accesses"];');
  expect(operation).toContain('limit?: number;');
});

test('names the types of shared responses, differently from those of models', () => {
  const content = { 'application/json': { schema: { type: 'string' } } };
  const conflict = { $ref: '#/components/responses/Conflict' };
  const types = schemaTypes({
    ...HEAD,
    paths: { '/a': { get: { operationId: 'getA', responses: { 409: conflict } } } },
    components: {
      schemas: { ConflictResponse: { type: 'object' } },
      responses: { Conflict: { description: 'A conflict.', content } },
    },
  });
  expect(types).toContain('409: ConflictResponse2;');
  expect(types).toContain('        Conflict: ConflictResponse2;\n');
  expect(types).toContain(
    '/** A conflict. */\nexport type ConflictResponse2 = {\n    content: {\n        "application/json": string;',
  );
});

test('names models uniquely, by identifiers that are allowed', () => {
  const models = ['Team', 'team', 'a-b', 'AB', 'a.b', 'Record', 'string', 'class', '2fa', '__proto__', '✓'];
  expect(Object.fromEntries(modelNames(models))).toEqual({
    Team: 'Team',
    team: 'team',
    AB: 'AB',
    'a-b': 'AB2',
    'a.b': 'AB3',
    Record: 'Record2',
    string: 'String',
    class: 'Class',
    '2fa': 'Model2fa',
    ['__proto__']: '__proto__',
    '✓': 'Model',
  });
});

test('declares an operation once if its path item is shared', () => {
  const item = {
    get: {
      operationId: 'getA',
      responses: {
        200: { description: '', content: { 'application/json': { schema: { type: 'string' } } } },
      },
    },
  };
  const types = schemaTypes({
    ...HEAD,
    paths: { '/a': item },
    webhooks: { changed: structuredClone(item) },
    components: { pathItems: { A: structuredClone(item) } },
  } as OpenApiDocument);
  expect(types.match(/^ {4}getA: \{/gm)).toHaveLength(1);
  expect(types.match(/"application\/json": string/g)).toHaveLength(3);
});
