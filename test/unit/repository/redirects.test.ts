import { describe, expect, test } from 'vitest';
import { MAX_REDIRECT_CHARACTERS, MAX_REDIRECTS } from '../../../server/content/repository/read/redirects.ts';
import { readRepository } from '../../../server/content/repository/read/repository.ts';
import { exported, type Files, inMemory, written as write } from './writing-samples.ts';

const FILES: Files = {
  'docs/README.md': '# Home\n',
  'docs/guides/README.md': '# Guides\n',
  'docs/guides/start.md': '# Start\n',
  'docs/50%.md': '# Half\n',
  'docs/notes.md': '# Not listed\n',
  'docs/SUMMARY.md':
    '* [Home](README.md)\n* [Guides](guides/README.md)\n  * [Start](guides/start.md)\n* [Half](50%25.md)\n',
};

function read(redirects: string, files: Files = FILES) {
  const result = readRepository(inMemory({ ...files, '.gitbook.yaml': `root: ./docs/\n${redirects}` }));
  return {
    redirects: result.redirects.map(({ from, page, anchor }) => [from, page, ...(anchor ? [anchor] : [])]),
    problems: result.problems,
  };
}

describe('the redirects of a repository', () => {
  test.each([
    ['old', 'guides/start.md', ['old', 'docs/guides/start.md']],
    ['/old/page/', './guides/start.md', ['old/page', 'docs/guides/start.md']],
    ['old', '/guides/start.md', ['old', 'docs/guides/start.md']],
    ['old.md', 'guides/start', ['old.md', 'docs/guides/start.md']],
    ['old', './guides/', ['old', 'docs/guides/README.md']],
    ['old', './', ['old', 'docs/README.md']],
    ['old', 'guides/start.md#first-step', ['old', 'docs/guides/start.md', 'first-step']],
    ['old%20name', '50%25.md', ['old name', 'docs/50%.md']],
    ['cafe\u0301', '50%.md', ['caf\u00e9', 'docs/50%.md']],
  ])('lead from %s to the page that %s names', (from, to, expected) => {
    expect(read(`redirects:\n  ${from}: ${to}\n`)).toEqual({ redirects: [expected], problems: [] });
  });

  test.each([
    ['a list', 'redirects: [a, b]', 'invalid_value', 'is not a map'],
    ['an empty target', 'redirects:\n  old:', 'invalid_value', '"old" was skipped'],
    ['the root as path', 'redirects:\n  /: README.md', 'invalid_value', '"/" was skipped'],
    ['a URL', 'redirects:\n  old: https://example.com/', 'unsupported', 'lead to pages of the space'],
    ['a URL without a scheme', 'redirects:\n  old: //example.com/a', 'unsupported', 'lead to pages'],
    ['a script', 'redirects:\n  old: "javascript:alert(1)"', 'unsupported', 'lead to pages'],
    ['a page that does not exist', 'redirects:\n  old: new.md', 'not_found', '"new.md" is not a page'],
    ['a file that is not a page', 'redirects:\n  old: notes.md', 'not_found', '"notes.md" is not a page'],
    ['a path outside the root', 'redirects:\n  old: ../../x.md', 'not_found', 'is not a page'],
    [
      'a path that is too long',
      `redirects:\n  old: ${'a'.repeat(MAX_REDIRECT_CHARACTERS + 1)}`,
      'invalid_value',
      'at most',
    ],
  ])('are reported and skipped: %s', (_name, yaml, reason, message) => {
    const { redirects, problems } = read(`${yaml}\n`);
    expect(redirects).toEqual([]);
    expect(problems).toEqual([{ path: '.gitbook.yaml', reason, message: expect.stringContaining(message) }]);
  });

  test('are limited in number', () => {
    const many = Array.from({ length: MAX_REDIRECTS + 1 }, (_, at) => `  o${at}: README.md\n`).join('');
    const { redirects, problems } = read(`redirects:\n${many}`);
    expect(redirects).toHaveLength(MAX_REDIRECTS);
    expect(problems).toMatchObject([{ reason: 'too_large' }]);
  });

  test('remain as written in a repository that has a configuration', () => {
    const yaml = '# Ours\nroot: ./docs/\nredirects:\n    old:   "guides/start.md"   # moved\n';
    const files = { ...FILES, '.gitbook.yaml': yaml };
    const content = exported(readRepository(inMemory(files)));
    expect(write(content, files).after).toEqual(files);
    const renamed = { ...content, redirects: [{ from: 'other', page: 'docs/README.md' }] };
    expect(write(renamed, files).after['.gitbook.yaml']).toBe(yaml);
  });

  test('are written with the location of the documentation that another tool configures', () => {
    const files = { ...FILES, 'book.toml': '[book]\nsrc = "docs"\n' };
    const content = exported(readRepository(inMemory(files)));
    const { after } = write({ ...content, redirects: [{ from: 'old', page: 'docs/50%.md' }] }, files);
    expect(after).toEqual({
      ...files,
      '.gitbook.yaml': 'root: ./docs/\nstructure:\n  summary: SUMMARY.md\nredirects:\n  old: 50%25.md\n',
    });
    const again = readRepository(inMemory(after));
    expect(again.redirects).toEqual([{ from: 'old', page: 'docs/50%.md' }]);
    expect(exported(again).pages).toEqual(content.pages);
  });

  test('are written with the pages to a new repository', () => {
    const yaml = 'root: ./docs/\nredirects:\n  old%20name: 50%25.md\n  old/b: guides/start.md#x\n';
    const content = exported(readRepository(inMemory({ ...FILES, '.gitbook.yaml': yaml })));
    const { after, paths } = write(content);
    const again = readRepository(inMemory(after));
    expect(again.problems).toEqual([]);
    expect(again.redirects).toEqual(
      content.redirects.map((redirect) => ({ ...redirect, page: paths.pages.get(redirect.page) })),
    );
    expect(again.redirects).toHaveLength(2);
  });
});
