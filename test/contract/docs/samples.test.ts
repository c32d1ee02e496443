import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import ts from 'typescript5';
import { expect, test } from 'vitest';
import { exampleValue } from '../../../server/contract/docs/example-value.ts';
import { readReference } from '../../../server/contract/docs/reference.ts';
import { samplesOf } from '../../../server/contract/docs/samples.ts';
import type { OpenApiDocument } from '../../../server/contract/document.ts';
import { createSchemas } from '../../../server/contract/validation/schemas.ts';
import { readDocument } from './server.ts';

const root = join(import.meta.dirname, '../../..');

/** Returns the samples of a language by operation id. */
function samplesIn(document: OpenApiDocument, label: string): Map<string, string> {
  const { operations } = readReference(document);
  return new Map(
    [...operations].flatMap(([id, operation]) =>
      samplesOf(document, operation)
        .filter((sample) => sample.label === label)
        .map(({ source }) => [id, source]),
    ),
  );
}

/** Type-checks a module that is not written to disk, and returns the errors with their lines. */
function check(source: string): string[] {
  const file = join(root, 'test/contract/docs/samples-under-test.ts');
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.NodeNext,
    allowImportingTsExtensions: true,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (name, ...others) =>
    name === file
      ? ts.createSourceFile(name, source, ts.ScriptTarget.ES2024)
      : getSourceFile.call(host, name, ...others);
  const lines = source.split('\n');
  return ts
    .getPreEmitDiagnostics(ts.createProgram([file], options, host))
    .map(({ messageText, start = 0 }) => {
      const line = source.slice(0, start).split('\n').length;
      return `${lines[line - 1]}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
    });
}

/** A module with the samples, each in a function of its own. */
function moduleOf(functions: string, document: OpenApiDocument): string {
  const samples = [...samplesIn(document, 'TypeScript').values()];
  const names = samples.map((sample) => /await ([\w$]+)\(/.exec(sample)?.[1]);
  return [
    `import { ${names.join(', ')}, type Caller } from '${functions}';`,
    'declare const client: Caller;',
    'declare const file: File;',
    ...samples.map((sample) => `export const _${samples.indexOf(sample)} = async () => {\n${sample}\n};`),
  ].join('\n');
}

test.for([
  ['../../../generated/functions.ts', 'generated/openapi.json', 195],
  ['../../fixtures/photos/generated/functions.ts', 'test/fixtures/photos/generated/openapi.json', 9],
  ['../../fixtures/shop/generated/functions.ts', 'test/fixtures/shop/generated/openapi.json', 9],
] as const)('the TypeScript samples compile with %s', ([functions, path, atLeast]) => {
  const document = readDocument(path);
  expect(samplesIn(document, 'TypeScript').size).toBeGreaterThanOrEqual(atLeast);
  expect(check(moduleOf(functions, document))).toEqual([]);
});

test('examples of request bodies are valid', () => {
  const document = readDocument();
  const faultsIn = createSchemas(document);
  const bodies = [...readReference(document).operations.values()].flatMap(
    ({ body }) => body?.content.map(({ schema }) => schema) ?? [],
  );
  expect(bodies.length).toBeGreaterThan(60);
  for (const schema of bodies) {
    const model = /[^/]+$/.exec(Object(schema).$ref ?? '')?.[0] ?? '';
    const example = exampleValue(document, schema, 'request');
    expect(faultsIn(model, example), `${model}: ${JSON.stringify(example)}`).toEqual([]);
  }
});

/** Returns the arguments that a shell passes to curl. */
function argumentsOf(sample: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\nTOKEN=secret\n${sample}`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
}

/** A contract with one operation. */
function contractOf(path: string, method: string, operation: object, more: object = {}): OpenApiDocument {
  const document = {
    openapi: '3.1.0',
    info: { title: 'Test', version: '1' },
    paths: { [path]: { [method]: { responses: { 204: { description: 'Done' } }, ...operation } } },
    ...more,
  };
  // Written as any document is read.
  return JSON.parse(JSON.stringify(document));
}

test('curl samples send parameters, credentials and bodies as a shell passes them', () => {
  const document = contractOf(
    '/orgs/{orgId}/items',
    'post',
    {
      operationId: 'createItem',
      security: [{ Token: [] }],
      parameters: [
        { name: 'orgId', in: 'path', required: true, schema: { type: 'string' } },
        { name: 'tag', in: 'query', required: true, schema: { type: 'string' }, example: 'a&b' },
        { name: 'page', in: 'query', schema: { type: 'string' } },
        { name: 'X-Mode', in: 'header', required: true, schema: { enum: ["it's"] } },
      ],
      requestBody: {
        content: {
          'application/json': {
            schema: {
              type: 'object',
              properties: { title: { type: 'string', examples: ["It's $HOME `x`"] } },
            },
          },
        },
      },
    },
    { components: { securitySchemes: { Token: { type: 'http', scheme: 'bearer' } } } },
  );
  const [sample = ''] = samplesIn(document, 'curl').values();
  expect(argumentsOf(sample)).toEqual([
    '-X',
    'POST',
    'https://api.example.com/orgs/ORG_ID/items?tag=a%26b',
    '-H',
    'Authorization: Bearer secret',
    '-H',
    "X-Mode: it's",
    '-H',
    'Content-Type: application/json',
    '-d',
    '{\n  "title": "It\'s $HOME `x`"\n}',
  ]);
});

test.for([
  [{ type: 'apiKey', in: 'header', name: 'X-Key' }, ['-H', 'X-Key: KEY']],
  [{ type: 'apiKey', in: 'query', name: 'key' }, []],
  [{ type: 'http', scheme: 'basic' }, ['-u', 'USER:PASSWORD']],
  [{ type: 'oauth2', flows: {} }, ['-H', 'Authorization: Bearer secret']],
] as const)('curl samples have the credentials of %j', ([scheme, credentials]) => {
  const document = contractOf(
    '/items',
    'get',
    { security: [{ Scheme: [] }] },
    { components: { securitySchemes: { Scheme: scheme } } },
  );
  const [sample = ''] = samplesIn(document, 'curl').values();
  const [url, ...others] = argumentsOf(sample);
  expect(others).toEqual(credentials);
  expect(url).toBe(
    `https://api.example.com/items${'in' in scheme && scheme.in === 'query' ? '?key=KEY' : ''}`,
  );
});

test.for([
  [
    'multipart/form-data',
    {
      type: 'object',
      required: ['file', 'title'],
      properties: { file: { type: 'string', format: 'binary' }, title: { type: 'string' } },
    },
    ['-F', 'file=@file', '-F', 'title=text'],
  ],
  [
    'application/x-www-form-urlencoded',
    { type: 'object', properties: { title: { type: 'string', examples: ['a b'] } } },
    ['--data-urlencode', 'title=a b'],
  ],
  ['image/*', {}, ['-H', 'Content-Type: image/png', '--data-binary', '@file']],
  ['text/plain', { type: 'string' }, ['-H', 'Content-Type: text/plain', '-d', 'text']],
] as const)('curl samples send %s', ([type, schema, body]) => {
  const document = contractOf('/items', 'put', { requestBody: { content: { [type]: { schema } } } });
  const [sample = ''] = samplesIn(document, 'curl').values();
  expect(argumentsOf(sample).slice(3)).toEqual(body);
});

test('TypeScript samples have no idempotency key, which the client generates', () => {
  const samples = samplesIn(readDocument('test/fixtures/photos/generated/openapi.json'), 'TypeScript');
  expect(samples.get('uploadPhoto')).toBe('const result = await uploadPhoto(client, { body: { file } });');
});

test('samples of the contract are shown after the others', () => {
  const document = contractOf('/items', 'get', {
    operationId: 'listItems',
    'x-codeSamples': [{ lang: 'Go', source: 'client.ListItems()' }],
  });
  const [operation] = readReference(document).operations.values();
  expect(operation && samplesOf(document, operation).map(({ label }) => label)).toEqual([
    'curl',
    'TypeScript',
    'Go',
  ]);
});
