import { describe, expect, test } from 'vitest';
import { planContent } from '../../../server/content/edit/plan-content.ts';
import {
  type Address,
  parseAddress,
  resolve,
  type Target,
  writeRef,
} from '../../../server/content/links/resolve.ts';
import { contentAt } from '../../../server/content/tree/content.ts';
import { textObject } from '../../../server/content/tree/objects.ts';
import type { FileRecord, PageRecord } from '../../../server/content/tree/records.ts';
import { Memory } from '../store/memory.ts';

const guide = { path: 'guide/setup.md' };
const path = (written: string): Address => ({ kind: 'path', path: written });

describe('an address is', () => {
  test.each<[written: string, address: Address]>([
    ['https://example.com/a?b#c', { kind: 'url', url: 'https://example.com/a?b#c' }],
    ['HTTPS://EXAMPLE.COM', { kind: 'url', url: 'HTTPS://EXAMPLE.COM' }],
    ['//cdn.example.com/x.js', { kind: 'url', url: '//cdn.example.com/x.js' }],
    ['mailto:ada@example.com', { kind: 'url', url: 'mailto:ada@example.com' }],
    ['#first%20steps', { kind: 'anchor', anchor: 'first steps' }],
    ['install.md', path('guide/install.md')],
    [' ./install.md ', path('guide/install.md')],
    ['../README.md', path('README.md')],
    ['..\\other\\page.md', path('other/page.md')],
    ['/reference/', path('reference')],
    ['/', path('')],
    ['My%20page.md', path('guide/My page.md')],
    ['100%.md', path('guide/100%.md')],
    ['Ünïcode.md', path('guide/Ünïcode.md')],
    ['install.md?plain=1#a', { kind: 'path', path: 'guide/install.md', anchor: 'a' }],
    ['?plain=1#a', { kind: 'path', path: 'guide/setup.md', anchor: 'a' }],
    ['../../outside.md', { kind: 'invalid', written: '../../outside.md' }],
    ['/../outside.md', { kind: 'invalid', written: '/../outside.md' }],
    ['C:\\docs\\page.md', { kind: 'invalid', written: 'C:\\docs\\page.md' }],
    ['', { kind: 'invalid', written: '' }],
    ['#', { kind: 'invalid', written: '#' }],
    ['/pages/page_1#a', { kind: 'page', page: 'page_1', anchor: 'a' }],
    ['/files/file_1', { kind: 'file', file: 'file_1' }],
    ['/spaces/spc_1', { kind: 'space', space: 'spc_1' }],
    ['/spaces/spc_1/pages/page_1', { kind: 'page', page: 'page_1', space: 'spc_1' }],
    ['page:page_1', { kind: 'page', page: 'page_1' }],
    ['openapi:shop', { kind: 'openapi', spec: 'shop' }],
    ['/pages/setup', path('pages/setup')],
    ['/pages/file_1', path('pages/file_1')],
    ['/spaces/overview', path('spaces/overview')],
  ])('%j', (written, address) => expect(parseAddress(written, guide)).toEqual(address));

  test('formatted so that it is parsed as the same reference', () => {
    const refs = [
      { kind: 'page', page: 'page_1', space: 'spc_1' },
      { kind: 'page', page: 'page_1' },
      { kind: 'file', file: 'file_1' },
      { kind: 'space', space: 'spc_1' },
      { kind: 'user', user: 'usr_1' },
      { kind: 'collection', collection: 'col_1' },
      { kind: 'reusable-content', reusableContent: 'reusable_1' },
      { kind: 'openapi', spec: 'shop' },
    ] as const;
    for (const ref of refs) {
      expect(parseAddress(writeRef(ref), guide)).toEqual(ref);
    }
  });
});

const page = (id: string, parent: string | null, slug: string, git?: string): PageRecord => ({
  type: 'document',
  id,
  parent,
  title: id,
  slug,
  documentId: `doc_${id}`,
  ...(git !== undefined && { git: { oid: `oid of ${git}`, path: git } }),
});
const file = (id: string, git: string): FileRecord => ({
  id,
  name: id,
  contentType: 'image/png',
  size: 1,
  blob: 'blob',
  createdAt: '2026-01-01T00:00:00.000Z',
  git: { oid: `oid of ${git}`, path: git },
});

const note = textObject('A note.');

/** Resolves the links of a text at a location. */
async function targetsOf(
  content: { pages: PageRecord[]; files?: FileRecord[] },
  written: string[],
  from = 'guide/setup.md',
): Promise<Array<string | undefined>> {
  const memory = new Memory();
  const children = Map.groupBy(content.pages, ({ parent }) => parent);
  const plan = await planContent(
    null,
    {
      pages: new Map(content.pages.map((record) => [record.id, record])),
      children: new Map([...children].map(([parent, below]) => [parent, below.map(({ id }) => id)])),
      files: new Map((content.files ?? []).map((record) => [record.id, record])),
      reusableContents: [
        { id: 'reusable_1', title: 'Note', body: note.hash, git: { oid: 'o', path: 'includes/note.md' } },
      ],
      texts: [note],
    },
    memory.load,
  );
  memory.keep(plan.objects);
  const addresses = written.map((item) => parseAddress(item, { path: from }));
  const targets = await resolve(addresses, await contentAt(plan.root, memory.load), 'spc_own');
  return addresses.map((address) => nameOf(targets.get(address)));
}

function nameOf(target: Target | undefined): string | undefined {
  switch (target?.kind) {
    case 'page':
      return `${target.page.record.id}${target.anchor === undefined ? '' : `#${target.anchor}`}`;
    case 'file':
      return target.file.id;
    case 'reusable-content':
      return target.reusable.id;
    default:
      return target?.kind;
  }
}

describe('an address resolves', () => {
  const content = {
    pages: [
      page('page_home', null, 'home', 'README.md'),
      page('page_guide', null, 'guide', 'guide/README.md'),
      page('page_setup', 'page_guide', 'setup', 'guide/setup.md'),
      page('page_new', 'page_guide', 'new'),
      page('page_below', 'page_new', 'below'),
    ],
    files: [file('file_1', 'guide/My picture.png')],
  };

  test('to the page of its path in the repository', async () => {
    const written = ['README.md', 'My%20picture.png', './', '/', '../README.md#top', '/guide', 'setup.md'];
    expect(await targetsOf(content, written)).toEqual([
      'page_guide',
      'file_1',
      'page_guide',
      'page_home',
      'page_home#top',
      'page_guide',
      'page_setup',
    ]);
    expect(await targetsOf(content, ['../includes/note.md'])).toEqual(['reusable_1']);
  });

  test('to the page with the path, with or without a file extension', async () => {
    const written = ['new', 'new.md', 'new/README.md', '/guide/new/below', 'NEW.md', 'new/missing'];
    expect(await targetsOf(content, written)).toEqual([
      'page_new',
      'page_new',
      'page_new',
      'page_below',
      undefined,
      undefined,
    ]);
  });

  test('to the page whose file a website serves at the path', async () => {
    const pages = [
      page('page_group', null, 'group'),
      page('page_intro', 'page_group', 'introduction', 'src/ch01-intro.md'),
      page('page_book', 'page_group', 'book', 'src/guide/README.md'),
      page('page_index', 'page_group', 'list', 'src/lists/index.md'),
    ];
    const files = [file('file_1', 'src/slides.html')];
    const written = [
      'ch01-intro.html#a',
      'ch01-intro',
      'guide/index.html',
      'guide/README.html',
      'lists/index.htm',
      'slides.html',
      'ch02.html',
      'ch01-intro.png',
    ];
    expect(await targetsOf({ pages, files }, written, 'src/x.md')).toEqual([
      'page_intro#a',
      'page_intro',
      'page_book',
      'page_book',
      'page_index',
      'file_1',
      undefined,
      undefined,
    ]);
  });

  test('to a path of the repository first, even if a page has that path', async () => {
    const pages = [page('page_a', null, 'one', 'two.md'), page('page_b', null, 'two', 'one.md')];
    expect(await targetsOf({ pages }, ['/two.md', '/two'])).toEqual(['page_a', 'page_b']);
  });

  test('to the same page from the folder of its repository', async () => {
    const pages = [
      page('page_home', null, 'home', 'docs/README.md'),
      page('page_setup', null, 'setup', 'docs/guide/setup.md'),
      page('page_new', null, 'new'),
    ];
    const written = ['/guide/setup.md', '/docs/guide/setup.md', '../README.md', '../new.md', '/'];
    expect(await targetsOf({ pages }, written, 'docs/guide/setup.md')).toEqual([
      'page_setup',
      'page_setup',
      'page_home',
      'page_new',
      'page_home',
    ]);
  });

  test('by an id that remains when the page moves, unless it is deleted', async () => {
    const written = ['/pages/page_new#a', '/pages/page_gone', '/files/file_1', '/files/file_gone'];
    expect(await targetsOf(content, written)).toEqual(['page_new#a', undefined, 'file_1', undefined]);
    expect(
      await targetsOf(content, ['/spaces/spc_own/pages/page_new', '/spaces/spc_x/pages/page_new']),
    ).toEqual(['page_new', 'external']);
  });

  test('to an external, local or missing target without reading the content', async () => {
    expect(await targetsOf(content, ['https://example.com', '#a', 'user:usr_1', '../../x.md'])).toEqual([
      'url',
      'anchor',
      'external',
      undefined,
    ]);
  });

  test('to the first of the pages with the same path', async () => {
    const pages = [page('page_z', null, 'twin'), page('page_a', null, 'twin')];
    expect(await targetsOf({ pages }, ['/twin'])).toEqual(['page_z']);
  });
});
