import { describe, expect, test } from 'vitest';
import { chapters, markers, merge, Space } from './space.ts';

describe('a deleted page', () => {
  test('is deleted with its descendants', async () => {
    const { outline, conflicts } = await merge(
      chapters,
      (space) => space.remove('b'),
      (space) => space.set('a', { title: 'Mine' }),
    );
    expect(outline).toBe('a c(c1)');
    expect(conflicts).toEqual([]);
  });

  test('can be deleted by both', async () => {
    const { outline, conflicts } = await merge(
      chapters,
      (space) => space.remove('b'),
      (space) => space.remove('b2').remove('b3').remove('c'),
    );
    expect(outline).toBe('a');
    expect(conflicts).toEqual([]);
  });

  test('remains with the changes of the branch, and reports that the main branch deleted it', async () => {
    const { outline, text, conflicts } = await merge(
      chapters,
      (space) => space.remove('a'),
      (space) => space.write('a', 'Changed.\n'),
    );
    expect(outline).toBe('a b(b1 b2 b3) c(c1)');
    expect(conflicts).toEqual([{ page: 'a', part: 'deleted' }]);
    expect(await text('a')).toBe(`${markers.branch}\nChanged.\n${markers.between}\n${markers.primary}\n`);
  });

  test('remains with the changes of the main branch, and reports that the branch deleted it', async () => {
    const { outline, text, page, conflicts } = await merge(
      chapters,
      (space) => space.set('a', { title: 'Theirs' }),
      (space) => space.remove('a'),
    );
    expect(outline).toBe('a b(b1 b2 b3) c(c1)');
    expect(conflicts).toEqual([{ page: 'a', part: 'deleted' }]);
    expect(await page('a')).toMatchObject({ title: 'Theirs' });
    expect(await text('a')).toBe(`${markers.branch}\n${markers.between}\nText of a.\n${markers.primary}\n`);
  });

  test('is deleted if only its bookkeeping changed', async () => {
    const { outline, conflicts } = await merge(
      chapters,
      (space) => space.remove('a'),
      (space) => space.set('a', { git: { oid: 'new', path: 'a.md' } }),
    );
    expect(outline).toBe('b(b1 b2 b3) c(c1)');
    expect(conflicts).toEqual([]);
  });

  test('remains, without its other children, as the parent of one that the other side changed', async () => {
    for (const swapped of [false, true]) {
      const [remove, edit] = [
        (space: Space) => space.remove('b'),
        (space: Space) => space.write('b2', 'Changed.\n'),
      ];
      const { outline, conflictsOf, conflicts } = await merge(
        chapters,
        swapped ? edit : remove,
        swapped ? remove : edit,
      );
      expect(outline).toBe('a b(b2) c(c1)');
      expect([conflictsOf('b'), conflictsOf('b2'), conflicts.length]).toEqual([['deleted'], ['deleted'], 2]);
    }
  });

  test('remains, with its ancestors, as the parent of a page that the other side added', async () => {
    const deep = chapters.copy().add('b11', { into: 'b1' });
    const { outline, conflicts, text } = await merge(
      deep,
      (space) => space.remove('b'),
      (space) => space.add('new', { into: 'b11' }),
    );
    expect(outline).toBe('a b(b1(b11(new))) c(c1)');
    expect(conflicts.map(({ page }) => page).sort()).toEqual(['b', 'b1', 'b11']);
    expect(await text('new')).toBe('Text of new.\n');
  });

  test('remains as the parent of a page that the other side moved into it', async () => {
    const { outline, conflicts } = await merge(
      chapters,
      (space) => space.remove('b'),
      (space) => space.move('c1', 'b', 0),
    );
    expect(outline).toBe('a b(c1) c');
    expect(conflicts).toEqual([{ page: 'b', part: 'deleted' }]);
  });

  test('does not delete a child that the other side moved out of it', async () => {
    const { outline, conflicts, text } = await merge(
      chapters,
      (space) => space.remove('b'),
      (space) => space.move('b2', 'c'),
    );
    expect(outline).toBe('a c(c1 b2)');
    expect(conflicts).toEqual([]);
    expect(await text('b2')).toBe('Text of b2.\n');
  });

  test('deletes the descendants of such a child', async () => {
    const deep = chapters.copy().add('b21', { into: 'b2' }).add('b211', { into: 'b21' });
    for (const swapped of [false, true]) {
      const [remove, move] = [
        (space: Space) => space.remove('b'),
        (space: Space) => space.move('b2', 'c').remove('b3'),
      ];
      const { outline, conflicts } = await merge(deep, swapped ? move : remove, swapped ? remove : move);
      expect(outline).toBe('a c(c1 b2(b21(b211)))');
      expect(conflicts).toEqual([]);
    }
  });

  test('is deleted with a page that moved, also below one that the same side changed', async () => {
    const deep = chapters.copy().add('b21', { into: 'b2' });
    for (const swapped of [false, true]) {
      const [remove, move] = [
        (space: Space) => space.remove('b'),
        (space: Space) => space.move('b', 'c').write('b2', 'Changed.\n'),
      ];
      const { outline } = await merge(deep, swapped ? move : remove, swapped ? remove : move);
      expect(outline).toBe('a c(c1 b(b1 b2(b21) b3))');
    }
  });

  test('is deleted below a page that the deleting side moved elsewhere', async () => {
    const deep = chapters.copy().add('b21', { into: 'b2' });
    for (const swapped of [false, true]) {
      const [remove, move] = [
        (space: Space) => space.remove('b21').move('b2', 'a').remove('b'),
        (space: Space) => space.move('b', 'c'),
      ];
      const { outline } = await merge(deep, swapped ? move : remove, swapped ? remove : move);
      expect(outline).toBe('a(b2) c(c1 b(b1 b3))');
    }
  });

  test('remains, with a conflict, if the other side moved it within the deleted pages', async () => {
    const { outline, conflictsOf } = await merge(
      chapters,
      (space) => space.remove('b'),
      (space) => space.move('b1', 'b2'),
    );
    expect(outline).toBe('a b(b2(b1)) c(c1)');
    expect(['b', 'b1', 'b2'].map(conflictsOf)).toEqual([['deleted'], ['deleted'], ['deleted']]);
  });

  test('remains where the other side moved it, with a conflict', async () => {
    const { outline, conflicts } = await merge(
      chapters,
      (space) => space.move('b2', 'c'),
      (space) => space.remove('b2'),
    );
    expect(outline).toBe('a b(b1 b3) c(c1 b2)');
    expect(conflicts).toEqual([{ page: 'b2', part: 'deleted' }]);
  });
});

describe('the order of pages', () => {
  const wide = new Space();
  for (const id of ['1', '2', '3', '4', '5', '6']) {
    wide.add(id);
  }

  test('has insertions of both sides at the same position one after the other, the main branch’s first', async () => {
    const { outline, conflicts } = await merge(
      chapters,
      (space) => space.add('p1', { into: 'b', at: 1 }).add('p2', { into: 'b', at: 2 }),
      (space) => space.add('x1', { into: 'b', at: 1 }).add('x2', { into: 'b' }),
    );
    expect(outline).toBe('a b(b1 p1 p2 x1 b2 b3 x2) c(c1)');
    expect(conflicts).toEqual([]);
  });

  test('includes the rearrangements of either side', async () => {
    const { outline, conflicts } = await merge(
      wide,
      (space) => space.move('1', null, 1),
      (space) => space.move('6', null, 4).remove('3'),
    );
    expect(outline).toBe('2 1 4 6 5');
    expect(conflicts).toEqual([]);
  });

  test('is the branch’s for a page that both moved within the list', async () => {
    const { outline, conflicts } = await merge(
      wide,
      (space) => space.move('1', null),
      (space) => space.move('1', null, 2),
    );
    expect(outline).toBe('2 3 1 4 5 6');
    expect(conflicts).toEqual([]);
  });

  test('keeps a new page after its predecessor, even if that one moved away', async () => {
    const { outline } = await merge(
      chapters,
      (space) => space.add('new', { into: 'b', at: 2 }),
      (space) => space.move('b2', 'c'),
    );
    expect(outline).toBe('a b(b1 new b3) c(c1 b2)');
  });
});

describe('moves', () => {
  test('to different parents keep that of the branch, and the text shows both', async () => {
    const { outline, text, conflicts } = await merge(
      chapters,
      (space) => space.move('b1', 'c'),
      (space) => space.move('b1', null),
    );
    expect(outline).toBe('a b(b2 b3) c(c1) b1');
    expect(conflicts).toEqual([{ page: 'b1', part: 'parent' }]);
    expect(await text('b1')).toContain(
      `${markers.branch}\nparent: none (top level)\n${markers.between}\nparent: /pages/c\n${markers.primary}\n`,
    );
  });

  test('to the same parent do not conflict', async () => {
    const { outline, conflicts } = await merge(
      chapters,
      (space) => space.move('b1', 'c'),
      (space) => space.move('b1', 'c', 0).write('b1', 'Changed.\n'),
    );
    expect(outline).toBe('a b(b2 b3) c(b1 c1)');
    expect(conflicts).toEqual([]);
  });

  test('that form a cycle only together undo that of the main branch', async () => {
    const { outline, conflicts } = await merge(
      chapters,
      (space) => space.move('b', 'c'),
      (space) => space.move('c', 'b'),
    );
    expect(outline).toBe('a b(b1 b2 b3 c(c1))');
    expect(conflicts).toEqual([{ page: 'b', part: 'parent' }]);
  });

  test('that are undone restore the parent, even if the main branch deleted it', async () => {
    const { outline, conflicts } = await merge(
      chapters,
      (space) => space.move('b1', 'c').remove('b'),
      (space) => space.move('c', 'b1'),
    );
    expect(outline).toBe('a b(b1(c(c1)))');
    expect(conflicts).toEqual([
      { page: 'b1', part: 'parent' },
      { page: 'b', part: 'deleted' },
    ]);
  });

  test('that form a cycle through unchanged and new pages undo that of the main branch', async () => {
    const { outline, conflictsOf } = await merge(
      chapters,
      (space) => space.add('new', { into: 'c1' }).move('b', 'new'),
      (space) => space.move('c', 'b2'),
    );
    expect(outline).toBe('a b(b1 b2(c(c1(new))) b3)');
    expect(conflictsOf('b')).toEqual(['parent']);
  });
});

describe('slugs', () => {
  test('that only the merge made equal get a number on the branch’s side', async () => {
    const { page, conflicts, outline } = await merge(
      chapters.copy().add('x', { slug: 'guide-2' }),
      (space) => space.add('p', { slug: 'guide' }),
      (space) => space.add('m', { slug: 'guide' }).set('a', { slug: 'guide-3' }),
    );
    expect(outline).toBe('a b(b1 b2 b3) c(c1) x p m');
    expect(await page('p')).toHaveProperty('slug', 'guide');
    expect(await page('m')).toHaveProperty('slug', 'guide-4');
    expect(conflicts).toEqual([]);
  });

  test('that were equal on a side remain equal', async () => {
    const { page } = await merge(
      chapters,
      (space) => space.add('p', { slug: 'elsewhere' }),
      (space) => space.add('m', { slug: 'guide' }).add('n', { slug: 'guide' }),
    );
    expect(await page('m')).toHaveProperty('slug', 'guide');
    expect(await page('n')).toHaveProperty('slug', 'guide');
  });

  test.each([
    ['b1', 'c1', 'the moved page'],
    ['c1', 'b2', 'an unchanged page'],
  ])(
    'that collide through a move of one side and a new slug of the other get a number: %s',
    async (id, slug) => {
      const { page } = await merge(
        chapters,
        (space) => space.move('c1', 'b'),
        (space) => space.set(id, { slug }),
      );
      // The slugs of the sample are IDs.
      expect(await page(slug)).toHaveProperty('slug', slug);
      expect(await page(id)).toHaveProperty('slug', `${slug}-2`);
    },
  );

  test('that differ only in their Unicode form get a number', async () => {
    const { page } = await merge(
      chapters,
      (space) => space.add('p', { slug: 'caf\u00e9' }),
      (space) => space.add('m', { slug: 'cafe\u0301' }),
    );
    expect(await page('p')).toHaveProperty('slug', 'caf\u00e9');
    expect(await page('m')).toHaveProperty('slug', 'cafe\u0301-2');
  });

  test('satisfy the limits of the contract', async () => {
    const slug = 'x'.repeat(100);
    const { page } = await merge(
      chapters,
      (space) => space.add('p', { slug }),
      (space) => space.add('m', { slug }),
    );
    expect(await page('m')).toHaveProperty('slug', `${'x'.repeat(98)}-2`);
  });
});

test('loads only the affected records for a change of one page among 10,000', async () => {
  const large = new Space();
  for (let chapter = 0; chapter < 100; chapter++) {
    large.add(`ch${chapter}`);
    for (let page = 0; page < 100; page++) {
      large.add(`ch${chapter}-p${page}`, { into: `ch${chapter}` });
    }
  }
  const { loaded, conflicts, text, page } = await merge(
    large,
    (space) => space.write('ch7-p42', 'Changed.\n').move('ch8-p1', 'ch9'),
    (space) => space.set('ch7-p42', { title: 'Changed' }).add('new', { into: 'ch50' }),
  );
  expect(conflicts).toEqual([]);
  expect(await text('ch7-p42')).toBe('Changed.\n');
  expect(await page('ch7-p42')).toHaveProperty('title', 'Changed');
  expect(loaded).toBeLessThan(150);
});
