import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readReplay, writeReplay } from '../../../../spec/toolchain/conform/report/replay.ts';
import type { Step } from '../../../../spec/toolchain/model/plan/plan.ts';
import { UsageError } from '../../../../spec/toolchain/usage-error.ts';
import { contract, finding, outcome, plan } from '../widget-outcome.ts';

describe('replay files', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'replay-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('return the saved plans', async () => {
    const file = join(folder, 'replay.json');
    const reference = { step: 0, from: '/id' };
    const rich: Step = {
      operation: 'getWidget',
      caller: 'malformed',
      path: { id: reference },
      query: [['a', reference]],
      headers: [['b', 'c']],
      body: { mediaType: 'application/json', json: [1], references: [{ at: [0], value: reference }] },
      fault: { name: 'x', kind: 'input', method: 'FOO', rawPath: { id: '%' }, rawQuery: { a: '%' } },
    };
    const plans = [{ title: 'two', steps: [...plan.steps, rich] }];
    await writeReplay(
      file,
      { ...outcome, findings: plans.map((item) => ({ ...finding, plan: item })) },
      contract,
    );
    expect(await readReplay(file)).toEqual({
      contract: { title: 'Widgets & more', version: '2' },
      seed: 7,
      plans,
    });
    expect(JSON.parse(await readFile(file, 'utf8')).version).toBe(1);
  });

  const good = { version: 1, contract: { title: 'a', version: 'b' }, seed: 1, plans: [plan] };
  const withStep = (more: object) => ({
    ...good,
    plans: [{ title: '', steps: [{ ...plan.steps[0], ...more }] }],
  });
  test.each<[string, unknown, string]>([
    ['an array', [1], 'it is not an object'],
    ['another version', { ...good, version: 2 }, 'its version is 2, not 1'],
    ['no contract', { ...good, contract: {} }, 'it has no contract'],
    ['no seed', { ...good, seed: 'x' }, 'it has no seed'],
    ['no plans', { ...good, plans: {} }, 'it has no plans'],
    [
      'a plan without steps',
      { ...good, plans: [{ title: '' }] },
      'plan 1: the title or the list of steps is missing',
    ],
    ['a step with an unknown caller', withStep({ caller: 'me' }), 'step 1 has an unknown caller'],
    [
      'a reference to a later step',
      withStep({ path: { id: { step: 0, from: '' } } }),
      'step 1 has an invalid path',
    ],
    ['an invalid query', withStep({ query: [['a']] }), 'step 1 has an invalid query'],
    ['an invalid body', withStep({ body: { mediaType: 'x' } }), 'step 1 has an invalid body'],
    ['an invalid fault', withStep({ fault: { name: 'x', kind: 'y' } }), 'step 1 has an invalid fault'],
  ])('are rejected with %s', async (_, content, message) => {
    const file = join(folder, 'bad.json');
    await writeFile(file, JSON.stringify(content));
    const error = await readReplay(file).catch((error) => error);
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toContain(message);
  });

  test('are reported if they cannot be read or written', async () => {
    await expect(readReplay(join(folder, 'none.json'))).rejects.toThrow('no such file');
    await expect(writeReplay(join(folder, 'no', 'x.json'), outcome, contract)).rejects.toBeInstanceOf(
      UsageError,
    );
  });
});
