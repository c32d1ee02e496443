import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { formatResults, resolveProject, runChecks, steps } from '../../spec/toolchain/main.ts';
import { PACKAGE, runCommand } from './run-command.ts';

// Projects of contracts with warnings, which `init` approves.

let place: string;
let root: string;
beforeAll(async () => {
  const parent = join(import.meta.dirname, '.colophon');
  await mkdir(parent, { recursive: true });
  place = await mkdtemp(join(parent, 'approvals-'));
  root = join(place, 'service');
  await mkdir(root);
});
afterAll(() => rm(place, { recursive: true, force: true }));

const SCHEMAS = {
  Limit: { type: 'integer', default: 'none' },
  Code: { type: 'string', pattern: '^(a|a)*$' },
  Never: { type: 'integer', minimum: 2, maximum: 1 },
};

/** A contract with its models in a separate file. */
const contractOf = (version: string) => ({
  openapi: '3.0.3',
  info: { title: 'Lamps', version },
  paths: {
    '/lamps': {
      get: {
        operationId: 'listLamps',
        parameters: ['Limit', 'Code', 'Never'].map((name) => ({
          name,
          in: 'query',
          schema: { $ref: `models.yaml#/${name}` },
        })),
        responses: { 204: { description: 'None.' } },
      },
    },
    '/lamps/{id}': { get: { operationId: 'getLamp', responses: { 410: { description: 'Gone.' } } } },
  },
});

async function writeContract(version: string, models: object): Promise<string> {
  const file = join(place, 'lamps.yaml');
  await writeFile(file, stringify(contractOf(version)));
  await writeFile(join(place, 'models.yaml'), stringify(models));
  return file;
}

/** What the step `contract` of `check` reports; empty if it is green. */
async function check(contract = 'spec/openapi.json'): Promise<string> {
  const project = resolveProject({ root, contract, tool: 'npx colophon' });
  const results = await runChecks(
    project,
    steps.filter(({ name }) => name === 'contract'),
  );
  return results.some(({ failure }) => failure) ? formatResults(results) : '';
}

const approvals = () => readFile(join(root, 'spec/released/approvals.yaml'), 'utf8');

test('approves the warnings that a contract has, so that check reports only later ones', async () => {
  const file = await writeContract('1.0', SCHEMAS);
  const { code, out } = await runCommand(PACKAGE, root, ['init', file]);
  expect(code).toBe(0);
  expect(out).toContain(
    'note: The contract has 4 warnings, which spec/released/approvals.yaml approves so that check is green and reports only new ones. Review them there.',
  );
  expect(await check()).toBe('');
  const text = await approvals();
  for (const part of [
    'default "none"',
    '(a|a)*',
    'accepts no value',
    'GET /lamps/{id} declares no success',
  ]) {
    expect(text).toContain(part);
  }
  expect(text.match(/release: "1.0"/g)).toHaveLength(4);
  const copy = join(root, 'spec/openapi.json');
  await writeFile(copy, (await readFile(copy, 'utf8')).replaceAll('"minimum": 2', '"minimum": 0'));
  expect(await check()).toContain('spec/released/approvals.yaml contains 1 unused approval.');
});

test('keeps approvals for the same contract, and replaces them for another one', async () => {
  const again = await runCommand(PACKAGE, root, ['init']);
  expect(again).toMatchObject({ code: 0, out: expect.not.stringContaining('approves') });
  expect((await approvals()).match(/^ {2}- message/gm)).toHaveLength(4);
  await writeFile(
    join(root, 'spec/next.yaml'),
    stringify({ ...contractOf('2.0'), paths: { '/lamps/{id}': contractOf('2.0').paths['/lamps/{id}'] } }),
  );
  const other = await runCommand(PACKAGE, root, ['init', 'spec/next.yaml']);
  expect(other).toMatchObject({ code: 0, out: expect.stringContaining('The contract has 1 warning, which') });
  expect(await check('spec/next.yaml')).toBe('');
});
