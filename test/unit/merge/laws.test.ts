import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasConflictMarkers } from '../../../server/content/merge/merge.ts';
import { type PageRecord, slugOf, walk } from '../../../server/content/tree/records.ts';
import { runs } from '../../support/seed.ts';
import { Memory } from '../store/memory.ts';
import { edited, linesOf, script, space } from './arbitrary.ts';
import { type MergeResult, merge, type Space } from './space.ts';

/*
 * Properties of every merge. `merge` itself checks each time that the result is a well-formed tree: every page in
 * exactly one list, with a path to the root.
 */

const rootOf = async (space: Space) => (await space.store(new Memory())).root;
const times = (count: number) => ({ numRuns: runs(count) });

test('returns the other side if one is unchanged, and equal sides unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(space, script, async (ancestor, edits) => {
      const side = edited(ancestor, edits, 'x');
      const root = await rootOf(side);
      for (const [primary, branch] of [
        [side, ancestor],
        [ancestor, side],
        [side, side],
      ] as const) {
        const merged = await merge(ancestor, primary, branch);
        expect(merged.root).toBe(root);
        expect(merged.conflicts).toEqual([]);
      }
    }),
    times(75),
  );
});

test('returns the same content and conflicts for the same sides', async () => {
  await fc.assert(
    fc.asyncProperty(space, script, script, async (ancestor, ours, primaryItems) => {
      const [primary, branch] = [
        edited(ancestor, ours, 'p', true),
        edited(ancestor, primaryItems, 'b', true),
      ];
      const [first, second] = [
        await merge(ancestor, primary, branch),
        await merge(ancestor, primary, branch),
      ];
      expect([first.root, first.conflicts]).toEqual([second.root, second.conflicts]);
    }),
    times(50),
  );
});

test('is symmetric without conflicts, except for the order of insertions into one list', async () => {
  await fc.assert(
    fc.asyncProperty(space, script, script, async (ancestor, ours, primaryItems) => {
      const [primary, branch] = [edited(ancestor, ours, 'p'), edited(ancestor, primaryItems, 'b')];
      const [first, second] = [
        await merge(ancestor, primary, branch),
        await merge(ancestor, branch, primary),
      ];
      expect(first.conflicts.length === 0).toBe(second.conflicts.length === 0);
      if (first.conflicts.length > 0) {
        return;
      }
      if (haveArrivalsInOneList(ancestor, primary, branch)) {
        expect(await sortedTree(first)).toEqual(await sortedTree(second));
      } else {
        expect(first.root).toBe(second.root);
      }
    }),
    times(150),
  );
});

test('loses no page, and no words of it, that a side added or changed', async () => {
  await fc.assert(
    fc.asyncProperty(space, script, script, async (ancestor, ours, primaryItems) => {
      const [primary, branch] = [edited(ancestor, ours, 'p'), edited(ancestor, primaryItems, 'b')];
      const merged = await merge(ancestor, primary, branch);
      for (const side of [primary, branch]) {
        for (const id of side.pages.keys()) {
          await expectRetained(ancestor, side, id, merged);
        }
      }
    }),
    times(150),
  );
});

test('keeps a page, with its descendants, that one side moved and the other one deleted', async () => {
  await fc.assert(
    fc.asyncProperty(space, script, script, async (ancestor, ours, primaryItems) => {
      const [primary, branch] = [edited(ancestor, ours, 'p'), edited(ancestor, primaryItems, 'b')];
      const merged = await pagesOf(await merge(ancestor, primary, branch));
      for (const [side, other] of [
        [primary, branch],
        [branch, primary],
      ] as const) {
        for (const [id, { parent }] of side.pages) {
          const was = ancestor.pages.get(id);
          if (!was || was.parent === parent || other.pages.has(id)) {
            continue;
          }
          for (const page of deletedFrom(id, side, other)) {
            expect(merged.has(page), page).toBe(true);
          }
        }
      }
    }),
    times(100),
  );
});

test('keeps pages that neither side touched, and removes those that no side kept', async () => {
  await fc.assert(
    fc.asyncProperty(space, script, script, async (ancestor, ours, primaryItems) => {
      const [primary, branch] = [edited(ancestor, ours, 'p'), edited(ancestor, primaryItems, 'b')];
      const merged = await pagesOf(await merge(ancestor, primary, branch));
      for (const id of new Set([...ancestor.pages.keys(), ...merged.keys()])) {
        const [was, ...sides] = [ancestor, primary, branch].map(({ pages }) => pages.get(id));
        if (sides.every((side) => side === undefined)) {
          expect(merged.has(id)).toBe(false);
        }
        if (sides.every((side) => sameJson(side, was))) {
          expect(merged.get(id)).toEqual(was);
        }
      }
    }),
    times(50),
  );
});

test('has pages with the same path only if a side had them', async () => {
  await fc.assert(
    fc.asyncProperty(space, script, script, async (ancestor, ours, primaryItems) => {
      const [primary, branch] = [
        edited(ancestor, ours, 'p', true),
        edited(ancestor, primaryItems, 'b', true),
      ];
      const pages = [...(await pagesOf(await merge(ancestor, primary, branch))).values()];
      for (const [at, item] of pages.entries()) {
        for (const other of pages.slice(at + 1)) {
          if (!isDuplicate(item, other)) {
            continue;
          }
          const wereTwins = [primary, branch].some(({ pages }) => {
            const [was, otherWas] = [pages.get(item.id), pages.get(other.id)];
            return was && otherWas && isDuplicate(was, otherWas);
          });
          expect(wereTwins, `${item.id} and ${other.id} met`).toBe(true);
        }
      }
    }),
    times(150),
  );
});

test('puts exactly the conflicts in the text of a page between markers', async () => {
  await fc.assert(
    fc.asyncProperty(space, script, script, async (ancestor, ours, primaryItems) => {
      const [primary, branch] = [
        edited(ancestor, ours, 'p', true),
        edited(ancestor, primaryItems, 'b', true),
      ];
      const merged = await merge(ancestor, primary, branch);
      for (const [id, page] of await pagesOf(merged)) {
        if (page.type !== 'document') {
          continue;
        }
        expect(hasConflictMarkers(await merged.text(id)), id).toBe(merged.conflictsOf(id).length > 0);
      }
    }),
    times(100),
  );
});

/** Returns a page and its descendants on a side, as far as the other side deleted them. */
function deletedFrom(id: string, side: Space, other: Space): string[] {
  if (other.pages.has(id)) {
    return [];
  }
  return [id, ...(side.children.get(id) ?? []).flatMap((child) => deletedFrom(child, side, other))];
}

/** Expects that a page which a side added or changed exists, with each line and name of that side. */
async function expectRetained(ancestor: Space, side: Space, id: string, merged: MergeResult): Promise<void> {
  const [was, is] = [ancestor.pages.get(id), side.page(id)];
  if (sameJson(was, is)) {
    return;
  }
  const page = await merged.page(id);
  const text = await merged.text(id);
  const before = was ? linesOf(ancestor, id) : [];
  for (const line of linesOf(side, id)) {
    if (!before.includes(line)) {
      expect(text.split('\n')).toContain(line);
    }
  }
  if (is.type !== 'document' || page.type !== 'document') {
    return;
  }
  for (const name of ['title', 'slug', 'description', 'icon'] as const) {
    const value = is[name];
    if (value === undefined || (was?.type === 'document' && was[name] === value)) {
      continue;
    }
    const isShown = page[name] === value || text.split('\n').includes(`${name}: ${value}`);
    expect(isShown, `${name} of ${id} is ${value}`).toBe(true);
  }
}

/** Whether both sides added pages to, or moved pages below, the same page. */
function haveArrivalsInOneList(ancestor: Space, primary: Space, branch: Space): boolean {
  const arrivals = (side: Space) =>
    [...side.children].filter(([parent, ids]) => {
      const before = ancestor.children.get(parent) ?? [];
      const left = before.filter((id) => ids.includes(id));
      return !sameJson(left, ids);
    });
  const ours = new Set(arrivals(primary).map(([parent]) => parent));
  return arrivals(branch).some(([parent]) => ours.has(parent));
}

async function sortedTree(merged: MergeResult): Promise<PageRecord[]> {
  return [...(await pagesOf(merged)).values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

async function pagesOf({ content }: MergeResult): Promise<Map<string, PageRecord>> {
  return new Map([...walk(await content.readTree())].map(({ record }) => [record.id, record]));
}

const isDuplicate = (a: PageRecord, b: PageRecord) =>
  a.parent === b.parent && slugOf(a) !== undefined && slugOf(a) === slugOf(b);

const sameJson = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
