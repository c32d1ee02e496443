import { expect, test } from 'vitest';
import type { JobKind } from '../../../server/jobs/queue.ts';
import type { Services } from '../../../server/platform/kit/slice.ts';
import { registerWorkers } from '../../../server/process/workers.ts';

test('kinds of jobs are announced with the modules that register their workers', async () => {
  const groups: { names: readonly string[]; load: () => Promise<void> }[] = [];
  const registered: string[] = [];
  const queue = {
    registerLater: (names: readonly string[], load: () => Promise<void>) => void groups.push({ names, load }),
    register: ({ name }: JobKind<unknown>) => void registered.push(name),
    attach: () => undefined,
  };
  // The workers use their other services when they run.
  registerWorkers({ queue, createId: (prefix: string) => `${prefix}_1` } as unknown as Services);
  for (const { names, load } of groups) {
    registered.length = 0;
    await load();
    expect(registered).toEqual(names);
  }
  expect(groups.length).toBeGreaterThan(5);
});
