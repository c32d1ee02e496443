import { expect, test } from 'vitest';
import type { RepositoryFiles } from '../../../server/content/repository/files.ts';
import { readRepository } from '../../../server/content/repository/read/repository.ts';
import { allSteps } from '../../../server/content/repository/steps.ts';
import { writeInSteps } from '../../../server/content/repository/write/repository.ts';
import { exported } from './writing-samples.ts';

/** Builds a repository of texts in Latin-1. */
function inLatin1(files: Record<string, string>): RepositoryFiles {
  const list = Object.keys(files).map((path) => ({ path, oid: path, size: 1, mode: '100644' }));
  return { list: () => list, read: (path) => Buffer.from(files[path] ?? '', 'latin1') };
}

const FILES = {
  'SUMMARY.md': '* [One](one.md)\n* [Two](two.md)\n',
  'one.md': '# One\r\n\r\nCaf\u00e9.\r\n\r\nTea.\r\n',
  'two.md': '# Two\n\nText.\n',
};

test('a file that is not UTF-8 is reported with the line', () => {
  expect(readRepository(inLatin1(FILES)).problems).toEqual([
    { path: 'one.md', line: 3, reason: 'unsupported', message: expect.stringContaining('not UTF-8') },
  ]);
});

test('lines that are not UTF-8 keep their bytes when others change', () => {
  const head = inLatin1(FILES);
  const content = exported(readRepository(head));
  const change = (from: string, to: string) => {
    const pages = content.pages.map((page) =>
      page.type === 'document' ? { ...page, markdown: page.markdown.replace(from, to) } : page,
    );
    return allSteps(writeInSteps({ ...content, pages }, head));
  };
  expect([...change('', '').encoded]).toEqual([]);
  const changed = change('Tea.', 'T\u00e9.');
  expect([...changed.texts]).toEqual([]);
  expect([...changed.encoded].map(([path, bytes]) => [path, Buffer.from(bytes).toString('latin1')])).toEqual([
    ['one.md', '# One\r\n\r\nCaf\u00e9.\r\n\r\nT\u00c3\u00a9.\r\n'],
  ]);
  // Without the line that is not UTF-8, the whole text is.
  const repaired = change('Caf\ufffd.', 'Coffee.');
  expect([...repaired.texts]).toEqual([['one.md', '# One\r\n\r\nCoffee.\r\n\r\nTea.\r\n']]);
  expect([...repaired.encoded]).toEqual([]);
});
