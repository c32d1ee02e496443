import { assert, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareLines } from '../../../server/content/merge/hunks.ts';
import { readRepository } from '../../../server/content/repository/read/repository.ts';
import { type ExportedPage, walkExported } from '../../../server/content/repository/write/types.ts';
import { runs } from '../../support/seed.ts';
import { summaryRepository, type TreeEdit, treeEdit } from './summary-shapes.ts';
import { comparable, document, exported, inMemory, written } from './writing-samples.ts';

/** Applies an edit to a page tree. Returns the pages that it concerns; undefined if it is not possible. */
function apply(pages: ExportedPage[], edit: TreeEdit): ExportedPage[] | undefined {
  const all = [...walkExported(pages)];
  const lists = () => [
    pages,
    ...[...walkExported(pages)].flatMap((page) => ('pages' in page ? [page.pages] : [])),
  ];
  const pick = <Item>(items: readonly Item[], number: number) => items[number % Math.max(items.length, 1)];
  const place = (page: ExportedPage) => {
    const list = pick(lists(), edit.parent) ?? pages;
    const position = edit.position % (list.length + 1);
    list.splice(position, 0, page);
  };
  if (edit.type === 'add') {
    const page = document('n999', { title: 'Added [n999] & more' });
    place(page);
    return [page];
  }
  const page = pick(all, edit.page);
  const list = page && lists().find((list) => list.includes(page));
  if (page === undefined || list === undefined) {
    return undefined;
  }
  if (edit.type === 'rename') {
    const number = /n\d+/.exec(page.title)?.[0];
    page.title = `Renamed _${number}_`;
    return [page];
  }
  const concerned = [...walkExported([page])];
  list.splice(list.indexOf(page), 1);
  if (edit.type === 'move') {
    place(page);
  }
  return concerned;
}

/** Gives pages the paths of their places. */
function settled(pages: readonly ExportedPage[], parent = ''): ExportedPage[] {
  return pages.map((page) => {
    if (!('slug' in page)) {
      return page;
    }
    const path = parent === '' ? page.slug : `${parent}/${page.slug}`;
    return { ...page, path, pages: settled(page.pages, path) };
  });
}

const BREAK = /^(?:\*\*\*|---|\* \* \*)\r?$/;

const isText = (line: string) => line.trim() !== '' && !BREAK.test(line);
const numberOf = (line: string) => /n\d+/.exec(line)?.[0];

const isEqual = (left: readonly string[], right: readonly string[]) => left.join('\n') === right.join('\n');

/** The number of lines that differ, apart from empty lines and breaks. */
function differing(before: string, after: string): number {
  const [was, is] = [before.split(/\r?\n/), after.split(/\r?\n/)].map((lines) => lines.filter(isText));
  return compareLines(was ?? [], is ?? []).reduce(
    (sum, { from, to, start, end }) => sum + (to - from) + (end - start),
    0,
  );
}

const count = (text: string, isCounted: (line: string) => boolean) =>
  text.split('\n').filter(isCounted).length;

describe('a table of contents', () => {
  test('changes only in the lines of the entry that is added, removed, renamed or moved', () => {
    assert(
      property(summaryRepository, treeEdit, (head, edit) => {
        const content = exported(readRepository(inMemory(head)));
        const previousPaths = new Set(content.pages.length > 0 ? Object.keys(head) : []);
        previousPaths.delete('SUMMARY.md');
        previousPaths.delete('other.txt');
        const entries = new Set([...walkExported(content.pages)].map(({ title }) => numberOf(title)));
        const concerned = apply(content.pages, edit);
        const given = { ...content, pages: settled(content.pages) };
        if (concerned === undefined || given.pages.length === 0 || !/n\d/.test(head['SUMMARY.md'] ?? '')) {
          return;
        }
        const { after } = written(given, head, { previousPaths });
        const read = readRepository(inMemory(after));
        expect(comparable(exported(read))).toEqual(comparable(given));
        const [before = '', result = ''] = [head['SUMMARY.md'], after['SUMMARY.md']];
        const concern = new Set(concerned.map(({ title }) => numberOf(title)));
        const others = (text: string) =>
          text.split(/\r?\n/).filter((line) => isText(line) && !concern.has(numberOf(line)));
        const isRead = (line: string) => numberOf(line) === undefined || entries.has(numberOf(line));
        // Pages that change places with their siblings: the shorter of both is what moves.
        if (edit.type === 'move' && !isEqual(others(result).filter(isRead), others(before).filter(isRead))) {
          const moved = before.split(/\r?\n/).filter((line) => concern.has(numberOf(line))).length;
          const ignored = count(before, (line) => !isRead(line));
          expect(differing(before, result)).toBeLessThanOrEqual(2 * (moved + ignored));
          return;
        }
        expect(others(result).filter(isRead)).toEqual(others(before).filter(isRead));
        // What the reader ignores is retained as well, unless it is below a page that is removed.
        const trimmed = (text: string) =>
          others(text)
            .map((line) => line.trim())
            .sort();
        expect(trimmed(before)).toEqual(
          edit.type === 'remove' ? expect.arrayContaining(trimmed(result)) : trimmed(result),
        );
        expect(/(?<!\r)\n/.test(result) && before.includes('\r')).toBe(false);
        const breaks = (text: string) => count(text, (line) => BREAK.test(line));
        expect(Math.abs(breaks(result) - breaks(before))).toBeLessThanOrEqual(2);
        const blanks = (text: string) => count(text, (line) => line.trim() === '');
        expect(Math.abs(blanks(result) - blanks(before))).toBeLessThanOrEqual(2 * concerned.length + 3);
      }),
      { numRuns: runs(150) },
    );
  });

  const rewritten = (head: Record<string, string>, change: (pages: ExportedPage[]) => void) => {
    const content = exported(readRepository(inMemory(head)));
    change(content.pages);
    const { after, texts } = written({ ...content, pages: settled(content.pages) }, head);
    return { summary: after['SUMMARY.md'], paths: [...texts.keys()] };
  };

  test('keeps links to the headings of a page with it', () => {
    const summary =
      '# Summary\n\n* [One](one.md)\n    * [A](one.md#a)\n    * [B](one.md#b)\n* [Two](two.md)\n* [One again](one.md)\n';
    const head = { 'SUMMARY.md': summary, 'one.md': '# One\n', 'two.md': '# Two\n' };
    const moved = rewritten(head, (pages) => {
      pages.splice(1, 0, ...pages.splice(0, 1));
    });
    expect(moved.summary).toBe(
      '# Summary\n\n* [Two](two.md)\n* [One](one.md)\n    * [A](one.md#a)\n    * [B](one.md#b)\n* [One again](one.md)\n',
    );
  });

  test('keeps everything that is not an entry, and the style of each entry', () => {
    const summary = [
      '---',
      'robots: none',
      '---',
      '',
      'Contents',
      '========',
      '',
      '<!-- Keep in order. -->',
      '',
      '-   [Start\\!](./start.md "The start")',
      '-   [Paths with spaces](<a b/c d.md>) <!-- todo -->',
      '\t- [ref][r]',
      '\t- [Gone](gone.md)',
      '',
      'Some prose.',
      '',
      '## [Guides](guides/README.md)',
      '- [*Emphasis* and `code`](guides/one.md)',
      '',
      '',
      '[r]: ref.md',
      '',
    ].join('\n');
    const head = {
      'SUMMARY.md': summary,
      'start.md': 'Start.\n',
      'a b/c d.md': 'Spaces.\n',
      'ref.md': 'Reference.\n',
      'guides/README.md': 'Guides.\n',
      'guides/one.md': 'One.\n',
    };
    const renamed = rewritten(head, (pages) => {
      const [start, spaces] = pages;
      Object.assign(start ?? {}, { title: 'Begin [here]' });
      Object.assign(spaces ?? {}, { title: 'Spaces' });
    });
    expect(renamed).toEqual({
      summary: summary.replace('Start\\!', 'Begin \\[here\\]').replace('Paths with spaces', 'Spaces'),
      paths: ['SUMMARY.md'],
    });
    const added = rewritten(head, (pages) => {
      const [, spaces, guides] = pages;
      spaces?.type === 'document' && spaces.pages.push(document('new', { title: 'New' }));
      guides?.type === 'group' && guides.pages.push(document('two', { title: 'Two' }));
    });
    expect(added.summary).toBe(
      summary
        .replace('[Gone](gone.md)\n', '[Gone](gone.md)\n\t- [New](new.md)\n')
        .replace('(guides/one.md)\n', '(guides/one.md)\n- [Two](guides/two.md)\n'),
    );
  });
});
