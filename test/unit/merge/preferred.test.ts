import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasConflictMarkers } from '../../../server/content/merge/merge.ts';
import { walk } from '../../../server/content/tree/records.ts';
import { runs } from '../../support/seed.ts';
import { edited, linesOf, script, space } from './arbitrary.ts';
import { type MergeResult, merge, Space } from './space.ts';

const pagesOf = async ({ content }: MergeResult) =>
  new Map([...walk(await content.readTree())].map(({ record }) => [record.id, record]));

/** Returns the lines of each page. */
async function textsOf(merged: MergeResult): Promise<Map<string, string[]>> {
  const texts = new Map<string, string[]>();
  for (const [id, record] of await pagesOf(merged)) {
    texts.set(id, record.type === 'document' ? (await merged.text(id)).split('\n') : []);
  }
  return texts;
}

describe('a merge that prefers a side', () => {
  const ancestor = new Space().add('a', { text: 'One.\n\nTwo.\n\nThree.\n' }).add('b', { text: 'B.\n' });

  test('uses its lines and fields in conflicts, without markers, and all other changes', async () => {
    const primary = (copy: Space) => copy.write('a', 'One.\n\nZwei.\n\nThree.\n').set('a', { title: 'P' });
    const branch = (copy: Space) => copy.write('a', 'One.\n\nDeux.\n\nTrois.\n').set('a', { title: 'B' });
    const results = [
      await merge(ancestor, primary, branch, { prefer: 'primary' }),
      await merge(ancestor, primary, branch, { prefer: 'branch' }),
    ] as const;
    expect(await results[0].text('a')).toBe('One.\n\nZwei.\n\nTrois.\n');
    expect(await results[1].text('a')).toBe('One.\n\nDeux.\n\nTrois.\n');
    expect((await results[0].page('a')).title).toBe('P');
    expect((await results[1].page('a')).title).toBe('B');
    for (const { conflicts } of results) {
      expect(conflicts).toEqual([
        { page: 'a', part: 'text', line: 3 },
        { page: 'a', part: 'title' },
      ]);
    }
  });

  test('removes what it deleted, unless the other side added something below', async () => {
    const deletion = (copy: Space) => copy.remove('b');
    const change = (copy: Space) => copy.write('b', 'Changed.\n');
    const addition = (copy: Space) => copy.add('c', { into: 'b', text: 'C.\n' });
    const removed = await merge(ancestor, deletion, change, { prefer: 'primary' });
    expect(removed.outline).toBe('a');
    expect(removed.conflictsOf('b')).toEqual(['deleted']);
    const retained = await merge(ancestor, deletion, change, { prefer: 'branch' });
    expect(retained.outline).toBe('a b');
    expect(await retained.text('b')).toBe('Changed.\n');
    const below = await merge(ancestor, deletion, addition, { prefer: 'primary' });
    expect(below.outline).toBe('a b(c)');
    expect(below.conflictsOf('b')).toEqual(['deleted']);
  });

  test('has, together with the opposite merge, every page and every line that a side added', async () => {
    await fc.assert(
      fc.asyncProperty(space, script, script, async (before, ours, theirs) => {
        const [primary, branch] = [edited(before, ours, 'p'), edited(before, theirs, 'b')];
        const results = [
          await merge(before, primary, branch, { prefer: 'primary' }),
          await merge(before, primary, branch, { prefer: 'branch' }),
        ];
        const merged = await Promise.all(results.map(textsOf));
        for (const lines of merged.flatMap((texts) => [...texts.values()])) {
          expect(hasConflictMarkers(lines.join('\n'))).toBe(false);
        }
        for (const side of [primary, branch]) {
          for (const [id, page] of side.pages) {
            const known = new Set(before.pages.has(id) ? linesOf(before, id) : []);
            const added = linesOf(side, id).filter((line) => !known.has(line));
            const isChanged = !before.pages.has(id) || added.length > 0;
            if (!isChanged || page.type !== 'document') {
              continue;
            }
            expect(
              merged.some((texts) => texts.has(id)),
              id,
            ).toBe(true);
            for (const line of added) {
              expect(
                merged.some((texts) => texts.get(id)?.includes(line)),
                `${id}: ${line}`,
              ).toBe(true);
            }
          }
        }
        expect(results[0]?.conflicts.length === 0).toBe(results[1]?.conflicts.length === 0);
      }),
      { numRuns: runs(100) },
    );
  });
});
