import { test } from '../mutation.ts';

/** Failing row of an operation in the table of permissions. */
export const access = (operation: string) =>
  test('test/service/access/access', `${operation}\\W+returns what the role`);

/** Failing test of the titles of teams. */
export const title = (how: 'sent' | 'changed') =>
  test('test/service/requests/titles', `the title of a team\\W+is read as it was ${how}`);

/** Failing test of invalid requests. */
export const badInput = (name: string) => test('test/service/requests/bad-input', name);
