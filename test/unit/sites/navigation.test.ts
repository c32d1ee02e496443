import { describe, expect, test } from 'vitest';
import type { PageNode, PageRecord } from '../../../server/content/tree/records.ts';
import { labelsIn } from '../../../server/platform/sites/reading/labels.ts';
import type { TreeEntry } from '../../../server/platform/sites/reading/templates/types.ts';
import {
  firstWithin,
  Navigation,
  type NavigationPage,
} from '../../../server/platform/sites/reading/views/navigation.ts';
import { MAX_SHOWN_SIBLINGS, treeEntries } from '../../../server/platform/sites/reading/views/tree.ts';

const document = (slug: string, pages: PageNode[] = [], hidden = false): PageNode =>
  node({ type: 'document', documentId: `doc_${slug}`, hidden }, slug, pages);
const group = (slug: string, pages: PageNode[]): PageNode => node({ type: 'group' }, slug, pages);

function node(fields: object, slug: string, pages: PageNode[]): PageNode {
  // The fields of the type are complete.
  const record = { id: `page_${slug}`, parent: null, title: slug, slug, ...fields } as PageRecord;
  return { record, path: slug, pages: pages.map((page) => nested(page, slug)) };
}

const nested = (page: PageNode, parent: string): PageNode => ({
  ...page,
  path: `${parent}/${page.path}`,
  pages: page.pages.map((child) => nested(child, parent)),
});

const titles = (entries: readonly TreeEntry[]): unknown[] =>
  entries.map(({ title, entries: children }) => (children.length > 0 ? [title, titles(children)] : title));

const entriesOf = (navigation: Navigation, path: string[]) =>
  treeEntries({
    navigation,
    current: navigation.resolve(path),
    labels: labelsIn('en'),
    hrefOf: (page) => `/${navigation.pathOf(page).join('/')}`,
    iconOf: () => undefined,
  });

const small = await Navigation.create([
  document('readme'),
  group('guides', [document('quickstart'), document('testing', [document('cards')])]),
  document('secret', [document('inner')], true),
  document('last'),
]);

describe('the navigation of a space', () => {
  test('resolves paths, and the first page at the path of the space', () => {
    const pathOf = (path: string[]) => {
      const page = small.resolve(path);
      return page && small.pathOf(page);
    };
    expect(small.resolve([])).toMatchObject({ record: { id: 'page_readme' } });
    expect(pathOf(['readme'])).toEqual([]);
    expect(small.resolve(['guides'])).toMatchObject({ record: { id: 'page_quickstart' } });
    expect(pathOf(['guides'])).toEqual(['guides', 'quickstart']);
    expect(pathOf(['guides', 'testing', 'cards'])).toEqual(['guides', 'testing', 'cards']);
    expect(pathOf(['secret', 'inner'])).toEqual(['secret', 'inner']);
    expect(small.resolve(['missing'])).toBeUndefined();
  });

  test('orders the pages that are shown, and omits hidden ones with their descendants', () => {
    expect(small.readable.map(({ record }) => record.title)).toEqual([
      'readme',
      'quickstart',
      'testing',
      'cards',
      'last',
    ]);
    const cards = small.find('page_cards');
    expect(cards && small.neighbors(cards)).toMatchObject({
      previous: { record: { title: 'testing' } },
      next: { record: { title: 'last' } },
    });
    const inner = small.find('page_inner');
    expect(inner && small.neighbors(inner)).toEqual({});
  });
});

describe('nested groups', () => {
  const nestedGroups = (depth: number, innermost: PageNode[]): PageNode =>
    group(`g${depth}`, depth === 1 ? innermost : [nestedGroups(depth - 1, innermost)]);

  test('without a page are visited once', () => {
    let visits = 0;
    // The fields that are read.
    const nested = (depth: number) =>
      ({
        record: { type: 'group' },
        isShown: true,
        get children() {
          visits += 1;
          return depth === 0 ? [] : [nested(depth - 1)];
        },
      }) as unknown as NavigationPage;
    expect(firstWithin(nested(12))).toBeUndefined();
    expect(visits).toBe(13);
  });

  test('lead to a hidden page if they show none', async () => {
    const navigation = await Navigation.create([nestedGroups(3, [document('hidden', [], true)])]);
    expect(navigation.resolve(['g3'])).toMatchObject({ record: { title: 'hidden' } });
  });
});

describe('the page tree', () => {
  test('opens groups and the path to the current page', () => {
    expect(titles(entriesOf(small, []))).toEqual(['readme', ['guides', ['quickstart', 'testing']], 'last']);
    expect(titles(entriesOf(small, ['guides', 'testing', 'cards']))).toEqual([
      'readme',
      ['guides', ['quickstart', ['testing', ['cards']]]],
      'last',
    ]);
  });

  test('of many siblings shows those around the current page, with links to the others', async () => {
    const many = await Navigation.create(Array.from({ length: 1300 }, (_, at) => document(`p${at}`)));
    const entries = entriesOf(many, ['p700']);
    expect(entries).toHaveLength(MAX_SHOWN_SIBLINGS + 2);
    expect(entries[0]).toMatchObject({ kind: 'more', title: '650 more pages', href: '/p649' });
    expect(entries.at(-1)).toMatchObject({ kind: 'more', title: '550 more pages', href: '/p750' });
    expect(entries.find(({ isCurrent }) => isCurrent)?.title).toBe('p700');
  });

  test('of many groups closes those without the current page', async () => {
    const groups = Array.from({ length: 60 }, (_, at) =>
      group(
        `g${at}`,
        Array.from({ length: 20 }, (_, page) => document(`p${at}-${page}`)),
      ),
    );
    const entries = entriesOf(await Navigation.create([document('readme'), ...groups]), ['g50', 'p50-3']);
    const open = entries.filter((entry) => entry.entries.length > 0).map(({ title }) => title);
    expect(open).toEqual(['g0', 'g1', 'g2', 'g3', 'g4', 'g5', 'g50']);
    expect(entries.find(({ title }) => title === 'g30')).toMatchObject({ href: '/g30/p30-0' });
  });
});
