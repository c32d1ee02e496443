import { expect, test } from 'vitest';
import { readRepository } from '../../../server/content/repository/read/repository.ts';
import type { ExportedContent, ExportedPage } from '../../../server/content/repository/write/types.ts';
import { exported, type Files, inMemory, written } from './writing-samples.ts';

const FILES: Files = {
  '.gitbook.yaml': 'structure:\n  summary: README.md\n',
  'README.md': '# Welcome\n\nStart here:\n\n* [Welcome](README.md)\n* [One](a/one.md)\n* [Two](two.md)  \n',
  'a/one.md': '# One\n',
  'two.md': '# Two\n',
};

const content = () => exported(readRepository(inMemory(FILES)));

/** Returns the files after the pages were changed. */
function changed(change: (pages: ExportedPage[]) => ExportedPage[]): Files {
  const before = content();
  const after: ExportedContent = { ...before, pages: change(before.pages) };
  return written(after, FILES, { previousPaths: new Set(['README.md', 'a/one.md', 'two.md']) }).after;
}

test('a page that is the table of contents keeps its file', () => {
  expect(content().pages.map((page) => page.id)).toEqual(['README.md', 'a/one.md', 'two.md']);
  expect(changed((pages) => pages)).toEqual(FILES);
});

test('its entries follow the tree, and the rest of it remains', () => {
  const [first = '', second = '', third = ''] = FILES['README.md']?.split('\n').slice(4) ?? [];
  expect(changed((pages) => pages.filter(({ id }) => id !== 'a/one.md'))).toEqual({
    '.gitbook.yaml': FILES['.gitbook.yaml'],
    'README.md': `# Welcome\n\nStart here:\n\n${first}\n${third}\n`,
    'two.md': FILES['two.md'],
  });
  const [one, ...others] = changed(([home, page, last]) => [home, last, page].filter((item) => !!item))
    ['README.md']?.split('\n')
    .slice(4) ?? [''];
  expect([one, ...others]).toEqual([first, third, second, '']);
});

test('its own text can change together with the tree', () => {
  const files = changed((pages) =>
    pages
      .filter(({ id }) => id !== 'two.md')
      .map((page) =>
        page.id === 'README.md' && page.type === 'document'
          ? { ...page, markdown: page.markdown.replace('Start here:', 'Begin here:') }
          : page,
      ),
  );
  expect(files['README.md']).toBe('# Welcome\n\nBegin here:\n\n* [Welcome](README.md)\n* [One](a/one.md)\n');
});

test('without its page, it remains the table of contents', () => {
  expect(changed((pages) => pages.filter(({ id }) => id !== 'README.md'))['README.md']).toContain(
    '* [One](a/one.md)\n* [Two](two.md)  \n',
  );
});
