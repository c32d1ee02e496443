import { afterAll, describe, expect, test } from 'vitest';
import {
  MAX_LOG_CHARACTERS,
  MAX_LOG_ENTRIES,
  SCRIPT_PROGRAM_LIMITS,
} from '../../../server/sandbox/limits.ts';
import type { Sandbox } from '../../../server/sandbox/sandbox.ts';
import { peakMemoryDuring } from '../../support/processes/peak-memory.ts';
import { callScript, handling, sandboxOf, scriptOf } from './scripts.ts';

const sandbox = sandboxOf();
afterAll(() => sandbox.close());

/** A script that does some harm on request, and otherwise answers. */
const harmful = (harm: string, top = '') => scriptOf(handling(`if (event.harm) { ${harm} }`, top));
const harmless = scriptOf(handling(''));

/** Calls a script that does harm, and verifies that its next call and another script succeed. */
async function survives(harm: string, { top = '', deadlineMs = 20_000 } = {}, within: Sandbox = sandbox) {
  const script = harmful(harm, top);
  await callScript(within, script);
  const outcome = callScript(within, script, { harm: true }, { deadlineMs }).catch((error: unknown) => error);
  await expect(callScript(within, harmless)).resolves.toMatchObject({ text: 'OK' });
  const result = await outcome;
  await expect(callScript(within, script)).resolves.toMatchObject({ text: 'OK' });
  await expect(callScript(within, harmless)).resolves.toMatchObject({ text: 'OK' });
  return result;
}

describe('a script costs only its own call if it', () => {
  test('never returns', async () => {
    expect(await survives('console.log("before"); for (;;);', { deadlineMs: 500 })).toMatchObject({
      reason: 'timeout',
      logs: [{ message: 'before' }],
    });
  });

  test('never responds', async () => {
    const harm = 'await new Promise((resolve) => setTimeout(resolve, 1e8));';
    expect(await survives(harm, { deadlineMs: 500 })).toMatchObject({ reason: 'timeout' });
  });

  test('never ends its answer', async () => {
    const harm =
      'return new Response(new ReadableStream({ pull: () => new Promise((resolve) => setTimeout(resolve, 1e8)) }));';
    expect(await survives(harm, { deadlineMs: 500 })).toMatchObject({ reason: 'timeout' });
  });

  test('throws', async () => {
    expect(await survives('throw new Error("no");')).toMatchObject({
      status: 500,
      text: 'Internal Server Error',
      logs: [['error', expect.stringContaining('Error: no')]],
    });
  });

  test('exits', async () => {
    expect(await survives('process.exit(1);')).toMatchObject({ status: 500 });
  });

  test('returns something else than a response', async () => {
    expect(await survives('return { status: 200 };')).toMatchObject({
      status: 500,
      logs: [['error', expect.stringContaining('returned no Response')]],
    });
  });

  test('starts promises without end', async () => {
    const harm = `const fork = async () => { await null; return Promise.all([fork(), fork()]); };
      return new Response(String(await fork()));`;
    const result = (await survives(harm, { deadlineMs: 500 })) as { reason?: string };
    expect(result.reason).toMatch(/^(memory|timeout)$/);
  });

  test('starts timers without end', async () => {
    const harm = `const fork = () => { setTimeout(fork); setTimeout(fork); };
      fork();
      await new Promise((resolve) => setTimeout(resolve, 1e8));`;
    const result = (await survives(harm, { deadlineMs: 500 })) as { reason?: string };
    expect(result.reason).toMatch(/^(memory|timeout|crashed)$/);
  });

  test('creates objects without end', async () => {
    const harm = 'const all = []; for (;;) { all.push(new Array(1000).fill({})); }';
    expect(await survives(harm)).toMatchObject({ reason: 'memory' });
  });

  test.runIf(process.platform === 'linux').each([
    ['buffers', 'new Uint8Array(8e6).fill(1)'],
    ['shared buffers', 'new Uint8Array(new SharedArrayBuffer(8e6)).fill(1)'],
    ['WebAssembly memory', 'new Uint8Array(new WebAssembly.Memory({ initial: 100 }).buffer).fill(1)'],
    ['headers', 'new Headers({ large: "x".repeat(1e6) })'],
  ])('allocates outside its heap without end: %s', async (_name, value) => {
    const harm = `const all = []; for (;;) { all.push(${value}); }`;
    const { result, peakBytes } = await peakMemoryDuring('workerd', () => survives(harm));
    const { status, reason, logs } = result as { status?: number; reason?: string; logs: unknown };
    // Only an allocation of the script itself is an exception that it can catch.
    if (reason === undefined) {
      expect([status, JSON.stringify(logs)]).toEqual([500, expect.stringMatching(/could not|failed/)]);
    } else {
      expect(reason).toBe('memory');
    }
    expect(peakBytes).toBeGreaterThan(0);
    expect(peakBytes).toBeLessThan(SCRIPT_PROGRAM_LIMITS.dataBytes);
  });

  test('recurses without end', async () => {
    expect(await survives('const recurse = () => recurse() + 1; recurse();')).toMatchObject({
      status: 500,
      logs: [['error', expect.stringContaining('Maximum call stack size exceeded')]],
    });
  });

  test('answers with a gigabyte', async () => {
    const harm = `const part = new Uint8Array(65536); let parts = 16384;
      return new Response(new ReadableStream({ pull: (to) => parts-- > 0 ? to.enqueue(part) : to.close() }));`;
    expect(await survives(harm)).toMatchObject({ reason: 'output' });
  });

  test('answers with a small body that is large when it is decompressed', async () => {
    const harm = `return new Response(new Blob(['0'.repeat(4e6)]).stream().pipeThrough(new CompressionStream('gzip')),
      { headers: { 'content-encoding': 'gzip' }, encodeBody: 'manual' });`;
    // Not the whole result: printing its difference takes long.
    const { reason } = (await survives(harm)) as { reason?: string };
    expect(reason).toBe('output');
  });

  test('answers with large headers', async () => {
    const harm = 'return new Response("", { headers: { large: "x".repeat(100_000) } });';
    expect(await survives(harm)).toMatchObject({ reason: 'output' });
  });

  test('ends its answer in the middle', async () => {
    const harm = `let parts = 3;
      return new Response(new ReadableStream({ pull(to) { if (parts-- === 0) throw new Error('no'); to.enqueue(new Uint8Array(10)); } }));`;
    expect(await survives(harm)).toMatchObject({ reason: 'crashed' });
  });

  test('logs without end', async () => {
    const result = await survives('for (let at = 0; at < 1e5; at++) console.log("x".repeat(100));');
    expect(result).toMatchObject({ status: 200 });
    const { logs } = result as { logs: [string, string][] };
    expect(logs).toHaveLength(MAX_LOG_ENTRIES);
  });

  test('logs long messages', async () => {
    const { logs } = (await survives('for (let at = 0; at < 20; at++) console.log("x".repeat(1e6));')) as {
      logs: [string, string][];
    };
    const characters = logs.reduce((sum, [, message]) => sum + message.length, 0);
    expect(characters).toBe(MAX_LOG_CHARACTERS);
  });

  test('writes to the output of its process without end', async () => {
    const harm = 'for (;;) endLog("x".repeat(60_000));';
    const options = { top: 'import { endLog } from "./console.js";', deadlineMs: 500 };
    expect(await survives(harm, options)).toMatchObject({ reason: 'timeout' });
  });
});

describe('a script that does not start', () => {
  test.each([
    [
      'throws',
      'console.log("starting"); throw new Error("no start");',
      ['starting', 'Uncaught Error: no start'],
    ],
    ['has an invalid syntax', 'export default {', ['Uncaught SyntaxError: Unexpected end of input']],
    ['imports what does not exist', 'import "nothing";', ['No such module "nothing"']],
  ])('because it %s fails each call, with the cause in the log', async (_name, code, messages) => {
    for (const _call of [1, 2]) {
      await expect(callScript(sandbox, scriptOf(code))).rejects.toMatchObject({
        reason: 'crashed',
        logs: messages.map((message) => ({ message: expect.stringContaining(message) })),
      });
    }
  });

  test('because it does not return within the deadline fails the call', async () => {
    const starting = callScript(sandbox, scriptOf('for (;;);'), {}, { deadlineMs: 500 });
    await expect(starting).rejects.toMatchObject({ reason: 'timeout' });
  });

  test('has no handler: each call fails', async () => {
    const { status, logs } = await callScript(sandbox, scriptOf('export const other = 1;'));
    expect([status, logs]).toEqual([500, [['error', expect.stringContaining('exports no fetch handler')]]]);
  });
});

describe.runIf(process.platform === 'linux')('the processor time of a script', () => {
  test('is limited, also in the background', async () => {
    const limited = sandboxOf({ limits: { savedProcessorMs: 500, processorMsPerSecond: 0 } });
    try {
      const script = scriptOf(
        handling(`ctx.waitUntil((async () => {
          for (;;) { await new Promise((resolve) => setTimeout(resolve)); for (const end = Date.now() + 50; Date.now() < end;); }
        })());`),
      );
      const failures: unknown[] = [];
      for (let calls = 0; failures.length === 0 && calls < 20; calls++) {
        await callScript(limited, script).catch((error: unknown) => failures.push(error));
      }
      expect(failures).toMatchObject([{ reason: expect.stringMatching(/processor|busy/) }]);
      expect((await callScript(limited, harmless)).text).toBe('OK');
    } finally {
      await limited.close();
    }
  });
});
