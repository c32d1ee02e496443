import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../../../spec/toolchain/conform/report/finding.ts';
import type { RunOptions } from '../../../../spec/toolchain/conform/run/run.ts';
import { readContract } from '../../../../spec/toolchain/model/contract/read.ts';
import { documentOf } from '../../../../spec/toolchain/source.ts';
import { runs } from '../../../support/seed.ts';
import { recordingDocument, startRecording } from '../server-recording.ts';
import { runOnce } from './run-once.ts';

const contract = readContract(documentOf('recording', recordingDocument));

async function testRecording(url: URL, options: Partial<RunOptions> = {}): Promise<Outcome> {
  const limits = { maxRequests: 1000, maxSeconds: 60 };
  return await runOnce({ url, tokens: {}, limits }, { contract, ...options });
}

describe('resources that the run did not create', () => {
  test.each(Array.from({ length: runs(2) }, (_, index) => index + 1))(
    'are never changed, which is why operations are not tested, with the seed %d',
    async (seed) => {
      await using server = await startRecording();
      const { coverage } = await testRecording(server.url, { seed });
      expect(server.harms).toEqual([]);
      expect(server.writes()).toBeGreaterThan(200);
      const tested = coverage.filter(({ state }) => state === 'tested').map(({ operation }) => operation);
      expect(tested).toEqual(
        expect.arrayContaining(['createTodo', 'updateTodo', 'deleteTodo', 'completeTodo', 'updateNote']),
      );
      const reasons = coverage
        .filter(({ state }) => state === 'not-tested')
        .map(({ operation, reason }) => `${operation}: ${reason}`);
      expect(reasons).toEqual([
        'replaceTodos: It replaces whatever exists at its path. Test it with --touch-existing.',
        'deleteTodos: It deletes whatever exists at its path. Test it with --touch-existing.',
        'updateTodos: It changes whatever exists at its path. Test it with --touch-existing.',
        'clearTodos: It is an action that may change existing resources. Test it with --touch-existing.',
        'logIn: It is an action that may change existing resources. Test it with --touch-existing.',
        'replaceSettings: It replaces whatever exists at its path. Test it with --touch-existing.',
        'replaceTheme: Every request could change resources that the run did not create. Test it with --touch-existing.',
        'reset: It is an action that may change existing resources. Test it with --touch-existing.',
      ]);
    },
  );

  test('are changed with the option, which the server would record', async () => {
    await using server = await startRecording();
    const { coverage } = await testRecording(server.url, { touchExisting: true });
    const changed = new Set(server.harms.flatMap((harm) => harm.changed));
    for (const resource of ['all of reset', 'all of settings', 'all of todos', 'all of status', 'note a']) {
      expect(changed).toContain(resource);
    }
    expect(coverage.filter(({ state }) => state === 'not-tested')).toEqual([]);
  });

  test('are what an action only reads that the contract declares to be safe', async () => {
    await using server = await startRecording();
    const document = structuredClone(recordingDocument);
    const { post } = document.paths['/session'];
    const safe = readContract(
      documentOf('recording', {
        ...document,
        paths: { ...document.paths, '/session': { post: { ...post, 'x-safe': true } } },
      }),
    );
    const { coverage } = await testRecording(server.url, { contract: safe });
    expect(coverage.find(({ operation }) => operation === 'logIn')).toMatchObject({ state: 'tested' });
    expect(server.harms).toEqual([]);
  });
});
