import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  compareContents,
  type SemanticChange,
  type SemanticChanges,
} from '../../../server/content/merge/semantic-changes.ts';
import { runs } from '../../support/seed.ts';
import { Memory } from '../store/memory.ts';
import { edited, script, space } from './arbitrary.ts';
import { Space } from './space.ts';

async function compare(before: Space, after: Space, limit = 1000): Promise<SemanticChanges> {
  const memory = new Memory();
  const [old, current] = [await before.store(memory), await after.store(memory)];
  return await compareContents(old.content, current.content, limit);
}

/** Compares a space with a copy of it that was edited. */
async function changesOf(before: Space, edit: (copy: Space) => unknown): Promise<SemanticChange[]> {
  const after = before.copy();
  edit(after);
  return (await compare(before, after)).changes;
}

/** Describes a change in a line: its type, what it is about, and the attributes or the parents. */
function describeChange(change: SemanticChange): string {
  switch (change.type) {
    case 'page_edited':
      return `${change.type} ${change.page.path}: ${Object.keys(change.attributes)}`;
    case 'page_moved':
      return `${change.type} ${change.page.path}: ${change.parent.before?.path ?? '/'} → ${change.parent.after?.path ?? '/'}`;
    case 'page_created':
    case 'page_deleted':
      return `${change.type} ${change.page.path}`;
    case 'variables_edited':
      return `${change.type} ${[...change.variables.keys()]}`;
    default:
      return `${change.type} ${'file' in change ? change.file.name : change.reusable.title}`;
  }
}

const guide = () =>
  new Space().add('start').add('api').addGroup('more').add('deep', { into: 'more' }).add('end');

test.each<[string, (copy: Space) => unknown, string[]]>([
  ['nothing', () => undefined, []],
  ['a new text', (copy) => copy.write('api', 'Other.\n'), ['page_edited api: document']],
  [
    'several attributes',
    (copy) =>
      copy.set('api', {
        title: 'The API',
        slug: 'reference',
        emoji: '📦',
        icon: 'book',
        description: 'All.',
      }),
    ['page_edited reference: title,description,slug,emoji,icon'],
  ],
  [
    'visibility, layout, cover and variables',
    (copy) =>
      copy.set('api', {
        hidden: true,
        noIndex: true,
        noRobotsIndex: true,
        layout: { width: 'wide' },
        cover: { yPos: 3 },
        variables: { version: '2' },
      }),
    ['page_edited api: cover,layout,variables,hidden,noIndex,noRobotsIndex'],
  ],
  [
    'the default of a setting',
    (copy) => copy.set('api', { hidden: false, layout: { width: 'default' } }),
    [],
  ],
  [
    'times and Git data',
    (copy) =>
      copy.set('api', {
        updatedAt: '2026-02-02T00:00:00.000Z',
        git: { oid: 'a', path: 'api.md' },
        origin: 'x',
      }),
    [],
  ],
  [
    'added and removed pages with their descendants',
    (copy) => copy.remove('more').add('new', { into: 'api' }),
    ['page_created api/new', 'page_deleted more', 'page_deleted more/deep'],
  ],
  [
    'another parent, and another text',
    (copy) => copy.move('deep', 'api').write('deep', 'Other.\n'),
    ['page_edited api/deep: document', 'page_moved api/deep: more → api'],
  ],
  ['a page moved to the root', (copy) => copy.move('deep', null), ['page_moved deep: more → /']],
  ['another order of siblings', (copy) => copy.move('end', null, 0), ['page_moved end: / → /']],
  [
    'siblings around added and removed ones',
    (copy) => copy.add('new', { at: 1 }).remove('start'),
    ['page_created new', 'page_deleted start'],
  ],
  [
    'another type of page',
    (copy) => copy.remove('end').addGroup('end'),
    ['page_created end', 'page_deleted end'],
  ],
  [
    'pages below a page with another slug',
    (copy) =>
      copy.pages.set('more', { type: 'group', id: 'more', parent: null, title: 'more', slug: 'rest' }),
    ['page_edited rest: slug'],
  ],
])('lists %s', async (_, edit, expected) => {
  const changes = await changesOf(guide(), edit);
  expect(changes.map(describeChange)).toEqual(expected);
});

test('lists the previous and new values of attributes', async () => {
  const before = guide().set('api', { description: 'Old.', layout: { outline: false } });
  const [change] = await changesOf(before, (copy) =>
    copy.set('api', { description: undefined, title: 'New', layout: undefined }),
  );
  expect(change).toMatchObject({
    attributes: {
      description: { before: 'Old.' },
      title: { before: 'API', after: 'New' },
      layout: { before: { outline: false, width: 'default' }, after: { outline: true, width: 'default' } },
    },
  });
  expect(change?.type === 'page_edited' && change.attributes.description).not.toHaveProperty('after');
});

test('lists the target of links, and placeholders with another source', async () => {
  const link = (url: string) =>
    ({ type: 'link', id: 'link', parent: null, title: 'Link', target: { kind: 'url', url } }) as const;
  const computed = (spec: string) =>
    ({
      type: 'computed',
      id: 'computed',
      parent: null,
      title: 'Computed',
      computed: {
        type: 'builtin:openapi',
        props: { models: true },
        dependencies: { spec: { ref: { kind: 'openapi', spec } } },
      },
    }) as const;
  const before = new Space();
  before.pages.set('link', link('https://example.com/a')).set('computed', computed('a'));
  before.children.set(null, ['link', 'computed']);
  const changes = await changesOf(before, (copy) =>
    copy.pages.set('link', link('https://example.com/b')).set('computed', computed('b')),
  );
  expect(changes.map(describeChange).toSorted()).toEqual(['page_edited : ', 'page_edited : target']);
});

test('lists files, reusable contents and variables', async () => {
  const before = guide()
    .addFile('kept')
    .addFile('removed')
    .addFile('renamed')
    .addFile('replaced')
    .addFile('synced');
  before.reusable = [
    { id: 'kept', title: 'Kept', text: 'Same.\n' },
    { id: 'removed', title: 'Removed', text: 'Gone.\n' },
    { id: 'written', title: 'Written', text: 'Old.\n' },
  ];
  before.variables = { kept: '1', changed: '1', removed: '1' };
  const changes = await changesOf(before, (copy) => {
    copy.files.delete('removed');
    copy
      .addFile('added')
      .addFile('renamed', { name: 'other.png' })
      .addFile('replaced', { blob: 'other', size: 6 });
    copy.addFile('synced', { git: { oid: 'a', path: 'synced.png' } });
    copy.reusable = [
      { id: 'written', title: 'Written', text: 'New.\n' },
      { id: 'kept', title: 'Kept', text: 'Same.\n' },
      { id: 'added', title: 'Added', text: 'Here.\n' },
    ];
    copy.variables = JSON.parse('{"kept": "1", "changed": "2", "__proto__": "3"}');
  });
  expect(changes.map(describeChange)).toEqual([
    'file_created added.png',
    'file_edited other.png',
    'file_deleted removed.png',
    'file_edited replaced.png',
    'reusable_content_created Added',
    'reusable_content_deleted Removed',
    'reusable_content_edited Written',
    'variables_edited changed,removed,__proto__',
  ]);
  expect(changes.at(-1)).toMatchObject({
    variables: new Map([
      ['changed', { before: '1', after: '2' }],
      ['removed', { before: '1' }],
      ['__proto__', { after: '3' }],
    ]),
  });
});

test('returns the first changes, and the number of the others', async () => {
  const after = new Space();
  for (let number = 100; number < 600; number++) {
    after.add(`p${(number * 7) % 500}`, { slug: `s${(number * 7) % 500}` });
  }
  const { changes, more } = await compare(new Space(), after, 3);
  expect(changes.map(describeChange)).toEqual(['page_created s0', 'page_created s1', 'page_created s10']);
  expect(more).toBe(497);
  expect(await compare(new Space(), after, 0)).toEqual({ changes: [], more: 500 });
});

test('lists exactly what differs, for any edits', async () => {
  await fc.assert(
    fc.asyncProperty(space, script, fc.nat({ max: 8 }), async (before, edits, limit) => {
      const after = edited(before, edits, 'x');
      const all = await compare(before, after);
      const ids = (type: SemanticChange['type']) =>
        all.changes.flatMap((change) =>
          'page' in change && change.type === type ? change.page.record.id : [],
        );
      const common = [...after.pages.keys()].filter((id) => before.pages.has(id));
      expect(ids('page_created').toSorted()).toEqual(
        [...after.pages.keys()].filter((id) => !before.pages.has(id)).toSorted(),
      );
      expect(ids('page_deleted').toSorted()).toEqual(
        [...before.pages.keys()].filter((id) => !after.pages.has(id)).toSorted(),
      );
      const isEdited = (id: string) => {
        const withoutParent = ({ pages }: Space) => JSON.stringify({ ...pages.get(id), parent: null });
        return withoutParent(before) !== withoutParent(after);
      };
      expect(ids('page_edited').toSorted()).toEqual(common.filter(isEdited).toSorted());
      const moved = new Set(ids('page_moved'));
      for (const id of common) {
        if (before.page(id).parent !== after.page(id).parent) {
          expect(moved).toContain(id);
        }
      }
      // The others are where they were, in the same order.
      for (const parent of [null, ...common]) {
        const settled = (one: Space, other: Space) =>
          (one.children.get(parent) ?? []).filter((id) => other.pages.has(id) && !moved.has(id));
        expect(settled(after, before)).toEqual(settled(before, after));
      }
      const first = await compare(before, after, limit);
      expect(first.changes).toEqual(all.changes.slice(0, limit));
      expect(first.more).toBe(Math.max(0, all.changes.length - limit));
    }),
    { numRuns: runs(75) },
  );
});
