import { expect, test } from 'vitest';
import { classify, DatabaseUnavailableError, isRetryable } from '../../../server/database/errors.ts';

const error = (properties: object, message = 'failed') => Object.assign(new Error(message), properties);

test.each([
  ['08006', 'unreachable', true],
  ['57P01', 'unreachable', true],
  ['57P02', 'unreachable', true],
  ['57P03', 'unreachable', true],
  ['28P01', 'unreachable', false],
  ['3D000', 'unreachable', false],
  ['25006', 'read-only', true],
  ['25P03', 'timeout', false],
  ['57014', 'timeout', false],
  ['53100', 'full', false],
  ['53200', 'overloaded', false],
  ['53300', 'overloaded', true],
  ['58030', 'input-output', false],
  ['XX001', 'corrupt', false],
  ['ECONNREFUSED', 'unreachable', true],
  ['ECONNRESET', 'unreachable', true],
  ['ETIMEDOUT', 'unreachable', true],
  ['EAI_AGAIN', 'unreachable', true],
])('maps the code %s to %s', (code, reason, transient) => {
  expect(classify(error({ code }))).toMatchObject({ reason, transient, outcome: 'not written' });
});

test.each([
  ['Connection terminated unexpectedly', 'unreachable'],
  ['Connection terminated due to connection timeout', 'unreachable'],
  ['timeout expired', 'unreachable'],
  ['Client has encountered a connection error and is not queryable', 'unreachable'],
  ['Query read timeout', 'timeout'],
])('maps the driver error "%s" to %s', (message, reason) => {
  expect(classify(new Error(message))).toMatchObject({ reason });
});

test.each([
  [5, 'locked'],
  [517, 'locked'],
  [8, 'read-only'],
  [10, 'input-output'],
  [4874, 'input-output'],
  [11, 'corrupt'],
  [13, 'full'],
  [14, 'input-output'],
  [26, 'corrupt'],
])('maps the result code %i to %s', (errcode, reason) => {
  expect(classify(error({ code: 'ERR_SQLITE_ERROR', errcode }))).toMatchObject({ reason });
});

test.each([
  error({ code: '40001' }),
  error({ code: '40P01' }),
  error({ code: '23505' }),
  error({ code: '42P01' }),
  error({ code: 'ERR_SQLITE_ERROR', errcode: 2067 }),
  error({ code: 'ERR_SQLITE_ERROR', errcode: 1 }),
  error({ code: 'ENOENT', syscall: 'open' }),
  new TypeError('x is not a function'),
  'no error',
])('keeps other errors unchanged', (other) => {
  expect(classify(other)).toBe(other);
});

test('maps a missing local socket to an unreachable server', () => {
  expect(classify(error({ code: 'ENOENT', syscall: 'connect' }))).toMatchObject({ reason: 'unreachable' });
});

test('retries collisions from the start, and no other errors', () => {
  expect(['40001', '40P01', '40002', '57P01'].map((code) => isRetryable(error({ code })))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('states whether something may have been written', () => {
  const failed = new DatabaseUnavailableError('unreachable');
  expect(failed.message).toContain('Nothing was written');
  expect(failed.withUnknownOutcome().message).toContain('The request may have been applied');
});
