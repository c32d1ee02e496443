import { describe, expect, test } from 'vitest';
import { ApiError, type GitRun, RunFailedError, waitForRun } from '../../client/platform/index.ts';
import { clientOf, failureOf, fakeRuntime, type Step, startScriptedServer } from './scripted-server.ts';

const location = 'https://docs.example.com/base/v1/spaces/spc_1/git/runs/run_1';
const started: Step = { status: 204, headers: { location } };
const importing = {
  params: { path: { spaceId: 'spc_1' } },
  body: { url: 'https://git.example/docs.git', ref: 'refs/heads/main' },
};

function runWith(values: Partial<GitRun>): GitRun {
  return {
    object: 'git-run',
    id: 'run_1',
    direction: 'import',
    url: 'https://git.example/docs.git',
    ref: 'refs/heads/main',
    status: 'running',
    progress: 0,
    counts: { pages: 0, files: 0, problems: 0 },
    problems: [],
    createdAt: '2030-01-01T00:00:00.000Z',
    urls: { location },
    ...values,
  };
}

const step = (values: Partial<GitRun>): Step => ({ status: 200, body: runWith(values) });
const failed = runWith({
  status: 'failed',
  failure: { reason: 'not_found', message: 'The repository has no ref refs/heads/main.' },
});

describe('waiting for a run', () => {
  test('starts with the call, retrieves its run with increasing waits, and returns it', async () => {
    await using server = await startScriptedServer(
      started,
      step({ status: 'pending' }),
      step({ progress: 40 }),
      step({ progress: 90 }),
      step({ status: 'completed', progress: 100, counts: { pages: 3, files: 1, problems: 0 } }),
    );
    const client = clientOf(server);
    const runtime = fakeRuntime();
    const seen: number[] = [];
    const call = client.POST('/v1/spaces/{spaceId}/git/import', importing);
    const run = await waitForRun(client, call, {
      runtime,
      onProgress: ({ progress }) => seen.push(progress),
    });
    expect(run).toMatchObject({ status: 'completed', counts: { pages: 3 } });
    expect(seen).toEqual([0, 40, 90, 100]);
    expect(runtime.waits).toEqual([30, 45, 67.5]);
    expect(server.received.slice(1).map(({ url }) => url)).toEqual(
      Array(4).fill('/v1/spaces/spc_1/git/runs/run_1'),
    );
  });

  test('waits at most 5 s between two retrievals', async () => {
    const steps = Array.from({ length: 20 }, () => step({}));
    await using server = await startScriptedServer(step({}), ...steps, step({ status: 'completed' }));
    const runtime = { ...fakeRuntime(), random: () => 0.5 };
    await waitForRun(clientOf(server), { spaceId: 'spc_1', runId: 'run_1' }, { runtime });
    expect(Math.max(...runtime.waits)).toBe(5_000);
  });

  test('throws the failure of the run, with the run', async () => {
    await using server = await startScriptedServer({ status: 200, body: failed });
    const error = await failureOf(waitForRun(clientOf(server), { spaceId: 'spc_1', runId: 'run_1' }));
    expect(error).toBeInstanceOf(RunFailedError);
    expect(error).toMatchObject({
      name: 'RunFailedError',
      reason: 'not_found',
      message: failed.failure?.message,
      run: { id: 'run_1' },
    });
  });

  test('throws the error of the call that starts it', async () => {
    const body = { error: { code: 409, reason: 'space_locked', message: 'Locked.', requestId: 'r' } };
    await using server = await startScriptedServer({ status: 409, body });
    const client = clientOf(server);
    const call = client.POST('/v1/spaces/{spaceId}/git/import', importing);
    expect(await failureOf(waitForRun(client, call))).toMatchObject({ kind: 'http', reason: 'space_locked' });
  });

  test('rejects a call that starts no run', async () => {
    await using server = await startScriptedServer({ status: 200, body: { items: [] } });
    const client = clientOf(server);
    expect(await failureOf(waitForRun(client, client.GET('/v1/orgs')))).toMatchObject({ kind: 'response' });
  });

  test('ends after its timeout', async () => {
    await using server = await startScriptedServer(step({}));
    const reference = { spaceId: 'spc_1', runId: 'run_1' };
    const error = await failureOf(
      waitForRun(clientOf(server), reference, { runtime: fakeRuntime(), timeout: 1_000 }),
    );
    expect(error).toMatchObject({ name: 'ApiError', kind: 'timeout' });
    await expect(waitForRun(clientOf(server), reference, { timeout: 0 })).rejects.toThrow(RangeError);
  });

  test('ends when its signal is aborted, also between two retrievals', async () => {
    await using server = await startScriptedServer(step({}));
    const controller = new AbortController();
    // No wait of this runtime ends.
    const waiting = waitForRun(
      clientOf(server),
      { spaceId: 'spc_1', runId: 'run_1' },
      { runtime: fakeRuntime(0), signal: controller.signal, onProgress: () => controller.abort() },
    );
    const error = await failureOf(waiting);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ kind: 'aborted' });
    expect(server.received).toHaveLength(1);
  });
});
