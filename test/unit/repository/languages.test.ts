import { describe, expect, test } from 'vitest';
import { readRepository } from '../../../server/content/repository/read/repository.ts';
import type { ImportedPage } from '../../../server/content/repository/types.ts';
import { type Files, inMemory } from './writing-samples.ts';

const BOOK: Files = {
  'LANGS.md': '# Languages\n\n* [Français](fr/)\n* [English](./en/README.md)\n* [العربية](ar)\n',
  'README.md': '# About this repository\n',
  'book.json': '{"title":"Boats"}',
  'fr/README.md': '# Bateaux\n',
  'fr/SUMMARY.md': '# Sommaire\n\n* [Bateaux](README.md)\n* [Voiles](sails.md)\n  * [Nœuds](knots.md)\n',
  'fr/sails.md': '# Les voiles\n\n{% include "/parts/rope.md" %}\n',
  'fr/knots.md': '# Nœuds\n',
  'fr/parts/rope.md': 'La corde.\n',
  'en/README.md': '# Boats\n',
  'en/SUMMARY.md': '# Summary\n\n## Rigging\n\n* [Sails first](sails.md)\n* [Anchors](anchors.md)\n',
  'en/sails.md': '# Sails\n\n{% include "/parts/rope.md" %}\n',
  'en/anchors.md': '# Anchors\n',
  'en/parts/rope.md': 'The rope.\n',
  'ar/README.md': '# قوارب\n',
  'ar/b.md': '# باء\n',
};

const outline = (pages: readonly ImportedPage[], indent = ''): string[] =>
  pages.flatMap((page) => [
    `${indent}${page.title} /${'path' in page ? page.path : ''}`,
    ...('pages' in page ? outline(page.pages, `${indent}  `) : []),
  ]);

test('a book in several languages has a group for each, with its own table of contents', () => {
  const { pages, problems, reusableContents } = readRepository(inMemory(BOOK));
  expect(outline(pages)).toEqual([
    'Français /fr',
    '  Bateaux /fr/readme',
    '  Voiles /fr/sails',
    '    Nœuds /fr/sails/knots',
    'English /en',
    '  Boats /en/readme',
    '  Rigging /en/rigging',
    '    Sails first /en/rigging/sails',
    '    Anchors /en/rigging/anchors',
    'العربية /ar',
    '  قوارب /ar/readme',
    '  باء /ar/b',
  ]);
  expect(problems).toEqual([
    {
      path: 'LANGS.md',
      line: 3,
      reason: 'unsupported',
      message: expect.stringMatching(
        /variants, .*`repoProjectDirectory`.* order: "fr" \(Français\), "en" \(English\), "ar" \(العربية\)\./,
      ),
    },
  ]);
  // Each language is a book: its paths start in its folder.
  expect(reusableContents.map(({ git }) => git.path)).toEqual(['en/parts/rope.md', 'fr/parts/rope.md']);
});

test('a list of languages reports folders that do not exist, and needs at least one', () => {
  const files = {
    'LANGS.md': '* [A](a/)\n* [Out](../../out)\n* [Site](https://example.com)\n',
    'b.md': '# B\n',
  };
  const { pages, problems } = readRepository(inMemory(files));
  expect(problems.map(({ reason, line }) => ({ reason, line }))).toEqual([
    { reason: 'not_found', line: 1 },
    { reason: 'not_found', line: 2 },
  ]);
  expect(pages.map(({ title }) => title)).toEqual(['B', 'LANGS']);
});

test('a table of contents at the root takes precedence', () => {
  const { pages, problems } = readRepository(inMemory({ ...BOOK, 'SUMMARY.md': '* [One](en/sails.md)\n' }));
  expect(outline(pages)).toEqual(['One /sails']);
  expect(problems).toEqual([]);
});

describe('the language of a repository', () => {
  test.each<[string, Files, string | undefined]>([
    ['HonKit', { 'README.md': '', 'book.json': '{"language":"fa"}' }, 'fa'],
    ['mdBook', { 'src/SUMMARY.md': '* [A](a.md)\n', 'book.toml': '[book]\nlanguage = "zh-TW"\n' }, 'zh-TW'],
    [
      'mdBook, in another table',
      { 'src/SUMMARY.md': '', 'book.toml': '[output]\nlanguage = "ur"\n' },
      undefined,
    ],
    ['its list of languages', BOOK, 'fr'],
    [
      'a list with a folder of another name',
      { 'LANGS.md': '* [A](versions/)\n', 'versions/a.md': '' },
      undefined,
    ],
    ['.gitbook.yaml', { 'a.md': '', '.gitbook.yaml': 'language: pt_BR\n' }, 'pt-BR'],
    ['a word that is no language', { 'a.md': '', 'book.json': '{"language":"constructor"}' }, undefined],
    ['no text', { 'a.md': '', 'book.json': '{"language":["en"]}' }, undefined],
  ])('is declared by %s', (_name, files, language) => {
    expect(readRepository(inMemory(files)).language).toBe(language);
  });
});

test('all languages of a long list are named', () => {
  const folders = Array.from({ length: 60 }, (_, at) => `translations/x${at}`);
  const files = Object.fromEntries(folders.map((folder) => [`${folder}/README.md`, `# ${folder}\n`]));
  const { problems } = readRepository(
    inMemory({ ...files, 'LANGS.md': folders.map((folder) => `* [${folder}](${folder})\n`).join('') }),
  );
  expect(problems.map(({ line }) => line)).toEqual([1, 17, 33, 49]);
  const named = problems.flatMap(({ message }) =>
    [...message.matchAll(/"([^"]*)"/g)].map(([, name]) => name),
  );
  expect(named).toEqual(folders);
  expect(Math.max(...problems.map(({ message }) => message.length))).toBeLessThan(1024);
});
