import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { entries, get, size, type TrieRoot } from '../../../server/content/tree/trie.ts';
import { diff } from '../../../server/content/tree/trie-diff.ts';
import { update } from '../../../server/content/tree/trie-update.ts';
import type { Storable } from '../../../server/content/tree/values.ts';
import { codePoint } from '../../../spec/toolchain/model/schema/code-points.ts';
import { Memory as ObjectMemory } from './memory.ts';

/** Storage of versions of a trie. */
class Memory extends ObjectMemory {
  async update(root: TrieRoot, changes: ReadonlyMap<string, Storable>): Promise<TrieRoot> {
    const updated = await update(root, changes, this.load);
    for (const [hash, text] of updated.objects) {
      this.objects.set(hash, text);
    }
    return updated.root;
  }
}

const key = fc.oneof(
  fc.integer({ min: 0, max: 60 }).map((n) => `p:${n}`),
  fc.string({ unit: codePoint, maxLength: 6 }),
);
const value = fc.oneof(
  { weight: 6, arbitrary: fc.jsonValue({ maxDepth: 2 }).map((json) => json ?? 'null') },
  { weight: 1, arbitrary: fc.integer().map((n) => `${n}`.repeat(1500)) },
  { weight: 1, arbitrary: fc.integer({ max: 900, min: 0 }).map((n) => numbers(n)) },
);
const changes = fc.array(fc.tuple(key, fc.option(value, { nil: undefined })), { maxLength: 40 });
const history = fc.array(changes, { maxLength: 5 });

const numbers = (count: number) => Array.from({ length: count }, (_, n) => `item ${n}`);

function applied(model: Map<string, unknown>, edits: ReadonlyArray<readonly [string, unknown]>) {
  const result = new Map(model);
  for (const [name, value] of new Map(edits)) {
    if (value === undefined) {
      result.delete(name);
    }
    // Values are returned as JSON represents them.
    else {
      result.set(name, JSON.parse(JSON.stringify(value)));
    }
  }
  return result;
}

describe('a trie has the entries of a map', () => {
  test('after any history of edits', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const memory = new Memory();
        let root: TrieRoot = null;
        let model = new Map<string, unknown>();
        for (const step of steps) {
          root = await memory.update(root, new Map(step));
          model = applied(model, step);
        }
        expect(await entries(root, memory.load)).toEqual(model);
        expect(await size(root, memory.load)).toBe(model.size);
        const requested = ['p:1', 'p:2', 'nowhere', ...model.keys()];
        const expected = new Map(requested.filter((k) => model.has(k)).map((k) => [k, model.get(k)]));
        expect(await get(root, requested, memory.load)).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  });

  test('with the same root for any order of edits and fields', async () => {
    await fc.assert(
      fc.asyncProperty(history, fc.boolean(), async (steps, reversed) => {
        const memory = new Memory();
        let root: TrieRoot = null;
        let model = new Map<string, unknown>();
        for (const step of steps) {
          root = await memory.update(root, new Map(step));
          model = applied(model, step);
        }
        const left = [...model].map(([name, value]) => [name, reversedKeys(value)] as const);
        if (reversed) {
          left.reverse();
        }
        let again: TrieRoot = null;
        for (const [name, value] of left) {
          again = await memory.update(again, new Map([[name, value]]));
        }
        expect(again).toBe(root);
      }),
      { numRuns: 100 },
    );
  });

  test('and returns to its previous state when it shrinks', async () => {
    const names = fc.uniqueArray(fc.integer({ min: 0, max: 5000 }), { maxLength: 120 });
    await fc.assert(
      fc.asyncProperty(names, names, async (retained, removed) => {
        const memory = new Memory();
        const entriesFor = (numbers: number[]) => new Map(numbers.map((n) => [`p:${n}`, n]));
        const small = await memory.update(null, entriesFor(retained));
        const large = await memory.update(small, entriesFor(removed));
        const deletedKeys = removed.filter((n) => !retained.includes(n)).map((n) => `p:${n}`);
        // In two steps, so that the second one finds nodes of the first.
        const half = deletedKeys.splice(0, deletedKeys.length / 2);
        const between = await memory.update(large, new Map(half.map((name) => [name, undefined])));
        const after = await memory.update(between, new Map(deletedKeys.map((name) => [name, undefined])));
        expect(after).toBe(small);
      }),
      { numRuns: 100 },
    );
  });

  test('and two versions differ by exactly their changed entries', async () => {
    await fc.assert(
      fc.asyncProperty(changes, changes, async (first, second) => {
        const memory = new Memory();
        const a = await memory.update(null, new Map(first));
        const b = await memory.update(a, new Map(second));
        const [was, is] = [await entries(a, memory.load), await entries(b, memory.load)];
        const expected = new Map<string, object>();
        for (const name of new Set([...was.keys(), ...is.keys()])) {
          if (JSON.stringify(was.get(name)) === JSON.stringify(is.get(name))) {
            continue;
          }
          expected.set(name, {
            ...(was.has(name) ? { before: was.get(name) } : {}),
            ...(is.has(name) ? { after: is.get(name) } : {}),
          });
        }
        expect(await diff(a, b, memory.load)).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });
});

describe('the cost of one change among 10,000 entries', () => {
  const many = new Map(Array.from({ length: 10_000 }, (_, n) => [`p:${n}`, { title: `Page ${n}` }]));

  test('is one leaf and its ancestors, to write, to read and to compare', async () => {
    const memory = new Memory();
    const root = await memory.update(null, many);
    memory.loaded = 0;
    const updated = await update(root, new Map([['p:77', { title: 'changed' }]]), memory.load);
    expect(memory.loaded).toBeLessThanOrEqual(5);
    expect(updated.objects.size).toBeLessThanOrEqual(5);
    for (const [hash, text] of updated.objects) {
      memory.objects.set(hash, text);
    }

    memory.loaded = 0;
    expect(await diff(root, updated.root, memory.load)).toEqual(
      new Map([['p:77', { before: { title: 'Page 77' }, after: { title: 'changed' } }]]),
    );
    expect(memory.loaded).toBeLessThanOrEqual(10);

    memory.loaded = 0;
    expect((await get(root, ['p:77'], memory.load)).get('p:77')).toEqual({ title: 'Page 77' });
    expect(memory.loaded).toBeLessThanOrEqual(5);
  });

  test('is small even if the entry is a list with 10,000 items', async () => {
    const memory = new Memory();
    const root = await memory.update(null, new Map([['c:', numbers(10_000)]]));
    const inserted = numbers(10_000).toSpliced(5000, 0, 'new');
    const { objects } = await update(root, new Map([['c:', inserted]]), memory.load);
    const fresh = [...objects].filter(([hash]) => !memory.objects.has(hash));
    expect(fresh.reduce((sum, [, text]) => sum + text.length, 0)).toBeLessThan(15_000);
  });

  test('is one round per level for all entries', async () => {
    const memory = new Memory();
    const root = await memory.update(null, many);
    memory.rounds = 0;
    expect((await entries(root, memory.load)).size).toBe(10_000);
    expect(memory.rounds).toBeLessThanOrEqual(6);
  });

  test('is no write for an existing value', async () => {
    const memory = new Memory();
    const root = await memory.update(null, many);
    const updated = await update(root, new Map([['p:77', { title: 'Page 77' }]]), memory.load);
    expect(updated).toEqual({ root, objects: new Map() });
  });
});

/** Returns the same value with its fields in another order. */
function reversedKeys(value: unknown): Storable {
  if (Array.isArray(value)) {
    return value.map(reversedKeys);
  }
  if (value === null || typeof value !== 'object') {
    return value as Storable;
  }
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, field]) => [name, reversedKeys(field)]),
  );
}
