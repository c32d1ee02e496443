import { expect, test } from 'vitest';
import { type DrawnPlan, withoutKeys } from '../../../spec/toolchain/conform/run/failures/shrink.ts';
import { readContract } from '../../../spec/toolchain/model/contract/read.ts';
import type { Step } from '../../../spec/toolchain/model/plan/plan.ts';
import { documentOf } from '../../../spec/toolchain/source.ts';
import { documentOf as habitDocument, responses } from './habit.ts';

const createNote = (operationId: string, required: boolean) => ({
  post: {
    operationId,
    parameters: [{ name: 'Idempotency-Key', in: 'header', required, schema: { type: 'string' } }],
    responses: responses(201),
  },
});
const document = habitDocument({ '/a': createNote('optional', false), '/b': createNote('required', true) });
// The document of the test, as the tester reads it.
const { operations } = readContract(documentOf('keys', document as never));

const planOf = (operation: string, ...headers: Step['headers']): DrawnPlan => {
  const step: Step = { operation, caller: 'own', path: {}, query: [], headers };
  const more = (value: Step['headers']) => ({
    value: { path: {}, query: [], headers: value, inventedFields: [] },
    *simpler() {},
  });
  const drawn = {
    ...more(headers),
    *simpler() {
      yield more([['idempotency-key', ''], ...headers.slice(1)]);
    },
  };
  return { title: operation, steps: [{ step, inventedFields: [], drawn }] };
};

test('a repeated plan has no optional key, for which a server would repeat its first response', () => {
  const plan = withoutKeys(planOf('optional', ['Idempotency-Key', 'r'], ['X-Other', 'o']), operations);
  const [item] = plan?.steps ?? [];
  expect(item?.step.headers).toEqual([['X-Other', 'o']]);
  expect(item?.drawn?.value.headers).toEqual([['X-Other', 'o']]);
  expect([...(item?.drawn?.simpler() ?? [])].map(({ value }) => value.headers)).toEqual([[['X-Other', 'o']]]);
});

test('other headers and required keys are part of a repeated plan', () => {
  expect(withoutKeys(planOf('optional', ['X-Other', 'o']), operations)).toBeUndefined();
  expect(withoutKeys(planOf('required', ['Idempotency-Key', 'r']), operations)).toBeUndefined();
});
