import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { filterComparison, kindOf, RULE_KINDS } from '../../../spec/toolchain/diff/filter.ts';
import { rules } from '../../../spec/toolchain/diff/rules/rules.ts';
import type { JsonObject } from '../../../spec/toolchain/document.ts';
import { type Comparison, documentOf } from '../../../spec/toolchain/main.ts';
import { type CommandResult, runCommand, SCRIPTS } from '../run-command.ts';
import { documentWith } from './cases/document.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'diff-filter-'));
  await writeFile(join(folder, 'base.json'), JSON.stringify(document()));
  await writeFile(join(folder, 'head.json'), JSON.stringify(document({ changed: true })));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Builds a document with a change that is breaking for shops, risky for carts, and safe for both. */
function document({ changed = false } = {}): JsonObject {
  const operation = (tag: string, rest: JsonObject) => ({ operationId: tag, tags: [tag], ...rest });
  const content = (schema: JsonObject) => ({ content: { 'application/json': { schema } } });
  const limit = changed ? { maxLength: 9 } : {};
  const added: JsonObject = changed ? { note: { type: 'string' } } : {};
  return documentWith({
    paths: {
      '/shops': {
        post: operation('shops', {
          requestBody: content({
            type: 'object',
            properties: { name: { type: 'string', ...limit }, ...added },
          }),
          responses: { 204: {} },
        }),
      },
      '/carts': {
        get: operation('carts', {
          responses: {
            200: content({ type: 'object', properties: { id: { type: 'string', ...limit }, ...added } }),
          },
        }),
      },
    },
  });
}

const run = (...args: string[]): Promise<CommandResult> =>
  runCommand(SCRIPTS, folder, ['diff', 'base.json', 'head.json', ...args]);

/** Returns the rules that a report contains, and the number of omitted changes. */
async function reported(...args: string[]): Promise<{ rules: string[]; omitted: number; code: number }> {
  const { out, code } = await run(...args, '--format', 'json');
  const { changes, omitted } = JSON.parse(out);
  return { rules: changes.map(({ rule }: { rule: string }) => rule), omitted, code };
}

const LIMIT_OF_SHOPS = 'request-limit-narrowed';
const LIMIT_OF_CARTS = 'response-limit-narrowed';
const NOTE_OF_SHOPS = 'request-property-added';
const NOTE_OF_CARTS = 'response-property-added';
const ALL = [LIMIT_OF_SHOPS, NOTE_OF_SHOPS, LIMIT_OF_CARTS, NOTE_OF_CARTS];

describe('a filter of diff', () => {
  test('is optional', async () => {
    expect(await reported()).toEqual({ rules: expect.arrayContaining(ALL), omitted: 0, code: 1 });
  });

  test.each<[string[], string[]]>([
    [['--only', 'request-limit-narrowed'], [LIMIT_OF_SHOPS]],
    [
      ['--only', 'limit'],
      [LIMIT_OF_SHOPS, LIMIT_OF_CARTS],
    ],
    [
      ['--only', 'request-*'],
      [LIMIT_OF_SHOPS, NOTE_OF_SHOPS],
    ],
    [
      ['--only', 'response-limit-*, property'],
      [NOTE_OF_SHOPS, LIMIT_OF_CARTS, NOTE_OF_CARTS],
    ],
    [
      ['--tag', 'carts'],
      [LIMIT_OF_CARTS, NOTE_OF_CARTS],
    ],
    [['--tag', 'carts', '--tag', 'shops'], ALL],
    [['--severity', 'risky'], [LIMIT_OF_CARTS]],
    [
      ['--severity', 'breaking,risky'],
      [LIMIT_OF_SHOPS, LIMIT_OF_CARTS],
    ],
    [['--severity', 'safe', '--tag', 'shops'], [NOTE_OF_SHOPS]],
  ])('%j selects changes, and the report states how many it omits', async (args, expected) => {
    const { rules: selected, omitted } = await reported(...args);
    expect(new Set(selected)).toEqual(new Set(expected));
    expect(omitted).toBe(ALL.length - expected.length);
  });

  test.each(['text', 'markdown', 'html', 'changelog'])('is stated in the report: %s', async (format) => {
    const { out } = await run('--only', 'enum', '--format', format);
    expect(out).toContain('No changes pass the filter. The filter omits 4 changes.');
  });

  test('is stated next to the remaining changes', async () => {
    const { out } = await run(
      '--severity',
      'breaking,risky,safe',
      '--tag',
      'carts',
      '--only',
      'limit,property',
    );
    expect(out).toContain('0 breaking, 1 risky, 1 safe. The filter omits 2 changes.');
  });

  test('keeps the locations with bounded precision, of the operations with the tags', () => {
    const comparison: Comparison = {
      base: { name: 'base.json', release: '1.0.0' },
      head: { name: 'head.json', release: '1.0.0' },
      changes: [],
      limitations: ['carts', 'shops'].map((tag) => ({
        operation: tag,
        tags: [tag],
        location: 'response 200',
        message: 'It is large.',
      })),
      approvalResult: { approved: new Map(), notices: [] },
      omitted: 0,
    };
    const source = documentOf('base.json', document());
    const { limitations } = filterComparison(comparison, { tags: ['carts'], only: ['enum'] }, [source]);
    expect(limitations.map(({ operation }) => operation)).toEqual(['carts']);
  });

  test('has a kind for every rule', () => {
    const kindsOfRules = [...rules.keys()].map((rule) => [rule, kindOf(rule)]);
    expect(kindsOfRules.filter(([, kind]) => kind === undefined)).toEqual([]);
    expect(RULE_KINDS.filter((kind) => !kindsOfRules.some(([, other]) => other === kind))).toEqual([]);
  });
});

describe('--fail-on', () => {
  test.each<[string[], number]>([
    [[], 1],
    [['--fail-on', 'none'], 0],
    [['--fail-on', 'breaking'], 1],
    [['--fail-on', 'risky'], 1],
    [['--tag', 'carts'], 0],
    [['--tag', 'carts', '--fail-on', 'risky'], 1],
    [['--only', 'property', '--fail-on', 'risky'], 0],
  ])('%j determines the exit code', async (args, code) => {
    expect((await run(...args)).code).toBe(code);
  });

  test('accepts approved risky changes', async () => {
    const approval = 'operation: carts, location: "response 200: id", reason: Ids are short., release: 1.0.0';
    await writeFile(join(folder, 'approvals.yaml'), `approvals: [{ ${approval} }]`);
    const { code, out, err } = await run(
      ...['--tag', 'carts', '--fail-on', 'risky', '--approvals', 'approvals.yaml'],
    );
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('risky for servers, approved');
    expect(out).toContain('Approved: Ids are short.');
  });
});

test.each<[string[], RegExp]>([
  [
    ['--only', 'enmu'],
    /error: --only enmu is neither a rule nor a kind of rules\. Specify a rule .* or a kind: operation, docs/,
  ],
  [['--only', ''], /error: --only .* is neither a rule nor a kind/],
  [
    ['--tag', 'users'],
    /error: No operation of base\.json or head\.json has the tag "users"\. Existing tags: carts, shops\./,
  ],
  [
    ['--severity', 'fatal'],
    /'--severity <levels>' argument 'fatal' is invalid\. Allowed choices are breaking, risky, safe/,
  ],
  [['--fail-on', 'safe'], /Allowed choices are risky, breaking, none/],
])('%j is a usage error with the fix', async (args, message) => {
  const { code, out, err } = await run(...args);
  expect(err).toMatch(message);
  expect({ code, out }).toEqual({ code: 2, out: '' });
});
