import { describe, expect, test } from 'vitest';
import { hasConflictMarkers } from '../../../server/content/merge/merge.ts';
import { chapters, merge, type Space } from './space.ts';

describe('files', () => {
  const filed = chapters.copy().addFile('f').addFile('g').addFile('h');
  const files = async (content: {
    listFiles(): Promise<Array<{ id: string; name: string; blob: string }>>;
  }) => (await content.listFiles()).map(({ id, name, blob }) => `${id} ${name} ${blob}`);

  test('are added and removed by either side, renamed by one and replaced by the other', async () => {
    const { content, conflicts } = await merge(
      filed,
      (space) => space.addFile('p').addFile('f', { name: 'new.png' }).files.delete('g'),
      (space) =>
        space
          .addFile('m')
          .addFile('f', { blob: 'new', git: { oid: 'x', path: 'f' } })
          .files.delete('h'),
    );
    expect(await files(content)).toEqual(['f new.png new', 'm m.png blob of m', 'p p.png blob of p']);
    expect(conflicts).toEqual([]);
  });

  test('that both sides changed are the branch’s, with a conflict', async () => {
    const { content, conflicts } = await merge(
      filed,
      (space) => space.addFile('f', { blob: 'p', name: 'same' }),
      (space) => space.addFile('f', { blob: 'b', name: 'same' }),
    );
    expect((await content.readFile('f'))?.blob).toBe('b');
    expect(conflicts).toEqual([{ file: 'f', part: 'content' }]);
  });

  test('that one side removed are gone if only their Git metadata changed', async () => {
    const { content, conflicts } = await merge(
      filed,
      (space) => space.files.delete('f'),
      (space) => space.addFile('f', { git: { oid: 'new', path: 'f.png' } }),
    );
    expect(await content.readFile('f')).toBeUndefined();
    expect(conflicts).toEqual([]);
  });

  test('that one side changed and the other one removed remain, with a conflict', async () => {
    for (const swapped of [false, true]) {
      const [remove, edit] = [
        (space: Space) => space.files.delete('f'),
        (space: Space) => space.addFile('f', { blob: 'new' }),
      ];
      const { content, conflicts } = await merge(filed, swapped ? edit : remove, swapped ? remove : edit);
      expect((await content.readFile('f'))?.blob).toBe('new');
      expect(conflicts).toEqual([{ file: 'f', part: 'deleted' }]);
    }
  });
});

describe('reusable contents', () => {
  const piece = (id: string, text = `Text of ${id}.\n`, title = id) => ({ id, title, text });
  const shared = chapters.copy();
  shared.reusable = [piece('r', 'One.\n\nTwo.\n\nThree.\n'), piece('s'), piece('t')];
  const change = (edit: (all: Space['reusable']) => Space['reusable']) => (space: Space) => {
    space.reusable = edit(space.reusable);
  };

  test('are added, removed, and their texts merged by line', async () => {
    const { content, conflicts } = await merge(
      shared,
      change(([, s, t]) => [piece('r', 'First.\n\nTwo.\n\nThree.\n'), ...(s && t ? [s, t] : []), piece('p')]),
      change(([, s]) => [piece('r', 'One.\n\nTwo.\n\nThird.\n', 'R'), ...(s ? [s] : []), piece('m')]),
    );
    const all = await content.readReusableContents();
    expect(all.map(({ id, title }) => `${id} ${title}`)).toEqual(['r R', 's s', 'm m', 'p p']);
    expect((await content.readBodies(all)).get('r')).toBe('First.\n\nTwo.\n\nThird.\n');
    expect(conflicts).toEqual([]);
  });

  test('that one side changed and the other one removed remain, and show the conflict', async () => {
    const { content, conflicts } = await merge(
      shared,
      change((all) => all.filter(({ id }) => id !== 's')),
      change((all) => all.map((each) => (each.id === 's' ? piece('s', 'Changed.\n') : each))),
    );
    const all = await content.readReusableContents();
    expect(all.map(({ id }) => id)).toEqual(['r', 's', 't']);
    expect(hasConflictMarkers((await content.readBodies(all)).get('s') ?? '')).toBe(true);
    expect(conflicts).toEqual([{ reusableContent: 's', part: 'deleted' }]);
  });

  test('with conflicting titles show both', async () => {
    const { content, conflicts } = await merge(
      shared,
      change(([, ...rest]) => [piece('r', 'One.\n\nTwo.\n\nThree.\n', 'P'), ...rest]),
      change(([, ...rest]) => [piece('r', 'One.\n\nTwo.\n\nThree.\n', 'B'), ...rest]),
    );
    const all = await content.readReusableContents();
    expect((await content.readBodies(all)).get('r')).toMatch(/title: B\n=+\ntitle: P\n.*\n\nOne\./);
    expect(conflicts).toEqual([{ reusableContent: 'r', part: 'title' }]);
  });
});

describe('variables of the content', () => {
  test('are merged by name', async () => {
    const { content, conflicts } = await merge(
      Object.assign(chapters.copy(), { variables: { a: '1', b: '1', c: '1', d: '1' } }),
      (space) => Object.assign(space, { variables: { a: 'p', b: '1', c: '1', d: 'p', p: '1' } }),
      (space) => Object.assign(space, { variables: { a: 'b', c: 'b', m: '1' } }),
    );
    expect(await content.readVariables()).toEqual({ a: 'b', c: 'b', d: 'p', m: '1', p: '1' });
    expect(conflicts).toEqual([
      { variable: 'a', part: 'value' },
      { variable: 'd', part: 'deleted' },
    ]);
  });
});

describe('the source of computed content', () => {
  const source = (spec: string) =>
    ({
      type: 'builtin:openapi',
      props: {},
      dependencies: { spec: { ref: { kind: 'openapi', spec } } },
    }) as const;

  test('is the branch’s if both changed it, and can be removed', async () => {
    const computed = Object.assign(chapters.copy(), { computed: source('old') });
    const both = await merge(
      computed,
      (space) => Object.assign(space, { computed: source('p') }),
      (space) => Object.assign(space, { computed: source('b') }),
    );
    expect(await both.content.readComputed()).toEqual(source('b'));
    expect(both.conflicts).toEqual([{ part: 'computed' }]);
    const removed = await merge(computed, computed, (space) => Object.assign(space, { computed: undefined }));
    expect(await removed.content.readComputed()).toBeUndefined();
  });
});
