import { fork } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { MAX_CONCURRENT_CALLS, MAX_WAITING_CALLS } from '../../../server/sandbox/limits.ts';
import { ProcessorAllowance } from '../../../server/sandbox/processor-time.ts';
import type { Sandbox, SandboxOptions } from '../../../server/sandbox/sandbox.ts';
import { runWithFewDescriptors } from '../../support/processes/descriptors.ts';
import { callScript, handling, sandboxOf, scriptOf } from './scripts.ts';

/** Temporary folder of this file, so that it contains the folders of its processes only. */
let folder: string;
const before = process.env.TMPDIR;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
  process.env.TMPDIR = folder;
});
afterAll(() => {
  if (before === undefined) {
    delete process.env.TMPDIR;
  } else {
    process.env.TMPDIR = before;
  }
  rmSync(folder, { recursive: true });
});

/** Runs a test with a sandbox, which is closed afterwards. */
async function withSandbox(options: Partial<SandboxOptions>, run: (sandbox: Sandbox) => Promise<void>) {
  const sandbox = sandboxOf(options);
  try {
    await run(sandbox);
  } finally {
    await sandbox.close();
  }
}

/** A script that counts its calls in its process, and waits on request. */
const counting = (owner: string, version = 1) =>
  scriptOf(
    handling(
      `if (event.wait) { await fetch(event.wait); }
       if (event.hang) { await new Promise((resolve) => setTimeout(resolve, 1e8)); }
       return new Response(String(++count));`,
      'let count = 0; globalThis.shared ??= Math.random();',
    ),
    { owner, version },
  );

describe('the process of a script', () => {
  test('starts with its first call, and serves the next ones', async () => {
    await withSandbox({}, async (sandbox) => {
      expect([sandbox.processes, readdirSync(folder)]).toEqual([0, []]);
      expect((await callScript(sandbox, counting('a'))).text).toBe('1');
      expect((await callScript(sandbox, counting('a'))).text).toBe('2');
      expect([sandbox.processes, readdirSync(folder).length]).toEqual([1, 1]);
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is not shared with another integration, or another version', async () => {
    await withSandbox({}, async (sandbox) => {
      const scripts = [counting('a'), counting('b'), counting('a', 2)];
      for (const script of scripts) {
        expect((await callScript(sandbox, script)).text).toBe('1');
      }
      expect(sandbox.processes).toBe(3);
    });
  });

  test('ends when it is idle', async () => {
    await withSandbox({ limits: { idleMs: 1 } }, async (sandbox) => {
      expect((await callScript(sandbox, counting('a'))).text).toBe('1');
      await vi.waitUntil(() => sandbox.processes === 0, { timeout: 60_000 });
      expect((await callScript(sandbox, counting('a'))).text).toBe('1');
    });
  });

  test('is replaced when another script needs one: the one used last is retained', async () => {
    await withSandbox({ limits: { processes: 2 } }, async (sandbox) => {
      for (const owner of ['a', 'b', 'a', 'c']) {
        await callScript(sandbox, counting(owner));
      }
      expect(sandbox.processes).toBe(2);
      expect((await callScript(sandbox, counting('a'))).text).toBe('3');
    });
  });

  test('makes room for another script after its turn, even if it is never idle', async () => {
    await withSandbox({ limits: { processes: 1, turnMs: 0 } }, async (sandbox) => {
      let isWaiting = true;
      const busy = (async () => {
        while (isWaiting) {
          await Promise.all([1, 2].map(() => callScript(sandbox, counting('busy'))));
        }
      })();
      await callScript(sandbox, counting('busy'));
      expect((await callScript(sandbox, counting('other'))).text).toBe('1');
      isWaiting = false;
      await busy;
    });
  });

  test('that do not respond delay no other script', async () => {
    await withSandbox({ limits: { processes: 2, turnMs: 60_000 } }, async (sandbox) => {
      const deadlineMs = 60_000;
      const ended: unknown[] = [];
      const hanging = ['a', 'b', 'c'].map((owner) =>
        callScript(sandbox, counting(owner), { hang: true }, { deadlineMs }).catch((error) =>
          ended.push(error),
        ),
      );
      const other = await callScript(sandbox, counting('other')).catch(({ reason }) => ({ text: reason }));
      expect(other.text).toBe('1');
      expect(ended).toEqual([]);
      await sandbox.close();
      await Promise.all(hanging);
    });
  });

  test('whose last call failed have few places, until they respond again', async () => {
    await withSandbox({ limits: { failingProcesses: 1 } }, async (sandbox) => {
      const hang = 'await new Promise((resolve) => setTimeout(resolve, 1e8));';
      const scripts = ['a', 'b', 'c'].map((owner) =>
        scriptOf(handling(`if (event.loop) { for (;;); } if (event.hang) { ${hang} }`), { owner }),
      );
      const all = (event: object, deadlineMs: number) =>
        Promise.allSettled(scripts.map((script) => callScript(sandbox, script, event, { deadlineMs })));
      await all({ loop: true }, 2000);
      await vi.waitUntil(() => sandbox.processes === 0, { timeout: 60_000 });
      const hanging = all({ hang: true }, 60_000);
      expect((await callScript(sandbox, counting('other'))).text).toBe('1');
      expect(sandbox.processes).toBe(2);
      await sandbox.close();
      await hanging;
    });
  });

  test('logs each call separately', async () => {
    await withSandbox({}, async (sandbox) => {
      const script = scriptOf(
        handling(
          'for (let at = 0; at < 3; at++) { console.log(event.name, at); await new Promise((resolve) => setTimeout(resolve)); }',
          'console.log("started");',
        ),
      );
      const names = ['one', 'two', 'three'];
      const calls = await Promise.all(names.map((name) => callScript(sandbox, script, { name })));
      const logs = calls.map((call) => call.logs.map(([, message]) => message));
      expect(logs[0]?.[0]).toBe('started');
      expect(logs.map((messages) => messages.filter((message) => message !== 'started'))).toEqual(
        names.map((name) => [0, 1, 2].map((at) => `${name} ${at}`)),
      );
    });
  });

  test('completes work in the background before the answer, on request', async () => {
    await withSandbox({}, async (sandbox) => {
      const script = scriptOf(
        handling(`ctx.waitUntil((async () => {
          await new Promise((resolve) => setTimeout(resolve, 1));
          ctx.waitUntil(Promise.resolve().then(() => console.log('second')));
          console.log('first');
        })());`),
      );
      const { logs } = await callScript(sandbox, script, {}, { awaitsBackground: true });
      expect(logs).toEqual([
        ['info', 'first'],
        ['info', 'second'],
      ]);
    });
  });
});

test('a process that cannot be started for lack of file descriptors does not end the server', async () => {
  const module = new URL('./script-without-descriptors.ts', import.meta.url);
  // The process of this test ends by itself only if the proxy of the script is closed.
  expect(await runWithFewDescriptors(module, { TMPDIR: folder })).toEqual({
    reason: 'busy',
    cause: 'EMFILE',
    folders: [],
  });
});

describe('calls of a script', () => {
  test('wait in bounded numbers, until their deadline', async () => {
    await withSandbox({}, async (sandbox) => {
      const hanging = Array.from({ length: MAX_CONCURRENT_CALLS + MAX_WAITING_CALLS + 1 }, () =>
        callScript(sandbox, counting('a'), { hang: true }, { deadlineMs: 1000 }).catch(
          (error: unknown) => error,
        ),
      );
      // Not yet passed to the process, which is starting.
      const reasons = (await Promise.all(hanging)).map((error) => (error as { reason: string }).reason);
      expect(new Set(reasons)).toEqual(new Set(['timeout', 'busy']));
      expect((await callScript(sandbox, counting('a'))).text).toBe('1');
    });
  });

  test('are aborted by their caller', async () => {
    await withSandbox({}, async (sandbox) => {
      const controller = new AbortController();
      const call = callScript(sandbox, counting('a'), { hang: true }, { signal: controller.signal });
      controller.abort();
      await expect(call).rejects.toMatchObject({ reason: 'aborted' });
    });
  });

  test('fail when the sandbox closes, and afterwards', async () => {
    const sandbox = sandboxOf();
    await callScript(sandbox, counting('a'));
    const running = callScript(sandbox, counting('a'), { hang: true });
    const starting = callScript(sandbox, scriptOf('for (;;);'));
    const outcomes = Promise.allSettled([running, starting]);
    await sandbox.close();
    expect(await outcomes).toMatchObject([{ reason: { reason: 'busy' } }, { reason: { reason: 'busy' } }]);
    await expect(callScript(sandbox, counting('a'))).rejects.toMatchObject({ reason: 'busy' });
    expect([sandbox.processes, readdirSync(folder)]).toEqual([0, []]);
  });

  test('fail if the program is not available', async () => {
    await withSandbox({ program: join(tmpdir(), 'not-installed') }, async (sandbox) => {
      await expect(callScript(sandbox, counting('a'))).rejects.toMatchObject({ reason: 'crashed' });
      expect(readdirSync(folder)).toEqual([]);
    });
  });
});

test('the processes of a killed server end, and their folders are removed', async () => {
  const host = fork(new URL('./sandbox-host.ts', import.meta.url), {
    env: { ...process.env, TMPDIR: folder },
  });
  const pids = await new Promise<number[]>((resolve) => {
    host.once('message', (message) => resolve(message as number[]));
  });
  const isAlive = (pid: number) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  // One runs an endless loop, which would occupy a processor after this test fails.
  onTestFinished(() => {
    for (const pid of pids.filter(isAlive)) {
      process.kill(pid, 'SIGKILL');
    }
  });
  expect(pids).toHaveLength(2);
  expect(readdirSync(folder)).toHaveLength(2);
  host.kill('SIGKILL');
  await vi.waitFor(() => expect([pids.filter(isAlive), readdirSync(folder)]).toEqual([[], []]), {
    timeout: 60_000,
  });
  expect(existsSync(folder)).toBe(true);
});

test('processor time is saved up at a steady rate, up to a maximum', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const allowance = new ProcessorAllowance(1000, 250);
    expect(allowance.isSpent).toBe(false);
    allowance.spend(1250);
    expect(allowance.isSpent).toBe(true);
    vi.advanceTimersByTime(1000);
    expect(allowance.isSpent).toBe(true);
    vi.advanceTimersByTime(4);
    expect(allowance.isSpent).toBe(false);
    vi.advanceTimersByTime(3_600_000);
    allowance.spend(1000);
    expect(allowance.isSpent).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});
