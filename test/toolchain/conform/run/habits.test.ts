import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../../../spec/toolchain/conform/report/finding.ts';
import type { RunOptions } from '../../../../spec/toolchain/conform/run/run.ts';
import type { WireOptions } from '../../../../spec/toolchain/conform/wire/wire.ts';
import { readContract } from '../../../../spec/toolchain/model/contract/read.ts';
import { documentOf } from '../../../../spec/toolchain/source.ts';
import {
  body,
  closed,
  type Habit,
  documentOf as habitDocument,
  inPath,
  inQuery,
  reject,
  responses,
  serveHabit,
} from '../habit.ts';
import { addresses } from '../servers/addresses.ts';
import { boards } from '../servers/boards.ts';
import { charsets } from '../servers/charsets.ts';
import { defaults } from '../servers/defaults.ts';
import { etags } from '../servers/etags.ts';
import { exclusiveFields } from '../servers/exclusive-fields.ts';
import { hal } from '../servers/hal.ts';
import { headerIds } from '../servers/header-ids.ts';
import { jobs } from '../servers/jobs.ts';
import { jsonApi } from '../servers/json-api.ts';
import { jsonPatch } from '../servers/json-patch.ts';
import { linkPages } from '../servers/link-pages.ts';
import { mergePatch } from '../servers/merge-patch.ts';
import { nestedFirst } from '../servers/nested-first.ts';
import { normalized } from '../servers/normalized.ts';
import { numericIds } from '../servers/numeric-ids.ts';
import { permanent } from '../servers/permanent.ts';
import { publication } from '../servers/publication.ts';
import { relations } from '../servers/relations.ts';
import { requiredContext } from '../servers/required-context.ts';
import { softDeletion } from '../servers/soft-deletion.ts';
import { streams } from '../servers/streams.ts';
import { templates } from '../servers/templates.ts';
import { unlisted } from '../servers/unlisted.ts';
import { uploads } from '../servers/uploads.ts';
import { runOnce } from './run-once.ts';

const habits: Record<string, Habit> = {
  addresses,
  boards,
  charsets,
  defaults,
  etags,
  'exclusive fields': exclusiveFields,
  hal,
  'header ids': headerIds,
  jobs,
  'JSON:API': jsonApi,
  'JSON Patch': jsonPatch,
  'link pages': linkPages,
  'merge patch': mergePatch,
  'nested first': nestedFirst,
  normalized,
  'numeric ids': numericIds,
  permanent,
  publication,
  relations,
  'required context': requiredContext,
  'soft deletion': softDeletion,
  streams,
  templates,
  unlisted,
  uploads,
};

async function testHabit(
  habit: Habit,
  fault: string | undefined,
  seed: number,
  { limits: given, ...options }: Partial<RunOptions> & Partial<Pick<WireOptions, 'limits'>> = {},
): Promise<Outcome> {
  const url = await serveHabit(habit, fault);
  // The document of the fixture, as the tester reads it.
  const contract = readContract(documentOf('habit', habit.document as never));
  // Each stream takes a fraction of a second.
  const limits = given ?? { maxRequests: habit === streams ? 16 : 250, maxSeconds: 60 };
  const timeout = habit === streams ? 2500 : 5000;
  return await runOnce({ url, tokens: {}, limits, timeout }, { contract, seed, ...options });
}

const brief = ({ findings }: Outcome) =>
  findings.map(
    ({ check, operation, message, plan }) =>
      `${check} at ${operation}: ${message} ${JSON.stringify(plan.steps)}`,
  );

describe.each(Object.entries(habits))('a server with the habit: %s', (_, habit) => {
  test.each([1, 2])('is correct, with the seed %i', async (seed) => {
    const outcome = await testHabit(habit, undefined, seed);
    expect(brief(outcome)).toEqual([]);
    const unsuccessful = outcome.coverage.filter(
      ({ statuses }) => !Object.keys(statuses).some((status) => status.startsWith('2')),
    );
    expect(unsuccessful.map(({ operation, statuses }) => [operation, statuses])).toEqual([]);
  });

  test.each(Object.entries(habit.faults))('is reported if it %s', async (fault, check) => {
    const outcome = await testHabit(habit, fault, 1);
    expect(
      outcome.findings.map((finding) => finding.check),
      brief(outcome).join('\n'),
    ).toContain(check);
  });
});

test('creates few resources that nothing deletes, and shares them', async () => {
  const { findings, coverage } = await testHabit(permanent, undefined, 3, { only: 'getKey' });
  expect(findings).toEqual([]);
  expect(coverage.find(({ operation }) => operation === 'getKey')?.statuses).toHaveProperty('200');
  expect(permanent.count()).toBeLessThanOrEqual(2);
});

test('sends no request to excluded operations, and keeps what only these delete', async () => {
  const { coverage, undeleted } = await testHabit(etags, undefined, 1, { exclude: ['delete*', '*/pages'] });
  const called = coverage.filter(({ statuses }) => Object.keys(statuses).length > 0);
  expect(called.map(({ operation }) => operation).toSorted()).toEqual(['getPage', 'replacePage']);
  expect(undeleted).toEqual([]);
  const kept = await testHabit(softDeletion, undefined, 1, { exclude: ['deleteTask'] });
  expect(kept.coverage.map(({ operation }) => operation)).not.toContain('deleteTask');
  expect(kept.undeleted).not.toEqual([]);
});

describe('a rule that the contract states in words', () => {
  const rule = { 'x-rule': 'An even number of letters.' };
  const words = (extension: object): Habit => ({
    document: habitDocument(
      {
        '/words': {
          post: {
            operationId: 'createWord',
            parameters: [inQuery('mark', { type: 'string', maxLength: 9, ...extension })],
            requestBody: body(closed({ text: { type: 'string', maxLength: 9, ...extension } }, ['text'])),
            responses: responses(200, { type: 'object' }),
          },
        },
      },
      {},
    ),
    faults: {},
    handlers: () => ({
      createWord: ({ body, query }) => {
        const texts = [(body as { text: string }).text, String(query.mark ?? '')];
        return texts.some((text) => text.length % 2 === 1) ? reject(400) : { status: 200, body: {} };
      },
    }),
  });

  test.each([
    ['in words', rule],
    ['by a format with a name', { format: 'even-word' }],
  ])('%s makes rejections inconclusive', async (_name, extension) => {
    const { findings, coverage } = await testHabit(words(extension), undefined, 1, { touchExisting: true });
    expect(findings).toEqual([]);
    expect(coverage[0]?.inconclusive).toBeGreaterThan(0);
    expect(Object.keys(coverage[0]?.statuses ?? {})).toContain('200');
  });

  test('is missing if the server rejects what the contract allows', async () => {
    const { findings } = await testHabit(words({}), undefined, 1, { touchExisting: true });
    expect(findings.map(({ check }) => check)).toContain('valid-input-accepted');
  });
});

describe('lists', () => {
  /** A server that fails for some lists. */
  const failingFor = (fails: (items: number[]) => boolean): Habit => ({
    document: habitDocument({
      '/sums': {
        post: {
          operationId: 'createSum',
          requestBody: body(
            closed({ items: { type: 'array', maxItems: 400, items: { type: 'integer', minimum: 0 } } }, [
              'items',
            ]),
          ),
          responses: responses(200, { type: 'object' }),
        },
      },
    }),
    faults: {},
    handlers: () => ({
      createSum: ({ body }) =>
        fails((body as { items: number[] }).items) ? reject(500) : { status: 200, body: {} },
    }),
  });

  test.each<[string, (items: number[]) => boolean, number[]]>([
    ['length', (items) => items.length >= 3, [0, 0, 0]],
    ['last item', (items) => (items.at(-1) ?? 0) > 7, [8]],
    ['length and an item', (items) => items.length > 2 && items.some((item) => item > 0), [0, 0, 1]],
    ['sum', (items) => items.reduce((sum, item) => sum + item, 0) >= 100, [100]],
  ])('that fail by their %s are shrunk to the smallest', async (_name, fails, smallest) => {
    const limits = { maxRequests: 1000, maxSeconds: 60 };
    const { findings } = await testHabit(failingFor(fails), undefined, 1, { touchExisting: true, limits });
    const bodies = findings.flatMap(({ plan }) => plan.steps.map((step) => step.body));
    const items = bodies.map((sent) =>
      sent && 'json' in sent ? (sent.json as { items: number[] }).items : [],
    );
    expect(items[0]?.length).toBe(smallest.length);
    expect(items[0]?.toSorted()).toEqual(smallest.toSorted());
  });
});

test('sends no request whose path would contain a fragment', async () => {
  const habit: Habit = {
    document: habitDocument({
      '/files/{fileId}#rename': {
        parameters: [inPath('fileId')],
        get: { operationId: 'renameFile', responses: responses(200, {}) },
      },
    }),
    faults: {},
    handlers: () => ({}),
  };
  const { findings, coverage } = await testHabit(habit, undefined, 1);
  expect(findings).toEqual([]);
  expect(coverage.map(({ statuses }) => statuses)).toEqual([{}]);
});

test('reports why an operation had no success', async () => {
  const habit: Habit = {
    document: habitDocument({
      '/lists/{listId}': {
        parameters: [inPath('listId')],
        get: { operationId: 'getList', responses: responses(200, {}) },
      },
    }),
    faults: {},
    handlers: () => ({ getList: () => reject(404, 'There is no list.') }),
  };
  const { coverage } = await testHabit(habit, undefined, 1);
  expect(coverage[0]?.reason).toBe('404: There is no list. (with invented values: path listId)');
});
