import { describe, expect, test } from 'vitest';
import { chapters, markers, merge, Space } from './space.ts';

describe('a deleted page', () => {
  test('takes with it what is below', async () => {
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

  test('stays with the changes of the branch, and reports that the primary deleted it', async () => {
    const { outline, text, conflicts } = await merge(
      chapters,
      (space) => space.remove('a'),
      (space) => space.write('a', 'Changed.\n'),
    );
    expect(outline).toBe('a b(b1 b2 b3) c(c1)');
    expect(conflicts).toEqual([{ page: 'a', part: 'deleted' }]);
    expect(await text('a')).toBe(`${markers.branch}\nChanged.\n${markers.between}\n${markers.primary}\n`);
  });

  test('stays with the changes of the primary, and reports that the branch deleted it', async () => {
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

  test('is gone when only its bookkeeping changed', async () => {
    const { outline, conflicts } = await merge(
      chapters,
      (space) => space.remove('a'),
      (space) => space.set('a', { git: { oid: 'new', path: 'a.md' } }),
    );
    expect(outline).toBe('b(b1 b2 b3) c(c1)');
    expect(conflicts).toEqual([]);
  });

  test('stays, without its other children, above one that the other side changed', async () => {
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

  test('stays above a page that the other side added, as far up as needed', async () => {
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

  test('stays above a page that the other side moved into it', async () => {
    const { outline, conflicts } = await merge(
      chapters,
      (space) => space.remove('b'),
      (space) => space.move('c1', 'b', 0),
    );
    expect(outline).toBe('a b(c1) c');
    expect(conflicts).toEqual([{ page: 'b', part: 'deleted' }]);
  });

  test('lets a child live that the other side moved out of it', async () => {
    const { outline, conflicts, text } = await merge(
      chapters,
      (space) => space.remove('b'),
      (space) => space.move('b2', 'c'),
    );
    expect(outline).toBe('a c(c1 b2)');
    expect(conflicts).toEqual([]);
    expect(await text('b2')).toBe('Text of b2.\n');
  });

  test('lets what is below such a child go with it', async () => {
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

  test('goes with a page that moved, also below one that the same side changed', async () => {
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

  test('is gone below a page that the side which deleted it moved elsewhere', async () => {
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

  test('stays, in conflict, where the other side moved it within what was deleted', async () => {
    const { outline, conflictsOf } = await merge(
      chapters,
      (space) => space.remove('b'),
      (space) => space.move('b1', 'b2'),
    );
    expect(outline).toBe('a b(b2(b1)) c(c1)');
    expect(['b', 'b1', 'b2'].map(conflictsOf)).toEqual([['deleted'], ['deleted'], ['deleted']]);
  });

  test('that the other side moved stays there, in conflict', async () => {
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

  test('has what both sides put at the same place one after the other, the primary’s first', async () => {
    const { outline, conflicts } = await merge(
      chapters,
      (space) => space.add('p1', { into: 'b', at: 1 }).add('p2', { into: 'b', at: 2 }),
      (space) => space.add('x1', { into: 'b', at: 1 }).add('x2', { into: 'b' }),
    );
    expect(outline).toBe('a b(b1 p1 p2 x1 b2 b3 x2) c(c1)');
    expect(conflicts).toEqual([]);
  });

  test('takes over what either side rearranged', async () => {
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

  test('keeps a new page behind the one that it was put behind, though that one moved away', async () => {
    const { outline } = await merge(
      chapters,
      (space) => space.add('new', { into: 'b', at: 2 }),
      (space) => space.move('b2', 'c'),
    );
    expect(outline).toBe('a b(b1 new b3) c(c1 b2)');
  });
});

describe('moves', () => {
  test('to different places leave the page where the branch put it, and the text shows both', async () => {
    const { outline, text, conflicts } = await merge(
      chapters,
      (space) => space.move('b1', 'c'),
      (space) => space.move('b1', null),
    );
    expect(outline).toBe('a b(b2 b3) c(c1) b1');
    expect(conflicts).toEqual([{ page: 'b1', part: 'place' }]);
    expect(await text('b1')).toContain(
      `${markers.branch}\nplace: at the top\n${markers.between}\nplace: below /pages/c\n${markers.primary}\n`,
    );
  });

  test('to the same place are in no conflict', async () => {
    const { outline, conflicts } = await merge(
      chapters,
      (space) => space.move('b1', 'c'),
      (space) => space.move('b1', 'c', 0).write('b1', 'Changed.\n'),
    );
    expect(outline).toBe('a b(b2 b3) c(b1 c1)');
    expect(conflicts).toEqual([]);
  });

  test('that make a circle only together leave the primary’s undone', async () => {
    const { outline, conflicts } = await merge(
      chapters,
      (space) => space.move('b', 'c'),
      (space) => space.move('c', 'b'),
    );
    expect(outline).toBe('a b(b1 b2 b3 c(c1))');
    expect(conflicts).toEqual([{ page: 'b', part: 'place' }]);
  });

  test('that are undone bring back the page above, though the primary deleted it', async () => {
    const { outline, conflicts } = await merge(
      chapters,
      (space) => space.move('b1', 'c').remove('b'),
      (space) => space.move('c', 'b1'),
    );
    expect(outline).toBe('a b(b1(c(c1)))');
    expect(conflicts).toEqual([
      { page: 'b1', part: 'place' },
      { page: 'b', part: 'deleted' },
    ]);
  });

  test('that make a circle through untouched and new pages leave the primary’s undone', async () => {
    const { outline, conflictsOf } = await merge(
      chapters,
      (space) => space.add('new', { into: 'c1' }).move('b', 'new'),
      (space) => space.move('c', 'b2'),
    );
    expect(outline).toBe('a b(b1 b2(c(c1(new))) b3)');
    expect(conflictsOf('b')).toEqual(['place']);
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

  test('that were equal on a side stay so', async () => {
    const { page } = await merge(
      chapters,
      (space) => space.add('p', { slug: 'elsewhere' }),
      (space) => space.add('m', { slug: 'guide' }).add('n', { slug: 'guide' }),
    );
    expect(await page('m')).toHaveProperty('slug', 'guide');
    expect(await page('n')).toHaveProperty('slug', 'guide');
  });

  test('that meet by a move of one side and another slug of the other side get a number', async () => {
    const { page } = await merge(
      chapters,
      (space) => space.move('c1', 'b'),
      (space) => space.set('b1', { slug: 'c1' }),
    );
    expect(await page('c1')).toHaveProperty('slug', 'c1');
    expect(await page('b1')).toHaveProperty('slug', 'c1-2');
  });

  test('stay within what the contract takes', async () => {
    const slug = 'x'.repeat(100);
    const { page } = await merge(
      chapters,
      (space) => space.add('p', { slug }),
      (space) => space.add('m', { slug }),
    );
    expect(await page('m')).toHaveProperty('slug', `${'x'.repeat(98)}-2`);
  });
});

test('a change of one page among 10,000 loads what leads to it', async () => {
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
