import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { Json, JsonObject } from '../../../spec/toolchain/document.ts';
import { type CommandResult, runCommand, SCRIPTS } from '../run-command.ts';
import { documentWith, operationWith, requestOf, responseOf } from './cases/document.ts';

const repository = join(import.meta.dirname, '../../..');
const cli = join(repository, 'spec', 'toolchain', 'cli.ts');

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'diff-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const diff = (...args: string[]): Promise<CommandResult> => runCommand(SCRIPTS, folder, ['diff', ...args]);

async function write(path: string, content: JsonObject | string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
}

const wide = requestOf({ type: 'object', properties: { a: { type: 'string' } } });
const narrow = requestOf({ type: 'object', properties: { a: { type: 'string', maxLength: 9 } } });
const approvalsFile = (release: string, location = 'request body: a') =>
  stringify({ approvals: [{ operation: 'useWidget', location, reason: 'Names are short.', release }] });

describe('the exit status of diff', () => {
  beforeEach(async () => {
    await write('wide.json', wide);
    await write('narrow.yaml', stringify(narrow));
  });

  test('is 0 without changes', async () => {
    const { code, out } = await diff('wide.json', 'wide.json');
    expect(code).toBe(0);
    expect(out).toContain('No changes');
  });

  test('is 0 without breaking changes', async () => {
    const { code, out } = await diff('narrow.yaml', 'wide.json');
    expect(code).toBe(0);
    expect(out).toContain('0 breaking, 0 risky, 1 safe.');
  });

  test('is 1 with breaking changes', async () => {
    // As a process: scripts read its exit status. The other tests run the command in this process.
    const command = promisify(execFile)(process.execPath, [cli, 'diff', 'wide.json', 'narrow.yaml'], {
      cwd: folder,
    });
    await expect(command).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining('maxLength') });
  });

  test('is 0 if all breaking changes are approved', async () => {
    await write('approvals.yaml', approvalsFile('1.0.0'));
    const { code, out, err } = await diff('wide.json', 'narrow.yaml', '--approvals', 'approvals.yaml');
    expect(code).toBe(0);
    expect(out).toContain('1 breaking approved');
    expect(out).toContain('Approved: Names are short.');
    expect(err).toBe('');
  });

  test('is 1 with a notice if the approval is for another release', async () => {
    await write('approvals.yaml', approvalsFile('0.9.0'));
    const { code, err } = await diff('wide.json', 'narrow.yaml', '--approvals', 'approvals.yaml');
    expect(code).toBe(1);
    expect(err).toContain('useWidget, request body: a has expired: it was for release 0.9.0');
  });

  test('is 1 with a notice if the approval does not match', async () => {
    await write('approvals.yaml', approvalsFile('1.0.0', 'request body: b*'));
    const { code, err } = await diff('wide.json', 'narrow.yaml', '--approvals', 'approvals.yaml');
    expect(code).toBe(1);
    expect(err).toContain('matches no breaking or risky change');
  });

  test.each<[string, string[], RegExp]>([
    ['no base', [], /missing required argument 'base'/],
    ['an unknown format', ['wide.json', 'wide.json', '--format', 'xml'], /text, markdown, json/],
    ['an unknown option', ['wide.json', '--frmat'], /unknown option/],
    [
      'a missing file',
      ['wide.json', 'none.json'],
      /none\.json cannot be read: the file does not exist\. Specify/,
    ],
    ['a folder', ['.', 'wide.json'], /it is a folder/],
    ['a missing ref', ['nope:wide.json', 'wide.json'], /git cannot show it .*\. Specify REF:PATH/],
    ['a ref that looks like an option', ['--output=x:y', 'wide.json'], /unknown option|git cannot show it/],
    [
      'invalid YAML',
      ['broken.yaml', 'wide.json'],
      /broken\.yaml is neither JSON nor YAML: .* at line 2, column \d+\. Fix/,
    ],
    [
      'another version of OpenAPI',
      ['wide.json', 'swagger.json'],
      /swagger\.json has version 1\.2\. Only OpenAPI 3\.0, 3\.1/,
    ],
    ['data that is not a document', ['list.json', 'wide.json'], /list\.json is not an OpenAPI document/],
    [
      'a reference that does not resolve',
      ['lost.json', 'wide.json'],
      /lost\.json:\d+:\d+ error reference: .*\$ref: Reference #\/components\/schemas\/Lost does not resolve.* Add/,
    ],
    ['a reference to itself', ['circle.json', 'wide.json'], /is circular/],
    [
      'a reference to another file',
      ['far.json', 'wide.json'],
      /other\.json#\/A does not resolve: other\.json cannot be read/,
    ],
    [
      'approvals without reasons',
      ['wide.json', 'wide.json', '--approvals', 'unreasoned.yaml'],
      /entry 1 has no "reason"/,
    ],
    [
      'approvals with a number as release',
      ['wide.json', 'wide.json', '--approvals', 'number.yaml'],
      /entry 1 has 1 as "release".* in quotes/,
    ],
    [
      'a file without approvals',
      ['wide.json', 'wide.json', '--approvals', 'list.json'],
      /has no list "approvals"/,
    ],
    [
      'a missing approvals file',
      ['wide.json', 'wide.json', '--approvals', 'none.yaml'],
      /none\.yaml cannot be read/,
    ],
  ])('is 2 for %s, with the problem, its cause and the fix', async (_, args, message) => {
    await write('broken.yaml', 'a: [1\nb: }');
    await write('swagger.json', { swagger: '1.2' });
    await write('list.json', '[]');
    await write('lost.json', requestOf({ $ref: '#/components/schemas/Lost' }));
    await write(
      'circle.json',
      requestOf({ $ref: '#/components/schemas/A' }, { schemas: { A: { $ref: '#/components/schemas/A' } } }),
    );
    await write('far.json', requestOf({ $ref: 'other.json#/A' }));
    await write('number.yaml', 'approvals: [{ operation: a, where: b, reason: c, release: 1.0 }]');
    await write('unreasoned.yaml', 'approvals: [{ operation: a, location: b, release: 1.0.0 }]');
    const { code, out, err } = await diff(...args);
    expect(err).toMatch(message);
    expect(err).not.toContain('    at ');
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });
});

describe('input of diff', () => {
  test('reads a document from git', async () => {
    const git = (...args: string[]) => promisify(execFile)('git', args, { cwd: folder });
    await git('init', '-q', '-b', 'main');
    await write('api/openapi.json', wide);
    await git('add', '.');
    await git('-c', 'user.name=a', '-c', 'user.email=a@a', 'commit', '-q', '-m', 'Release');
    await write('api/openapi.json', narrow);
    expect((await diff('main:api/openapi.json', 'api/openapi.json')).code).toBe(1);
    expect((await diff('main:api/openapi.json', 'main:api/openapi.json')).code).toBe(0);
  });

  test('compares with the generated document by default', async () => {
    await write('wide.json', wide);
    await write('generated/openapi.json', narrow);
    expect((await diff('wide.json')).code).toBe(1);
  });
});

describe('output of diff', () => {
  beforeEach(async () => {
    await write('wide.json', wide);
    await write('narrow.json', narrow);
  });
  const change = {
    operation: 'useWidget',
    location: 'request body: a',
    where: 'request body: a',
    message: 'maxLength changed from none to 9.',
    level: 'breaking',
    affects: 'clients',
    rule: 'request-limit-narrowed',
    why: 'Requests that were valid before are rejected.',
    fix: 'Keep the previous limit, and apply the new one only to new features.',
    operationCount: 1,
    operations: [
      {
        operation: 'useWidget',
        endpoint: 'POST /widget',
        location: 'request body: a',
        level: 'breaking',
        rule: 'request-limit-narrowed',
      },
    ],
  };

  test('writes JSON for scripts', async () => {
    const { out } = await diff('wide.json', 'narrow.json', '--format', 'json');
    expect(JSON.parse(out)).toEqual({
      base: { name: 'wide.json', release: '1.0.0' },
      head: { name: 'narrow.json', release: '1.0.0' },
      summary: { breaking: 1, risky: 0, safe: 0 },
      omitted: 0,
      changes: [change],
      limitations: [],
    });
    expect(JSON.parse((await diff('wide.json', 'wide.json', '--format', 'json')).out).changes).toEqual([]);
  });

  test('writes text with the change, its effect and the alternative', async () => {
    const { out } = await diff('wide.json', 'narrow.json');
    expect(out).toBe(`wide.json (1.0.0) → narrow.json (1.0.0)
1 breaking, 0 risky, 0 safe.

useWidget: POST /widget
  breaking for clients  request body: a
    maxLength changed from none to 9.
    Why: Requests that were valid before are rejected.
    Fix: Keep the previous limit, and apply the new one only to new features.
`);
  });

  test('writes Markdown for a pull request', async () => {
    const { out } = await diff('wide.json', 'narrow.json', '--format', 'markdown');
    expect(out).toContain(
      '### useWidget: POST /widget\n\n- **breaking for clients**, `request body: a`: maxLength',
    );
    expect(out).toContain('  *Why:* Requests');
    expect(out).toContain('  *Fix:* Keep');
  });

  test('writes a changelog with the reasons of approved changes', async () => {
    await write('narrow.json', { ...narrow, info: { title: 'Small', version: '2.0.0' } });
    await write('approvals.yaml', approvalsFile('1.0.0'));
    const { out } = await diff(
      'wide.json',
      'narrow.json',
      '--format',
      'changelog',
      '--approvals',
      'approvals.yaml',
    );
    expect(out).toBe(`## 2.0.0

### Breaking

- \`useWidget\`, \`request body: a\`: maxLength changed from none to 9. Names are short.
`);
  });

  test('reports a change of a schema in many operations once', async () => {
    const operations = (name: Json) =>
      documentWith({
        paths: Object.fromEntries(
          ['a', 'b', 'c', 'd'].map((path) => [
            `/${path}`,
            {
              get: {
                operationId: path,
                responses: {
                  200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Name' } } } },
                },
              },
            },
          ]),
        ),
        schemas: { Name: { type: 'object', properties: { name } } },
      });
    await write('wide.json', operations({ type: 'string' }));
    await write('narrow.json', operations({ type: 'integer' }));
    const { out } = await diff('wide.json', 'narrow.json');
    expect(out.match(/The type changed from string to integer/g)).toHaveLength(1);
    expect(out).toContain('schema Name: name');
    expect(out).toContain('In 4 operations: a, b, c, d');
    const { out: json } = await diff('wide.json', 'narrow.json', '--format', 'json');
    const [change, ...others] = JSON.parse(json).changes;
    expect(others).toEqual([]);
    expect(change.operationCount).toBe(4);
    expect(change.operations.map(({ operation }: { operation: string }) => operation)).toEqual([
      'a',
      'b',
      'c',
      'd',
    ]);
  });
});

test('labels variants with their own names, not with the name of their union', async () => {
  const documentOf = (limits: JsonObject) =>
    responseOf(
      { $ref: '#/components/schemas/Both' },
      {
        schemas: {
          Both: { oneOf: [{ $ref: '#/components/schemas/One' }, { $ref: '#/components/schemas/Two' }] },
          One: { type: 'object', properties: { a: { type: 'string' } } },
          Two: { type: 'object', properties: { a: { type: 'string', ...limits } } },
        },
      },
    );
  await write('base.json', documentOf({ maxLength: 3 }));
  await write('head.json', documentOf({}));
  const { out } = await diff('base.json', 'head.json', '--format', 'json');
  expect(JSON.parse(out).changes.map(({ location }: { location: string }) => location)).toEqual([
    'response 200: <Two>.a',
  ]);
});

describe('recursive schemas', () => {
  const node = (value: Json) => ({
    Node: {
      type: 'object',
      properties: {
        children: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
        parent: { anyOf: [{ $ref: '#/components/schemas/Node' }, { type: 'null' }] },
        value,
      },
    },
  });
  const tree = { $ref: '#/components/schemas/Node' };

  test('terminate, and report a change once', async () => {
    await write('base.json', responseOf(tree, { schemas: node({ type: 'string' }) }));
    await write('head.json', responseOf(tree, { schemas: node({ type: 'integer' }) }));
    const { out } = await diff('base.json', 'head.json', '--format', 'json');
    expect(JSON.parse(out).changes.map(({ location }: { location: string }) => location)).toEqual([
      'response 200: value',
    ]);
  });

  test('are unchanged when one level is inlined', async () => {
    const { Node } = node({ type: 'string' });
    await write('base.json', responseOf(tree, { schemas: { Node } }));
    await write('head.json', responseOf(Node, { schemas: { Node } }));
    const { out } = await diff('base.json', 'head.json', '--format', 'json');
    expect(JSON.parse(out).changes).toEqual([]);
  });

  test('terminate when allOf merges them into each other', async () => {
    const child = (name: string) => ({
      type: 'object',
      properties: { next: { $ref: `#/components/schemas/${name}` } },
    });
    const both = { allOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }] };
    await write('base.json', responseOf(both, { schemas: { A: child('A'), B: child('B') } }));
    await write('head.json', responseOf(both, { schemas: { A: child('B'), B: child('A') } }));
    const { out } = await diff('base.json', 'head.json', '--format', 'json');
    expect(JSON.parse(out).changes).toEqual([]);
  });

  test('terminate when a union is a variant of itself', async () => {
    const schemas = { A: { anyOf: [{ type: 'string' }, { $ref: '#/components/schemas/A' }] } };
    await write('base.json', responseOf({ $ref: '#/components/schemas/A' }, { schemas }));
    await write('head.json', responseOf({ type: 'string' }));
    expect((await diff('base.json', 'head.json')).code).toBe(0);
  });
});

test('compares documents without operations', async () => {
  await write('base.json', operationWith({}));
  await write('head.json', { openapi: '3.1.0', info: { title: 'Empty' } });
  const { out } = await diff('base.json', 'head.json');
  expect(out).toContain('POST /widget was removed.');
});
