import { test } from '../mutation.ts';

/** The row of an operation in the table of who may do what. */
export const access = (operation: string) =>
  test('test/service/access/access', `${operation}\\W+returns what the role`);

/** What becomes of the titles of teams. */
export const title = (how: 'sent' | 'changed') =>
  test('test/service/requests/titles', `the title of a team\\W+is read as it was ${how}`);

/** What becomes of requests that no operation takes. */
export const badInput = (name: string) => test('test/service/requests/bad-input', name);
