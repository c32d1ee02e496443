import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { initProject } from '../../../spec/toolchain/init/init.ts';
import { createGenerator, formatProblem, resolveProject, startMock } from '../../../spec/toolchain/main.ts';
import { PACKAGE, runCommand } from '../run-command.ts';

let root: string;
beforeEach(async () => {
  const parent = join(import.meta.dirname, '.colophon');
  await mkdir(parent, { recursive: true });
  root = await mkdtemp(join(parent, 'unsupported-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const ok = (operationId: string, more: object = {}) => ({
  operationId,
  responses: {
    200: {
      description: 'OK.',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Item' } } },
    },
  },
  ...more,
});
const CONTRACT = {
  openapi: '3.1.0',
  info: { title: 'Odd', version: '1' },
  paths: {
    '/items': { get: ok('listItems', { tags: ['Items'] }), trace: ok('traceItems', { tags: ['Traces'] }) },
    '/items/{id}.json': { get: ok('getItem', { tags: ['Items'] }) },
    '/odd/{a}{b}': { get: ok('getOdd', { tags: ['Items'] }) },
    '/unused': {
      parameters: [{ name: 'gone', in: 'path', required: true, schema: {} }],
      get: ok('getUnused'),
    },
  },
  components: {
    schemas: {
      Item: { type: 'object', properties: { id: { type: 'string' } }, additionalProperties: false },
    },
  },
};

const colophon = async (...args: string[]) => {
  const { code, out, err } = await runCommand(PACKAGE, root, args);
  return { code, text: out + err };
};
const read = (path: string) => readFile(join(root, path), 'utf8');
const writeContract = (contract: object) => writeFile(join(root, 'openapi.json'), JSON.stringify(contract));

/** The places of the contract, as every command prints them. */
const PLACES = [
  'openapi.json note unsupported: TRACE /items (traceItems): the method TRACE is not supported',
  'openapi.json note unsupported: GET /odd/{a}{b} (getOdd): the path has no text before the parameter b',
];

describe('operations that the server cannot serve', () => {
  test('are listed by generate and check, and fail them with --strict', async () => {
    await writeContract(CONTRACT);
    const generated = await colophon('generate', '--contract', 'openapi.json');
    expect(generated.code).toBe(0);
    for (const line of PLACES) {
      expect(generated.text).toContain(line);
    }
    expect(generated.text).toContain('wrote generated/operations.ts');
    expect(await colophon('generate', '--contract', 'openapi.json', '--strict')).toMatchObject({ code: 1 });
    expect(await colophon('generate', '--contract', 'openapi.json', '--check', '--strict')).toMatchObject({
      code: 1,
    });
    const { operations } = await import(join(root, 'generated/operations.ts'));
    expect(operations.getOdd.unsupported).toContain('the path has no text before the parameter b');
    expect(operations.getItem.unsupported).toBeUndefined();

    const { '/unused': _unused, ...paths } = CONTRACT.paths;
    await writeContract({ ...CONTRACT, paths });
    await colophon('generate', '--contract', 'openapi.json');
    const checked = await colophon('check', '--contract', 'openapi.json');
    expect(checked).toMatchObject({ code: 0, text: expect.stringContaining(PLACES[1] ?? '') });
    const strict = await colophon('check', '--contract', 'openapi.json', '--strict');
    expect(strict).toMatchObject({
      code: 1,
      text: expect.stringContaining('cannot serve the contract at 2 places'),
    });
  });

  test('need no handlers in a new project, and its server lists them', async () => {
    await writeContract(CONTRACT);
    const { problems, written } = await initProject({ root, contract: 'openapi.json' });
    expect(problems.map(formatProblem).join('\n')).toContain(PLACES[0]);
    expect(written).not.toContain('server/handlers/traces.ts');
    const handlers = await read('server/handlers/items.ts');
    expect(handlers).toContain('getItem: async');
    expect(handlers).not.toContain('getOdd');
    expect(await read('server/main.ts')).toContain('unsupportedPlaces(document)');
  });

  test('are listed by the mock, which serves all others', async () => {
    await writeContract(CONTRACT);
    const lines: string[] = [];
    const project = resolveProject({ root, contract: 'openapi.json' });
    const mock = await startMock(project, { port: 0, host: '127.0.0.1', log: (line) => lines.push(line) });
    const get = async (path: string) => (await fetch(mock.url + path)).status;
    expect(await Promise.all(['/items', '/items/a.json', '/odd/ab', '/unused'].map(get))).toEqual([
      200, 200, 501, 200,
    ]);
    await mock.close();
    expect(lines.slice(0, 2)).toEqual(PLACES.map((line) => expect.stringContaining(line)));
  });
});

describe('the parameters of paths', () => {
  test('are those in braces: others are reported, and undeclared ones are strings', async () => {
    await writeContract(CONTRACT);
    const { document, problems, files } = await createGenerator(
      resolveProject({ root, contract: 'openapi.json' }),
    ).run();
    expect(problems.filter(({ severity }) => severity === 'warning').map(formatProblem)).toEqual([
      'openapi.json warning path-parameter: The path parameter gone of /unused is not in this path, so that it is ignored. Add {gone} to the path, or remove the parameter.',
    ]);
    expect(document?.paths['/unused']?.parameters).toEqual([]);
    const parameter = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
    expect(document?.paths['/items/{id}.json']?.get?.parameters).toEqual([parameter]);
    expect(files.find(({ path }) => path.endsWith('schema.d.ts'))?.text).toMatch(/path: \{\s*id: string;/);
  });

  test('with reserved expansion are marked in the document, and written by clients', async () => {
    const path = { name: 'path', in: 'path', required: true, schema: { type: 'string' } };
    const proxy = { ...path, name: 'proxy' };
    await writeContract({
      ...CONTRACT,
      paths: {
        '/files/{+path}': { get: ok('getFile', { parameters: [path] }) },
        '/gateway/{proxy+}': { parameters: [proxy], get: ok('getProxy') },
      },
    });
    const { document, problems, files } = await createGenerator(
      resolveProject({ root, contract: 'openapi.json' }),
    ).run();
    expect(problems).toEqual([]);
    expect(document?.paths).toMatchObject({
      '/files/{path}': { get: { parameters: [{ ...path, 'x-allow-reserved': true }] } },
      '/gateway/{proxy}': { parameters: [{ ...proxy, 'x-allow-reserved': true }] },
    });
    const [types = '', table = '', functions = ''] = ['schema.d.ts', 'operations.ts', 'functions.ts'].map(
      (name) => files.find((file) => file.path.endsWith(name))?.text,
    );
    for (const text of [types, table, functions]) {
      expect(text).toContain('/files/{+path}');
      expect(text).toContain('/gateway/{+proxy}');
    }
  });

  test('with reserved expansion of TypeSpec are marked too', async () => {
    await mkdir(join(root, 'api'));
    await writeFile(
      join(root, 'api/main.tsp'),
      `import "@typespec/http";
using Http;
@service(#{ title: "Files" })
namespace Files;
model File { @path path: string; }
@get @route("/files/{+path}") op getFile(path: string): { name: string };
@put @route("/shared/{+path}") op putFile(...File): void;
@delete @route("/plain/{path}") op deleteFile(path: string): void;
`,
    );
    await writeFile(
      join(root, 'tspconfig.yaml'),
      'options:\n  "@typespec/openapi3":\n    openapi-versions: [3.1.0]\n',
    );
    const { document, problems } = await createGenerator(
      resolveProject({ root, contract: 'api/main.tsp' }),
    ).run();
    expect(problems).toEqual([]);
    const text = JSON.stringify(document);
    expect(Object.keys(document?.paths ?? {})).toEqual(['/files/{path}', '/plain/{path}', '/shared/{path}']);
    expect(text.match(/"x-allow-reserved":true/g)).toHaveLength(2);
    expect(JSON.stringify(document?.paths['/plain/{path}'])).not.toContain('x-allow-reserved');
  });
});

test('responses that HTTP sends without a body declare none', async () => {
  const shared = { description: 'Shared.', content: { 'application/json': { schema: { type: 'string' } } } };
  await writeContract({
    ...CONTRACT,
    paths: {
      '/a': {
        put: { operationId: 'putA', responses: { 204: { $ref: '#/components/responses/Shared' } } },
        head: { operationId: 'headA', responses: { 200: shared, default: shared } },
        get: { operationId: 'getA', responses: { 200: { $ref: '#/components/responses/Shared' } } },
      },
    },
    components: { responses: { Shared: shared } },
  });
  const { document, problems } = await createGenerator(
    resolveProject({ root, contract: 'openapi.json' }),
  ).run();
  expect(problems).toEqual([]);
  const { put, head, get } = document?.paths['/a'] ?? {};
  expect(JSON.stringify([put, head])).not.toContain('content');
  expect(get?.responses).toEqual({ 200: { $ref: '#/components/responses/Shared' } });
});
