import { describe, expect, test } from 'vitest';
import { hasConflictMarkers } from '../../../server/content/merge/merge.ts';
import { chapters, markers, merge, Space } from './space.ts';

describe('fields of a page', () => {
  test('are merged one by one', async () => {
    const { page, conflicts } = await merge(
      chapters,
      (space) => space.set('a', { title: 'New title', hidden: true }),
      (space) => space.set('a', { description: 'New.', emoji: '1f600' }),
    );
    expect(await page('a')).toMatchObject({
      title: 'New title',
      hidden: true,
      description: 'New.',
      emoji: '1f600',
    });
    expect(conflicts).toEqual([]);
  });

  test('that were set to the same value do not conflict', async () => {
    const edit = (space: Space) => space.set('a', { title: 'Same', slug: 'same' });
    const { conflicts, page } = await merge(chapters, edit, (space) =>
      edit(space).set('a', { icon: 'bolt' }),
    );
    expect(conflicts).toEqual([]);
    expect(await page('a')).toMatchObject({ title: 'Same', icon: 'bolt' });
  });

  test('that were set to different values have the branch’s, and the text shows both', async () => {
    const { page, text, conflictsOf } = await merge(
      chapters,
      (space) => space.set('a', { title: 'Theirs', slug: 'theirs', description: 'Two\nlines' }),
      (space) => space.set('a', { title: 'Mine', slug: 'mine', description: undefined, icon: 'bolt' }),
    );
    expect(await page('a')).toMatchObject({ title: 'Mine', slug: 'mine', icon: 'bolt' });
    expect(conflictsOf('a')).toEqual(['slug', 'title'].sort());
    expect(await page('a')).toHaveProperty('description', 'Two\nlines');
    expect(await text('a')).toBe(
      [
        ...[markers.branch, 'slug: mine', 'title: Mine', markers.between, 'slug: theirs', 'title: Theirs'],
        ...[markers.primary, '', 'Text of a.', ''],
      ].join('\n'),
    );
  });

  test('that one side removed and the other one changed are removed, and the text shows the value', async () => {
    const described = chapters.copy().set('a', { description: 'Old.' });
    const { page, text, conflictsOf } = await merge(
      described,
      (space) => space.set('a', { description: 'Two\nlines' }),
      (space) => space.set('a', { description: undefined }),
    );
    expect(await page('a')).not.toHaveProperty('description');
    expect(conflictsOf('a')).toEqual(['description']);
    expect(await text('a')).toContain(
      `${markers.branch}\n${markers.between}\ndescription: "Two\\nlines"\n${markers.primary}\n`,
    );
  });

  test('layout is merged by its parts, variables by their names', async () => {
    const { page, conflictsOf } = await merge(
      chapters.copy().set('a', { layout: { outline: false }, variables: { gone: '1', kept: '1' } }),
      (space) =>
        space.set('a', { layout: { width: 'wide' }, variables: { kept: '1', both: 'p', __proto__x: '1' } }),
      (space) =>
        space.set('a', {
          layout: { outline: false, title: false },
          variables: { gone: '1', kept: '2', both: 'b' },
        }),
    );
    expect(await page('a')).toMatchObject({
      layout: { width: 'wide', title: false },
      variables: { kept: '2', both: 'b', __proto__x: '1' },
    });
    expect(conflictsOf('a')).toEqual(['variables.both']);
  });

  test('of bookkeeping do not conflict: the later time, and the main branch’s Git metadata if it changed', async () => {
    const [early, late] = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'];
    const git = (oid: string) => ({ oid, path: 'a.md' });
    const { page, conflicts } = await merge(
      chapters
        .copy()
        .set('a', { git: git('old') })
        .set('b', { git: git('old') }),
      (space) =>
        space
          .set('a', { updatedAt: late, git: git('primary'), documentId: 'doc_primary', hidden: true })
          .set('b', { updatedAt: early, hidden: true }),
      (space) =>
        space
          .set('a', { updatedAt: early, git: git('branch'), documentId: 'doc_branch', icon: 'bolt' })
          .set('b', { updatedAt: late, git: git('branch'), icon: 'bolt' }),
    );
    expect(conflicts).toEqual([]);
    const merged = { hidden: true, icon: 'bolt', updatedAt: late };
    expect(await page('a')).toMatchObject({ ...merged, git: git('primary'), documentId: 'doc_primary' });
    expect(await page('b')).toMatchObject({ ...merged, git: git('branch') });
  });

  test('are those of one side, including times, if the other one left the page unchanged', async () => {
    const { page } = await merge(
      chapters.copy().set('a', { updatedAt: '2026-02-01T00:00:00.000Z' }),
      chapters.copy().set('a', { updatedAt: '2026-02-01T00:00:00.000Z' }),
      (space) => space.set('a', { updatedAt: '2026-01-01T00:00:00.000Z' }),
    );
    expect(await page('a')).toHaveProperty('updatedAt', '2026-01-01T00:00:00.000Z');
  });

  test('of groups and links conflict without a text that shows it', async () => {
    const { page, conflicts } = await merge(
      new Space().addGroup('g'),
      (space) => space.set('g', { title: 'Theirs' }),
      (space) => space.set('g', { title: 'Mine' }),
    );
    expect(conflicts).toEqual([{ page: 'g', part: 'title' }]);
    expect(await page('g')).toMatchObject({ type: 'group', title: 'Mine' });
  });

  test('of a page that changed to different types keep the one with a text', async () => {
    const group = new Space().addGroup('g');
    const { page, conflicts } = await merge(
      group,
      () => new Space(),
      (space) => space.set('g', { title: 'Mine' }),
    );
    expect(conflicts).toEqual([]);
    expect(await page('g')).toMatchObject({ title: 'Mine' });
    const turned = await merge(group, new Space().add('g', { text: 'Now a text.\n' }), (space) =>
      space.set('g', { title: 'Mine' }),
    );
    expect(turned.conflictsOf('g')).toContain('type');
    expect(await turned.text('g')).toContain('Now a text.');
  });
});

describe('texts of pages', () => {
  const long = chapters.copy().write('a', 'One.\n\nTwo.\n\nThree.\n');

  test('are merged by line', async () => {
    const { text, conflicts } = await merge(
      long,
      (space) => space.write('a', 'First.\n\nTwo.\n\nThree.\n'),
      (space) => space.write('a', 'One.\n\nTwo.\n\nThird.\n').set('a', { title: 'Mine' }),
    );
    expect(await text('a')).toBe('First.\n\nTwo.\n\nThird.\n');
    expect(conflicts).toEqual([]);
  });

  test('contain both sides of a conflict', async () => {
    const { text, conflicts } = await merge(
      long,
      (space) => space.write('a', 'One.\n\nZwei.\n\nThree.\n'),
      (space) => space.write('a', 'One.\n\nDeux.\n\nThree.\n'),
    );
    expect(await text('a')).toBe(
      `One.\n\n${markers.branch}\nDeux.\n${markers.between}\nZwei.\n${markers.primary}\n\nThree.\n`,
    );
    expect(conflicts).toEqual([{ page: 'a', part: 'text', line: 3 }]);
  });

  test('of two pages with the same new id are merged without an ancestor', async () => {
    const { text, conflictsOf } = await merge(
      chapters,
      (space) => space.add('new', { text: 'Same.\nP\n' }),
      (space) => space.add('new', { text: 'Same.\nB\n' }),
    );
    expect(conflictsOf('new')).toEqual(['text']);
    expect(await text('new')).toBe(
      `Same.\n${markers.branch}\nB\n${markers.between}\nP\n${markers.primary}\n`,
    );
  });

  test('that became computed on one side and changed on the other remain, and show their source', async () => {
    const source = { type: 'builtin:openapi', props: { models: true, doc: 'd' }, dependencies: {} };
    const { page, text, conflictsOf } = await merge(
      chapters,
      (space) => space.write('a', 'Changed.\n'),
      (space) =>
        // The form of a source does not matter here.
        space.set('a', { body: undefined, computed: source as never, computedSeed: 's' }),
    );
    expect(conflictsOf('a')).toEqual(['text']);
    expect(await page('a')).not.toHaveProperty('computed');
    expect(await text('a')).toContain('Changed.');
    expect(hasConflictMarkers(await text('a'))).toBe(true);
  });
});
