import { array, assert, constantFrom, property, tuple, uniqueArray } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readRepository } from '../../../server/content/repository/read/repository.ts';
import type { ImportedPage } from '../../../server/content/repository/types.ts';
import { runs } from '../../support/seed.ts';
import { exported, inMemory, written } from './writing-samples.ts';

const ROOT = '';

/** Formats the tree as one line per entry: a page by its file, a group by its folder. */
function outline(pages: readonly ImportedPage[], folder = ROOT, indent = ''): string[] {
  return pages.flatMap((page) => {
    const isDocument = page.type === 'document';
    const location = isDocument ? page.git.path : join(folder, page.title);
    const children = 'pages' in page ? page.pages : [];
    const inner = isDocument ? location.replace(/(?:\/README)?\.(?:md|markdown)$/i, '') : location;
    return [`${indent}${location}`, ...outline(children, inner, `${indent}  `)];
  });
}

const join = (folder: string, name: string) => (folder === ROOT ? name : `${folder}/${name}`);

function read(paths: readonly string[]): ImportedPage[] {
  return readRepository(inMemory(Object.fromEntries(paths.map((path) => [path, ''])))).pages;
}

const isReadme = (path: string) => /(?:^|\/)readme\.(?:md|markdown)$/i.test(path);
const folderOf = (path: string) => path.split('/').slice(0, -1).join('/');

/** Returns the page of each folder: its README, or else the file of the same name next to it. */
function pagesOfFolders(paths: readonly string[]): Map<string, string> {
  const pages = new Map<string, string>();
  const rank = (path: string) => `${isReadme(path) ? 0 : 1}${path.endsWith('.md') ? 0 : 1}${path}`;
  for (const path of paths.toSorted((left, right) => (rank(left) < rank(right) ? -1 : 1))) {
    const folder = isReadme(path) ? folderOf(path) : path.replace(/\.(?:md|markdown)$/, '');
    const isFolder = folder === ROOT || paths.some((other) => other.startsWith(`${folder}/`));
    if (isFolder && !pages.has(folder)) {
      pages.set(folder, path);
    }
  }
  return pages;
}

/** Returns the chain of entries that contain each file, by its path alone: the page of a folder, or the folder. */
function ancestorsByPath(paths: readonly string[]): Map<string, string[]> {
  const pages = pagesOfFolders(paths);
  const chainTo = (folder: string): string[] =>
    folder === ROOT ? [] : [...chainTo(folderOf(folder)), pages.get(folder) ?? `${folder}/`];
  return new Map(
    paths.map((path) => {
      const folder = folderOf(path);
      return [path, chainTo(pages.get(folder) === path && isReadme(path) ? folderOf(folder) : folder)];
    }),
  );
}

function ancestorsInTree(pages: readonly ImportedPage[]): [string, string[]][] {
  const walk = (level: readonly ImportedPage[], chain: string[], folder: string): [string, string[]][] =>
    level.flatMap((page) => {
      if (page.type === 'document') {
        const { path } = page.git;
        const inner = isReadme(path) ? folderOf(path) : path.replace(/\.(?:md|markdown)$/, '');
        return [[path, chain], ...walk(page.pages, [...chain, path], inner)];
      }
      const inner = join(folder, page.title.toLowerCase());
      return 'pages' in page ? walk(page.pages, [...chain, `${inner}/`], inner) : [];
    });
  return walk(pages, [], ROOT);
}

describe('a repository without a table of contents', () => {
  test('keeps the pages of folders in a folder without a page', () => {
    const paths = [
      'README.md',
      'guide/alpha/README.md',
      'guide/alpha/one.md',
      'guide/alpha/two.md',
      'guide/beta/README.md',
      'guide/beta/one.md',
    ];
    expect(outline(read(paths))).toEqual([
      'README.md',
      'Guide',
      '  guide/alpha/README.md',
      '    guide/alpha/one.md',
      '    guide/alpha/two.md',
      '  guide/beta/README.md',
      '    guide/beta/one.md',
    ]);
  });

  test('has the first page that the configuration specifies, in whatever folder', () => {
    const files = { '.gitbook.yaml': 'root: docs\nstructure:\n  readme: ../Start.md\n', 'Start.md': '' };
    const { pages } = readRepository(inMemory({ ...files, 'docs/README.md': '', 'docs/a.md': '' }));
    expect(outline(pages)).toEqual(['Start.md', 'docs/README.md', 'docs/a.md']);
  });

  test('has each file of any folders once, at the location of its path', () => {
    const name = constantFrom('a', 'b', 'c', 'x1');
    const file = tuple(
      array(name, { maxLength: 4 }),
      constantFrom('README.md', 'README.md', 'readme.md', 'a.md', 'b.md', 'b.markdown', 'x1.md', 'z.md'),
    ).map(([folders, base]) => [...folders, base].join('/'));
    assert(
      property(uniqueArray(file, { maxLength: 14 }), (paths) => {
        const ancestors = ancestorsInTree(read(paths));
        expect(ancestors.map(([path]) => path).sort()).toEqual(paths.toSorted());
        expect(Object.fromEntries(ancestors)).toEqual(Object.fromEntries(ancestorsByPath(paths)));
      }),
      { numRuns: runs(300) },
    );
  });

  test('is unchanged by an export, whatever the titles of its pages', () => {
    const head = {
      'README.md': '---\ntitle: Two  spaces\n---\n\n# Two  spaces\n',
      'a/one.md': '# One  -  two\n\nText.\n',
      'a/b/README.md': '---\ntitle: "\u00A0Padded "\n---\n',
    };
    expect(written(exported(readRepository(inMemory(head))), head).texts).toEqual(new Map());
  });

  test('has each file of folders that are nested too deeply', () => {
    const deep = 'd/'.repeat(40);
    const paths = [`${deep}README.md`, `${deep}e/README.md`, `${deep}one.md`, `${'d/'.repeat(32)}README.md`];
    expect(
      ancestorsInTree(read(paths))
        .map(([path]) => path)
        .sort(),
    ).toEqual(paths.sort());
  });
});
