import { describe, expect, test } from 'vitest';
import { readRepository } from '../../../server/content/repository/read/repository.ts';
import { type Files, inMemory } from './writing-samples.ts';

function read(files: Files) {
  const { pages, problems } = readRepository(inMemory(files));
  return { titles: pages.map(({ title }) => title), problems };
}

const pages: Files = { 'docs/one.md': '', 'docs/two.md': '' };

describe('the configuration of a repository', () => {
  test.each([
    ['a zero-width space after a value', 'root: docs\nstructure:\n  summary: nav.md\u200B\n'],
    [
      'zero-width spaces after a value and more',
      'root: docs\u200B \nstructure:\n  summary: nav.md\u200B # ours\n',
    ],
    ['a zero-width space before a value', 'root: \u200Bdocs\nstructure:\n  summary:\u200B nav.md\n'],
    ['invisible characters in quotes', 'root: "\u200Edocs\u200B"\nstructure:\n  summary: \'nav.md\u2060\'\n'],
    ['invisible characters after quotes', 'root: "docs"\u200B\nstructure:\n  summary: \'nav.md\'\uFEFF\n'],
    [
      'invisible characters around keys',
      '\uFEFFroot\u200B: docs\n\u200Bstructure\u200B:\u200B\n\u200B  \u200Dsummary\u00AD: nav.md\n',
    ],
    ['no-break spaces', 'root:\u00A0docs\u00A0\nstructure:\n\u00A0\u00A0summary:\u00A0nav.md\n'],
    ['newlines of Windows', 'root: docs\u200B\r\nstructure:\u200B\r\n  summary: nav.md\u200B\r\n'],
  ])('is read with %s', (_name, yaml) => {
    expect(read({ ...pages, '.gitbook.yaml': yaml, 'docs/nav.md': '* [Second](two.md)\n' })).toEqual({
      titles: ['Second'],
      problems: [],
    });
  });

  test.each([
    ['a path that does not exist', 'contents/SUMMARY.md'],
    ['a path in another case', 'summary.MD'],
  ])('falls back to the existing SUMMARY.md for %s, and reports it', (_name, path) => {
    const yaml = `root: docs\nstructure:\n  summary: ${path}\n`;
    expect(read({ ...pages, '.gitbook.yaml': yaml, 'docs/SUMMARY.md': '* [Second](two.md)\n' })).toEqual({
      titles: ['Second'],
      problems: [
        {
          path: '.gitbook.yaml',
          reason: 'not_found',
          message: `structure.summary: "docs/${path}" does not exist in the repository. "docs/SUMMARY.md" was read instead. Correct the path.`,
        },
      ],
    });
  });

  test('falls back to a path that is relative to the project instead of the root', () => {
    const yaml = 'root: docs\nstructure:\n  summary: docs/nav/index.md\n';
    const { titles, problems } = read({
      ...pages,
      '.gitbook.yaml': yaml,
      'docs/nav/index.md': '* [Second](../two.md)\n',
    });
    expect(titles).toEqual(['Second']);
    expect(problems).toMatchObject([
      { message: expect.stringContaining('"docs/nav/index.md" was read instead') },
    ]);
  });

  test('without any table of contents arranges pages by folders, and reports it', () => {
    const { titles, problems } = read({
      ...pages,
      '.gitbook.yaml': 'root: docs\nstructure:\n  summary: gone.md\n',
    });
    expect(titles).toEqual(['One', 'Two']);
    expect(problems).toMatchObject([{ message: expect.stringContaining('Pages are arranged by folders.') }]);
  });
});
