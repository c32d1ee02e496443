import { describe, expect, test } from 'vitest';
import { print } from '../../support/pdf/printing.ts';

const group = (title: string, depth = 0) => ({ id: `group_${title}`, title, depth, target: undefined });

describe('an entry without a page of its own', () => {
  test('is a line of the contents that leads to a section', async () => {
    const { pages, bookmarks } = await print(
      { title: 'Home', markdown: 'Welcome' },
      { title: 'Resources', markdown: `${'word '.repeat(1500)}\n\n## Videos\n\nv\n\n## Articles\n\na` },
      { id: 'v', title: 'Videos', depth: 1, target: { name: '', page: 'page_1', anchor: 'videos' } },
      { id: 'a', title: 'Articles', depth: 1, target: { name: '', page: 'page_1', anchor: 'articles' } },
      { id: 'n', title: 'Gone', depth: 1, target: { name: '', page: 'page_1', anchor: 'gone' } },
    );
    const last = pages.length;
    expect(last).toBeGreaterThan(3);
    expect(pages[0]?.text.replace(/\s+/g, ' ')).toBe(
      `The handbook Home 2 Resources 3 Videos ${last} Articles ${last} Gone 3 1`,
    );
    expect(pages[0]?.links).toEqual([2, 3, last, last, 3]);
    expect(bookmarks[1]?.children).toMatchObject([
      { title: 'Videos', page: last },
      { title: 'Articles', page: last },
      { title: 'Gone', page: 3 },
    ]);
  });

  test('is a line that leads to a URL, without a page number', async () => {
    const { pages, bookmarks } = await print(
      { title: 'Home', markdown: 'Welcome' },
      { id: 'u', title: 'Forum', depth: 0, target: { name: '', url: 'https://example.com/forum' } },
      { id: 's', title: 'Script', depth: 0, target: { name: '', url: 'javascript:alert(1)' } },
      { id: 'x', title: 'Nowhere', depth: 0, target: { name: 'gone.md' } },
    );
    expect(pages).toHaveLength(2);
    expect(pages[0]?.text.replace(/\s+/g, ' ')).toBe('The handbook Home 2 Forum Script Nowhere 1');
    expect(pages[0]?.links).toEqual([2, 'https://example.com/forum']);
    expect(bookmarks.map(({ title, page, url }) => [title, page, url])).toEqual([
      ['Home', 2, undefined],
      ['Forum', 0, 'https://example.com/forum'],
      ['Script', 0, undefined],
      ['Nowhere', 0, undefined],
    ]);
  });

  test('leads to the first page in it if it is a group', async () => {
    const { pages, bookmarks } = await print(
      group('Basics'),
      group('Start', 1),
      { title: 'Install', depth: 2, markdown: 'i' },
      {
        title: 'Use',
        depth: 1,
        markdown: '[The basics](/pages/group_Basics) and [nothing](/pages/group_Empty)',
      },
      group('Empty'),
    );
    expect(pages).toHaveLength(3);
    expect(pages[0]?.text.replace(/\s+/g, ' ')).toBe('The handbook Basics 2 Start 2 Install 2 Use 3 Empty 1');
    expect(pages[2]?.links).toEqual([2]);
    expect(bookmarks).toMatchObject([
      {
        title: 'Basics',
        page: 2,
        children: [{ title: 'Start', page: 2, children: [{ title: 'Install' }] }, {}],
      },
      { title: 'Empty', page: 0, children: [] },
    ]);
  });

  test('is the only page of contents without others', async () => {
    const { pages } = await print(group('Alone'));
    expect(pages.map(({ text }) => text.replace(/\s+/g, ' '))).toEqual(['The handbook Alone 1']);
  });
});
