import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exportContent } from '../../../server/content/transfer/export.ts';
import { Content, contentAt } from '../../../server/content/tree/content.ts';
import { textObject } from '../../../server/content/tree/objects.ts';
import { TextsOnDisk } from '../../../server/threads/scratch-file.ts';
import type { ThreadData } from '../../support/processes/export-thread.ts';
import { Space } from '../merge/space.ts';
import { Memory } from '../store/memory.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colophon-texts-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('texts on disk', () => {
  test('have their last value, and leave no file behind', async () => {
    using texts = new TextsOnDisk(folder);
    texts.set('a.md', 'first');
    texts.set('b.md', 'ünï 🙂');
    texts.set('a.md', 'second, longer');
    texts.set('empty.md', '');
    texts.set('gone.md', 'gone');
    expect(texts.delete('gone.md')).toBe(true);
    expect([...texts]).toEqual([
      ['a.md', 'second, longer'],
      ['b.md', 'ünï 🙂'],
      ['empty.md', ''],
    ]);
    expect([texts.size, texts.get('gone.md')]).toEqual([3, undefined]);
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('an export', () => {
  test('reads texts a few at a time, each on demand', async () => {
    const space = new Space();
    for (let at = 0; at < 200; at += 1) {
      space.add(`p${at}`);
    }
    const memory = new Memory();
    const { root } = await space.store(memory);
    const texts = new Set([...space.texts].map((text) => textObject(text).hash));
    const together: number[] = [];
    const { roots } = await contentAt(root, memory.load);
    const content = new Content(roots, (hashes) => {
      together.push(hashes.filter((hash) => texts.has(hash)).length);
      return memory.load(hashes);
    });
    const bodies = new Map<string, string>();
    const { pages } = await exportContent(content, bodies);
    expect(bodies.size).toBe(200);
    expect(together.reduce((sum, count) => sum + count)).toBe(200);
    expect(Math.max(...together)).toBeLessThanOrEqual(16);
    bodies.set('p7', 'As it is now.');
    expect(pages[7]).toMatchObject({ id: 'p7', markdown: 'As it is now.' });
  });

  test('writes more text than fits into its heap', async () => {
    const workerData: ThreadData = { folder, pages: 1000, bytes: 100_000 };
    const thread = new Worker(new URL('../../support/processes/export-thread.ts', import.meta.url), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: 64 },
    });
    const [done] = await once(thread, 'message');
    expect(done.texts).toBeGreaterThan(1000);
    expect(done.steps).toBeGreaterThan(3 * 1000);
    await thread.terminate();
  });
});
