import { assert, constantFrom, nat, property, uniqueArray } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readRepository } from '../../../server/content/repository/read/repository.ts';
import { fileNameFor } from '../../../server/content/repository/write/new-pages/file-names.ts';
import type { ExportedContent, ExportedPage } from '../../../server/content/repository/write/types.ts';
import { runs } from '../../support/seed.ts';
import { content, document, exported, type Files, inMemory, written } from './writing-samples.ts';

const contents = (summary: string, paths: readonly string[], others: Files = {}): Files => ({
  'SUMMARY.md': summary,
  ...Object.fromEntries(paths.map((path) => [path, `# ${path}\n`])),
  ...others,
});

/** Finds a page or group by title. */
function find(pages: readonly ExportedPage[], title: string): ExportedPage | undefined {
  for (const page of pages) {
    const match = page.title === title ? page : 'pages' in page ? find(page.pages, title) : undefined;
    if (match) {
      return match;
    }
  }
  return undefined;
}

/** Returns the content of a repository with a new page under another one, or at the top level. */
function withPage(head: Files, parent: string | null, slug: string, directory = ''): ExportedContent {
  const result = exported(readRepository(inMemory(head), directory));
  const page = parent === null ? undefined : find(result.pages, parent);
  if (parent !== null && !(page && 'pages' in page)) {
    throw new Error(`There is no page "${parent}".`);
  }
  const pages = page && 'pages' in page ? page.pages : result.pages;
  const path = page && 'path' in page ? `${page.path}/${slug}` : slug;
  pages.push(document(slug, { path }));
  return result;
}

/** Returns the paths of the files that a new page adds. */
function added(head: Files, parent: string | null, slug = 'child', directory = ''): string[] {
  const { after } = written(withPage(head, parent, slug, directory), head, { directory });
  return Object.keys(after).filter((path) => !(path in head));
}

describe('a new page is placed', () => {
  test('next to the README or index of its parent', () => {
    const summary = '* [Py](python_intro/README.md)\n* [C](Container/index.md)\n* [中](中文/readme.md)\n';
    const head = contents(summary, ['python_intro/README.md', 'Container/index.md', '中文/readme.md']);
    expect(added(head, 'Py')).toEqual(['python_intro/child.md']);
    expect(added(head, 'C')).toEqual(['Container/child.md']);
    expect(added(head, '中')).toEqual(['中文/child.md']);
  });

  test('in the folder that is named like the file of its parent', () => {
    const names = ['Leaf_Page', 'Überblick', 'مقدمة', 'With spaces, and a comma', 'v1.2', 'guide'];
    const summary = names.map((name, at) => `* [Page ${at}](<docs/${name}.md>)\n`).join('');
    const head = contents(
      summary,
      names.map((name) => `docs/${name}.md`),
    );
    for (const [at, name] of names.entries()) {
      expect(added(head, `Page ${at}`)).toEqual([`docs/${name}/child.md`]);
    }
  });

  test('in an existing folder whose name is written differently', () => {
    const head = contents('* [Leaf](Leaf_Page.md)\n* [Other](other.md)\n', ['Leaf_Page.md', 'other.md'], {
      'leaf-page/image.png': '',
      'Other/image.png': '',
    });
    expect(added(head, 'Leaf')).toEqual(['leaf-page/child.md']);
    expect(added(head, 'Other')).toEqual(['Other/child.md']);
  });

  test('in the folder of most of its siblings', () => {
    const summary =
      '* [Guide](guide.md)\n  * [A](chapters/a.md)\n  * [B](chapters/b/README.md)\n  * [C](elsewhere/c.md)\n';
    const head = contents(summary, ['guide.md', 'chapters/a.md', 'chapters/b/README.md', 'elsewhere/c.md']);
    expect(added(head, 'Guide')).toEqual(['chapters/child.md']);
    const folders = contents('* [Guide](guide.md)\n  * [A](x/a/README.md)\n  * [B](x/b/README.md)\n', [
      'guide.md',
      'x/a/README.md',
      'x/b/README.md',
    ]);
    expect(added(folders, 'Guide')).toEqual(['x/child.md']);
    const mixed = contents('* [Guide](guide.md)\n  * [A](guide/README.md)\n', [
      'guide.md',
      'guide/README.md',
    ]);
    expect(added(mixed, 'Guide')).toEqual(['guide/child.md']);
  });

  test('with the pages of its group, or in the folder of a new group', () => {
    const summary = '## First\n\n* [A](Docs/a.md)\n* [B](Docs/b.md)\n\n## Second\n\n* [C](README.md)\n';
    const head = contents(summary, ['Docs/a.md', 'Docs/b.md', 'README.md']);
    expect(added(head, 'First')).toEqual(['Docs/child.md']);
    expect(added(head, 'Second')).toEqual(['child.md']);
    const renamed = exported(readRepository(inMemory(head)));
    const [group] = renamed.pages;
    if (group?.type !== 'group') {
      throw new Error('It is a group.');
    }
    Object.assign(group, { title: 'Start', slug: 'start', path: 'start' });
    group.pages.push(document('child', { path: 'start/child' }));
    renamed.pages.push({
      type: 'group',
      id: 'new',
      title: 'New',
      slug: 'new',
      path: 'new',
      pages: [document('one', { path: 'new/one' })],
    });
    const { after } = written(renamed, head);
    expect(Object.keys(after).filter((path) => !(path in head))).toEqual(['Docs/child.md', 'new/one.md']);
  });

  test('with the other pages of the top level, also if they are in a folder or in groups', () => {
    const flat = contents('* [Home](README.md)\n* [A](docs/a.md)\n* [B](docs/b.md)\n', [
      'README.md',
      'docs/a.md',
      'docs/b.md',
    ]);
    expect(added(flat, null)).toEqual(['docs/child.md']);
    const groups = contents('## Basics\n\n* [A](docs/basics/a.md)\n\n## More\n\n* [B](docs/more/b.md)\n', [
      'docs/basics/a.md',
      'docs/more/b.md',
    ]);
    expect(added(groups, null)).toEqual(['docs/child.md']);
    expect(added(contents('* [Home](README.md)\n', ['README.md']), null)).toEqual(['child.md']);
    expect(added(contents('* [Home](README.md)\n', ['README.md']), 'Home')).toEqual(['child.md']);
  });

  test('in the folder of the documentation of every layout', () => {
    const book = {
      'book.toml': '[book]\ntitle = "Book"\n',
      ...Object.fromEntries(
        Object.entries(contents('# Summary\n\n- [One](One_Page.md)\n', ['One_Page.md'])).map(
          ([path, text]) => [`src/${path}`, text],
        ),
      ),
    };
    expect(added(book, 'One')).toEqual(['src/One_Page/child.md']);
    expect(added(book, null)).toEqual(['src/child.md']);
    const configured = {
      '.gitbook.yaml': 'root: ./docs/\n',
      'docs/SUMMARY.md': '* [One](Part/README.md)\n',
      'docs/Part/README.md': '# One\n',
    };
    expect(added(configured, 'One')).toEqual(['docs/Part/child.md']);
    expect(added(configured, null)).toEqual(['docs/child.md']);
    const project = {
      'a/SUMMARY.md': '* [One](Part/README.md)\n',
      'a/Part/README.md': '# One\n',
      'Part/x.md': '',
    };
    expect(added(project, 'One', 'child', 'a')).toEqual(['a/Part/child.md']);
    const folders = { 'README.md': '# Home\n', 'Part_One/README.md': '# Part\n', 'Two_.md': '# Two\n' };
    expect(added(folders, 'Part')).toEqual(['Part_One/child.md']);
    expect(added(folders, 'Two')).toEqual(['Two_/child.md']);
  });

  test('apart from pages that were moved to its parent', () => {
    const head = contents('* [Guide](guide.md)\n* [Other](other.md)\n  * [X](x/x.md)\n', [
      'guide.md',
      'other.md',
      'x/x.md',
    ]);
    const changed = withPage(head, 'Guide', 'child');
    const [guide, other] = [find(changed.pages, 'Guide'), find(changed.pages, 'Other')];
    if (guide?.type !== 'document' || other?.type !== 'document') {
      throw new Error('They are documents.');
    }
    guide.pages.unshift(...other.pages.splice(0));
    const { after } = written(changed, head);
    expect(Object.keys(after).filter((path) => !(path in head))).toEqual(['guide/child.md']);
    expect(after['SUMMARY.md']).toContain('  * [X](x/x.md)');
  });

  test('under a name that no file has on any file system', () => {
    const head = contents('* [Guide](Guide/README.md)\n', ['Guide/README.md'], {
      'Guide/Child.md': 'theirs',
      'Guide/two.md/x': 'theirs',
    });
    expect(added(head, 'Guide')).toEqual(['Guide/child-1.md']);
    expect(added(head, 'Guide', 'two')).toEqual(['Guide/two-1.md']);
    expect(added(head, 'Guide', 'readme')).toEqual(['Guide/readme-1.md']);
  });

  test('in another folder if a file or a symbolic link has the name of its folder', () => {
    const head = contents('* [Leaf](leaf.md)\n', ['leaf.md'], { leaf: 'a file' });
    expect(added(head, 'Leaf')).toEqual(['leaf-1/child.md']);
    const input = content({ pages: [document('home', { pages: [document('two', { path: 'home/two' })] })] });
    expect(Object.keys(written(input, { home: 'a file' }).after)).toContain('home-1/two.md');
  });

  test('so that reading the repository returns the same tree', () => {
    const segment = constantFrom('Leaf_Page', 'README', 'index', 'a b', 'Ü', 'x', 'X-y');
    const folder = constantFrom('One/', 'one_two/', 'd/e/');
    assert(
      property(
        uniqueArray(folder, { maxLength: 2 }),
        uniqueArray(segment, { minLength: 1, maxLength: 4 }),
        nat(),
        (folders, names, at) => {
          const paths = ['', ...folders].flatMap((start) => names.map((name) => `${start}${name}.md`));
          const summary = paths.map((path, index) => `${'  '.repeat(index % 3)}* [P${index}](<${path}>)\n`);
          const head = contents(summary.join(''), paths);
          const title = `P${at % paths.length}`;
          const { after, paths: places } = written(withPage(head, title, 'new-page'), head);
          expect(Object.keys(after).length).toBe(Object.keys(head).length + 1);
          const parent = find(exported(readRepository(inMemory(after))).pages, title);
          expect(parent && 'pages' in parent && parent.pages.at(-1)).toMatchObject({
            title: 'new-page',
            slug: 'new-page',
            git: { path: places.pages.get('id of new-page') },
          });
        },
      ),
      { numRuns: runs(20) },
    );
  });
});

test('the file of a new page is named like those of its siblings', () => {
  const cases: ReadonlyArray<[siblings: string[], name: string]> = [
    [[], 'new-page'],
    [['one', 'two'], 'new-page'],
    [['first_page', 'one'], 'new_page'],
    [['first-page', 'second_page'], 'new-page'],
    [['First_Page', 'Second_Page'], 'New_Page'],
    [['First_page', 'Second_page'], 'New_page'],
    [['Introduction'], 'new-page'],
    [['Getting started', 'Other things'], 'New-page'],
    [['一', '二'], 'new-page'],
    [['FirstPage', 'SecondPage', 'third-page', 'fourth-page'], 'new-page'],
  ];
  for (const [siblings, name] of cases) {
    expect(fileNameFor('new-page', siblings), siblings.join()).toBe(name);
  }
  expect(fileNameFor('con', ['A', 'B'])).toBe('con');
  expect(fileNameFor('第一章', ['A_b', 'C_d'])).toBe('第一章');
});
