import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  createGenerator,
  diffDocuments,
  documentOf,
  formatProblem,
  generate,
  resolveProject,
} from '../../../spec/toolchain/main.ts';
import { PACKAGE, runCommand } from '../run-command.ts';

const repository = join(import.meta.dirname, '../../..');
const fixture = join(repository, 'test/fixtures/carts/openapi.yaml');
const files = [
  'generated/openapi.json',
  'generated/schema.d.ts',
  'generated/operations.ts',
  'generated/functions.ts',
];

let root: string;
beforeEach(async () => {
  const parent = join(import.meta.dirname, '.colophon');
  await mkdir(parent, { recursive: true });
  root = await mkdtemp(join(parent, 'document-'));
  await cp(fixture, join(root, 'openapi.yaml'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const project = (contract = 'openapi.yaml') => resolveProject({ root, contract, tool: 'npx colophon' });
const read = (path: string) => readFile(join(root, path), 'utf8');
const readDocument = async () => JSON.parse(await read('generated/openapi.json'));

/** Replaces text in the fixture. */
async function edit(from: string, to: string): Promise<void> {
  const text = await read('openapi.yaml');
  expect(text).toContain(from);
  await writeFile(join(root, 'openapi.yaml'), text.replace(from, to));
}

/** Runs the command of the package. */
const colophon = (...args: string[]) => runCommand(PACKAGE, root, args);

describe('generating from an OpenAPI document', () => {
  test('writes the same files, with a header that names the document and the command', async () => {
    expect(await generate(project())).toMatchObject({ problems: [], written: files });
    const by = 'npx colophon generate --contract openapi.yaml';
    expect((await readDocument()).info['x-generated']).toEqual({ from: 'openapi.yaml', by });
    expect(await read('generated/schema.d.ts')).toContain(`Generated from openapi.yaml by \`${by}\``);
  });

  test('converts a 3.0 document to 3.1 without changing its meaning', async () => {
    await generate(project());
    const converted = await readDocument();
    expect(converted.openapi).toBe('3.1.0');
    expect(converted.components.schemas.Line.properties).toEqual({
      article: { type: 'string' },
      colour: { type: ['string', 'null'], enum: ['red', 'green', null] },
      count: { type: 'integer', exclusiveMinimum: 0 },
      gift: {
        description: 'Text of the card.',
        anyOf: [{ allOf: [{ $ref: '#/components/schemas/Gift' }] }, { type: 'null' }],
      },
      nullable: { type: 'boolean', default: false },
      note: { type: ['string', 'null'], maxLength: 10 },
    });
    const changes = diffDocuments(
      documentOf('3.0', parse(readFileSync(fixture, 'utf8'))),
      documentOf('3.1', converted),
    );
    expect(changes.map(({ location, message }) => `${location}: ${message}`)).toEqual([
      'operation: The operation id changed from none to getCartsByCartIdLines.',
    ]);
  });

  test('writes types with null, and a table with a status for each operation', async () => {
    await generate(project());
    const types = await read('generated/schema.d.ts');
    expect(types).toMatch(/colour\?: "red" \| "green" \| null;/);
    expect(types).toMatch(/note\?: string \| null;/);
    const { operations } = await import(join(root, 'generated/operations.ts'));
    expect(Object.keys(operations)).toEqual(['getCartsByCartIdLines', 'addLine']);
    expect(operations.addLine).toMatchObject({ method: 'post', status: 200, body: 'required' });
  });

  test('generates the same from JSON, except for the name of the source', async () => {
    await generate(project());
    const types = await read('generated/schema.d.ts');
    await writeFile(join(root, 'openapi.json'), JSON.stringify(parse(await read('openapi.yaml'))));
    await generate(project('openapi.json'));
    expect(await read('generated/schema.d.ts')).toBe(types.replaceAll('openapi.yaml', 'openapi.json'));
  });

  test('writes the same path of the contract for each way to specify it', async () => {
    await generate(project());
    expect((await generate(project(join(root, 'openapi.yaml')))).written).toEqual([]);
    expect((await generate(project('./openapi.yaml'))).written).toEqual([]);
  });

  test('gives distinct ids to operations with similar paths', async () => {
    await edit(
      '  /carts/{cartId}/lines:',
      '  /carts/{cartId}/{lines}:\n    get: { responses: { "200": { description: Yes. } } }\n' +
        '  /carts/by/cart-id/by/lines:\n    get: { responses: { "200": { description: Yes. } } }\n  /carts/{cartId}/lines:',
    );
    await generate(project());
    const { operations } = await import(join(root, 'generated/operations.ts'));
    expect(operations).toMatchObject({
      getCartsByCartIdByLines: { path: '/carts/by/cart-id/by/lines' },
      getCartsByCartIdByLines2: { path: '/carts/{cartId}/{lines}' },
    });
  });

  test.each([
    ['2XX', 200],
    ['307', 307],
    ['3XX', 302],
    ['default', null],
  ])(
    'accepts an operation whose only success is %s, with the status %s in the table',
    async (key, status) => {
      await edit('"2XX"', `"${key === 'default' ? 400 : key}"`);
      expect((await generate(project())).problems).toEqual([]);
      const { operations } = await import(join(root, 'generated/operations.ts'));
      expect(operations.addLine).toMatchObject({ method: 'post', status, body: 'required' });
      expect(await read('generated/functions.ts')).toContain('export function addLine');
    },
  );

  test('reports an operation without a success response with a warning in each run', async () => {
    await edit('"2XX"', '"404"');
    await edit('default:', '"4XX":');
    const generator = createGenerator(project());
    for (const round of [1, 2]) {
      const { problems } = await generator.run();
      expect(problems.map(formatProblem), `round ${round}`).toEqual([
        'openapi.yaml warning: POST /carts/{cartId}/lines declares no success response (2xx, 3xx or default), so that handlers return any, and clients its body as a Blob. Declare one.',
      ]);
    }
    await generate(project());
    expect(await read('generated/functions.ts')).toContain('export function addLine');
  });

  test('ignores references in extensions, and reads headers with their names', async () => {
    await edit('operationId: addLine', 'operationId: addLine\n      x-codeSamples: [{ $ref: ./add.yaml }]');
    expect((await generate(project())).problems).toEqual([]);
    await edit(
      'description: It is in the cart.',
      'description: It is in the cart.\n          headers: { x-count: { $ref: "#/components/headers/Count" } }',
    );
    expect((await generate(project())).problems.map(formatProblem)).toEqual([
      expect.stringContaining('#/components/headers/Count does not resolve'),
    ]);
  });

  test.each(['text', null, { get: {} }])(
    'ignores %j as an extension of paths and responses',
    async (note) => {
      const responses = { 'x-note': note, 204: { description: 'Done.' } };
      const document = {
        openapi: '3.1.0',
        info: { title: 'Notes', version: '1.0.0' },
        paths: { 'x-note': note, '/notes': { delete: { operationId: 'deleteNotes', responses } } },
      };
      await writeFile(join(root, 'notes.json'), JSON.stringify(document));
      expect((await generate(project('notes.json'))).problems).toEqual([]);
      const { paths } = await readDocument();
      expect(Object.keys(paths)).toEqual(['/notes']);
      expect(Object.keys(paths['/notes'].delete.responses)).toEqual(['204']);
      const { operations } = await import(join(root, 'generated/operations.ts'));
      expect(Object.keys(operations)).toEqual(['deleteNotes']);
    },
  );

  test('lists no default of a parameter that an operation replaces', async () => {
    const parameter = (schema: object) => ({ name: 'limit', in: 'query', schema });
    const operation = (id: string, ...parameters: object[]) => ({
      operationId: id,
      parameters,
      responses: { 204: { description: 'Done.' } },
    });
    const document = {
      openapi: '3.1.0',
      info: { title: 'Limits', version: '1.0.0' },
      paths: {
        '/limits': {
          parameters: [parameter({ type: 'integer', default: 20 })],
          get: operation('inherit'),
          put: operation('replace', parameter({ type: 'integer', default: 50 })),
          post: operation('remove', parameter({ type: 'integer' })),
        },
      },
    };
    await writeFile(join(root, 'limits.json'), JSON.stringify(document));
    await generate(project('limits.json'));
    const table = await read('generated/operations.ts');
    expect(table).toMatch(/inherit: .* defaults: \{ limit: 20 \}/);
    expect(table).toMatch(/replace: .* defaults: \{ limit: 50 \}/);
    expect(table).toMatch(/remove: .* defaults: \{\}/);
  });

  test.each([
    [
      'does not resolve',
      'schema: { $ref: "#/components/schemas/Line" }',
      'schema: { $ref: "#/components/schemas/Lin" }',
    ],
    [
      'line.yaml cannot be read: the file does not exist',
      'items: { $ref: "#/components/schemas/Line" }',
      'items: { $ref: "line.yaml#/Line" }',
    ],
  ])('rejects a reference that %s', async (description, from, to) => {
    await edit(from, to);
    const { problems, written } = await generate(project());
    expect(written).toEqual([]);
    expect(problems.map(formatProblem)).toEqual([expect.stringContaining(description)]);
    expect((await colophon('generate', '--contract', 'openapi.yaml')).code).toBe(1);
  });
});

describe('colophon generate', () => {
  test('writes, changes nothing in a second run, and detects drift', async () => {
    const contract = ['--contract', 'openapi.yaml'];
    expect(await colophon('generate', ...contract)).toMatchObject({ code: 0, err: '' });
    expect(await colophon('generate', ...contract)).toMatchObject({ code: 0, out: 'nothing changed\n' });
    expect(await colophon('generate', '--check', ...contract)).toMatchObject({ code: 0 });
    await edit('maxLength: 10', 'maxLength: 11');
    const { code, err } = await colophon('generate', '--check', ...contract);
    expect(code).toBe(1);
    expect(err).toContain('generated/openapi.json:');
    expect(err).toContain('Fix: npx colophon generate --contract openapi.yaml');
  });

  test.each([
    ['a missing contract', ['--contract', 'none.yaml'], 'Contract none.yaml does not exist'],
    ['the path of the generated document', ['--generated', '.', '--contract', 'openapi.json'], 'overwritten'],
    ['a file that is not a document', ['--contract', 'words.yaml'], 'is not an OpenAPI document'],
    ['an old document', ['--contract', 'swagger.yaml'], 'has version 1.2'],
    ['an unknown option', ['--colour'], "unknown option '--colour'"],
  ])('exits with 2 and a reason for %s', async (_name, args, message) => {
    await writeFile(join(root, 'openapi.json'), JSON.stringify(parse(await read('openapi.yaml'))));
    await writeFile(join(root, 'words.yaml'), 'words');
    await writeFile(join(root, 'swagger.yaml'), 'swagger: "1.2"');
    const { code, out, err } = await colophon('generate', ...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
  });
});
