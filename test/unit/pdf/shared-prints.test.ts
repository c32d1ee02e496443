import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createContentThreads } from '../../../server/content/threads/threads.ts';
import { type PrintOutput, SharedPrints } from '../../../server/platform/content/printing/shared-prints.ts';
import { MAX_THREADS } from '../../../server/threads/threads.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'prints-'));
});
afterAll(async () => await rm(folder, { recursive: true }));

/** A print that the test controls. */
function controlledPrint() {
  const started: PrintOutput[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const print = async (output: PrintOutput) => {
    started.push(output);
    output.signal.addEventListener('abort', () => reject(output.signal.reason));
    await promise;
  };
  const write = (text: string) => started.at(-1)?.write(Buffer.from(text));
  return { print, started, write, end: resolve, fail: reject };
}

const never = new AbortController().signal;
const textOf = (part: IteratorResult<Uint8Array, void>) =>
  part.done ? undefined : Buffer.from(part.value).toString();

describe('a print', () => {
  test('is shared by concurrent readers, and sent while it is printed', async () => {
    const prints = new SharedPrints(folder);
    const { print, started, write, end } = controlledPrint();
    const first = prints.read('a', print, never);
    const start = first.next();
    write('one');
    expect(textOf(await start)).toBe('one');
    const second = prints.read('a', print, never);
    expect(textOf(await second.next())).toBe('one');
    const rest = Promise.all([first.next(), second.next()]);
    write('two');
    expect((await rest).map(textOf)).toEqual(['two', 'two']);
    end();
    expect((await Promise.all([first.next(), second.next()])).map(({ done }) => done)).toEqual([true, true]);
    expect(started).toHaveLength(1);
  });

  test('has many readers without a warning', async () => {
    const warnings: Error[] = [];
    const warn = (warning: Error) => void warnings.push(warning);
    process.on('warning', warn);
    const prints = new SharedPrints(folder);
    const { print, write, end } = controlledPrint();
    const readers = Array.from({ length: 20 }, () => prints.read('a', print, never));
    const parts = readers.map((reader) => reader.next());
    await setImmediate();
    write('one');
    expect((await Promise.all(parts)).map(textOf)).toEqual(readers.map(() => 'one'));
    end();
    await Promise.all(readers.map((reader) => reader.next()));
    process.off('warning', warn);
    expect(warnings).toEqual([]);
  });

  test('is aborted when its last reader leaves, not before', async () => {
    const prints = new SharedPrints(folder);
    const { print, started, write } = controlledPrint();
    const [leaves, stays] = [new AbortController(), new AbortController()];
    const reading = [leaves, stays].map(({ signal }) => prints.read('a', print, signal));
    const parts = reading.map((reader) => reader.next());
    write('one');
    await Promise.all(parts);
    const waiting = reading.map((reader) => reader.next());
    leaves.abort();
    await expect(waiting[0]).rejects.toThrow('abort');
    expect(started[0]?.signal.aborted).toBe(false);
    stays.abort();
    await expect(waiting[1]).rejects.toThrow('abort');
    expect(started[0]?.signal.aborted).toBe(true);
    // The next reader starts another.
    const again = controlledPrint();
    const part = prints.read('a', again.print, never).next();
    again.write('new');
    expect(textOf(await part)).toBe('new');
  });

  test('is completed without readers once everything is printed', async () => {
    const prints = new SharedPrints(folder);
    const { print, started, write } = controlledPrint();
    const leaves = new AbortController();
    const reader = prints.read('a', print, leaves.signal);
    const part = reader.next();
    write('all');
    await part;
    const written = started[0]?.complete() ?? [];
    const waiting = reader.next();
    leaves.abort();
    await expect(waiting).rejects.toThrow('abort');
    expect(started[0]?.signal.aborted).toBe(false);
    expect(Buffer.concat(await Array.fromAsync(written)).toString()).toBe('all');
  });

  test('fails for all readers, and is started again by the next one', async () => {
    const prints = new SharedPrints(folder);
    const { print, fail } = controlledPrint();
    const parts = [1, 2].map(() => prints.read('a', print, never).next());
    fail(new Error('no paper'));
    for (const part of parts) {
      await expect(part).rejects.toThrow('no paper');
    }
    const again = controlledPrint();
    const part = prints.read('a', again.print, never).next();
    again.write('new');
    expect(textOf(await part)).toBe('new');
  });
});

test('an aborted print frees its thread for the next one of its organization', async () => {
  const threads = createContentThreads();
  try {
    const input = { title: 'T', createdAt: new Date(), entries: [{ id: 'p', title: 'P', depth: 0 }] };
    const blank = { object: 'document', data: { schemaVersion: 1 }, nodes: [] };
    const text = {
      document: new TextEncoder().encode(JSON.stringify(blank)),
      location: { kind: 'page', path: '' },
    };
    const hostWith = (readPage: () => Promise<unknown>) => {
      const done = async () => undefined;
      // The location of the empty text is not used.
      return { readPage, readReusable: done, resolve: async () => [], readFile: done, write: done } as never;
    };
    const run = (readPage: () => Promise<unknown>, signal: AbortSignal) =>
      threads.printing.run('print', input, { owner: 'o', bytes: 0, signal, host: hostWith(readPage) });
    // As many as an organization may have at once, and none of them ends.
    const leaves = new AbortController();
    const blocked = Array.from({ length: MAX_THREADS - 1 }, () => {
      const { promise: reached, resolve } = Promise.withResolvers<void>();
      const read = () => {
        resolve();
        return new Promise<never>(() => undefined);
      };
      return { reached, ended: run(read, leaves.signal) };
    });
    await Promise.all(blocked.map(({ reached }) => reached));
    const next = run(async () => text, never);
    leaves.abort(new Error('hung up'));
    for (const { ended } of blocked) {
      await expect(ended).rejects.toThrow('hung up');
    }
    await next;
  } finally {
    await threads.close();
  }
});
