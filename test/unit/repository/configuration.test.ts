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

describe('the configuration of another tool', () => {
  const contents: Files = { 'text/SUMMARY.md': '* [Second](two.md)\n', 'text/one.md': '', 'text/two.md': '' };
  const readme: Files = { 'README.md': '# The code\n' };

  test.each<[string, Files]>([
    ['root of HonKit', { 'book.json': '\uFEFF{"root": "./text/", "plugins": []}' }],
    [
      'files of HonKit',
      {
        'book.json': '{"root": "text", "structure": {"summary": "toc.md"}}',
        'text/toc.md': '* [Second](two.md)\n',
        'text/SUMMARY.md': '* [One](one.md)\n',
      },
    ],
    ['source of mdBook', { 'book.toml': '[book]\r\ntitle = "T"\r\nsrc = "./text"\r\n' }],
    [
      'source of mdBook in single quotes after a list',
      {
        'book.toml':
          '[rust]\nsrc = "no"\n[book] # ours\nauthors = [\n["a"],\n]\nsrc = \'text\' # here\n[build]\nsrc = "no"\n',
      },
    ],
  ])('locates the documentation without a configuration: %s', (_name, files) => {
    expect(read({ ...readme, ...contents, ...files })).toEqual({ titles: ['Second'], problems: [] });
  });

  test('defaults to the source of mdBook', () => {
    const files = { 'book.toml': 'title = "T"\n', 'src/SUMMARY.md': '* [Two](two.md)\n', 'src/two.md': '' };
    expect(read({ ...readme, ...files })).toEqual({ titles: ['Two'], problems: [] });
  });

  test.each<[string, Files]>([
    ['leads to no table of contents', { 'book.json': '{"root": "pages"}', 'book.toml': '[book]\n' }],
    ['is unreadable', { 'book.json': '{"root": "text"', 'book.toml': '[book]\nsrc = "../text"\n' }],
    ['is not that of the project', { 'text/book.toml': '[book]\nsrc = "."\n' }],
  ])('is ignored if it %s', (_name, files) => {
    expect(read({ ...readme, ...contents, ...files }).titles).toEqual(['The code', 'Text']);
  });

  test.each<[string, Files]>([
    ['a configuration', { '.gitbook.yaml': 'structure:\n  readme: README.md\n' }],
    ['a table of contents', { 'SUMMARY.md': '* [The code](README.md)\n' }],
  ])('is ignored with %s', (_name, files) => {
    const { titles } = read({ ...readme, ...contents, 'book.json': '{"root": "text"}', ...files });
    expect(titles[0]).toBe('The code');
  });
});
