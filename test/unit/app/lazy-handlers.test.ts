import { expect, test, vi } from 'vitest';
import { operations } from '../../../generated/operations.ts';
import { lazyHandlers } from '../../../server/app/lazy-handlers.ts';

const { listTeams, getTeam, getSubdomain } = operations;

test('the module of a handler is loaded with its first request, after the ones before it', async () => {
  const first = vi.fn(async () => ({ teams: { listTeams: async () => 'teams' } }));
  const second = vi.fn(async () => ({ team: { getTeam: async () => 'team' } }));
  const handlers = lazyHandlers({ listTeams, getTeam }, { Teams: [first, second] });
  expect(first).not.toHaveBeenCalled();
  expect(await handlers.listTeams()).toBe('teams');
  expect(second).not.toHaveBeenCalled();
  expect(await handlers.getTeam()).toBe('team');
  expect(await handlers.getTeam()).toBe('team');
  expect([first.mock.calls.length, second.mock.calls.length]).toEqual([2, 1]);
});

test('an operation whose handler is in no module of its tag is reported', async () => {
  const elsewhere = async () => ({ team: { getTeam: async () => 'team' } });
  const handlers = lazyHandlers({ getTeam, getSubdomain }, { Teams: [], Organizations: [elsewhere] });
  await expect(handlers.getTeam()).rejects.toThrow(
    'No module of the tag of getTeam has its handler. Add the module to its tag.',
  );
});
