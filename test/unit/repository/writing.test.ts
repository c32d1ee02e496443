import { assert, constantFrom, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RepositoryFiles } from '../../../server/content/repository/files.ts';
import { readRepository } from '../../../server/content/repository/read/repository.ts';
import { allSteps } from '../../../server/content/repository/steps.ts';
import { writeInSteps } from '../../../server/content/repository/write/repository.ts';
import { sampleRepositories } from '../../support/content/repositories.ts';
import { runs } from '../../support/seed.ts';
import {
  anyContent,
  comparable,
  content,
  document,
  exported,
  type Files,
  files,
  inMemory,
  plain,
  written,
} from './writing-samples.ts';

describe('content that is written', () => {
  test('is the same when it is read, and has the same bytes when it is written again', () => {
    assert(
      property(
        anyContent,
        constantFrom('', 'docs'),
        constantFrom<Files>(
          {},
          { 'README.md': '# Theirs', 'docs/setup.md': 'Theirs', 'setup.md': 'Theirs', LICENSE: 'MIT' },
          { '.gitbook.yaml': 'root: ./x', 'docs/.gitbook.yaml': 'structure:\n  summary: ../docs/toc.md' },
        ),
        (input, directory, head) => {
          const options = { directory };
          const first = written(input, head, options);
          for (const [path, text] of Object.entries(head)) {
            expect(first.after[path]).toBe(text);
          }
          const read = readRepository(inMemory(first.after), directory);
          // Without a page, the table of contents is empty, and the folders are used.
          if (input.pages.length === 0) {
            return;
          }
          expect(comparable(exported(read))).toEqual(comparable(input));
          // Texts may contain the start of a tag.
          expect(read.problems.filter(({ message }) => !message.startsWith('{%'))).toEqual([]);
          const again = written(exported(read), first.after, options);
          expect([again.texts, again.files, again.removed]).toEqual([new Map(), new Map(), []]);
          expect(written(input, head, options).after).toEqual(first.after);
        },
      ),
      { numRuns: runs(60) },
    );
  });
});

describe('a repository', () => {
  test('has links to content by relative path, except in code', () => {
    const input = content({
      pages: [
        document('home', {
          id: 'page_home',
          markdown: [
            '[Two](/pages/page_two#start "Title") and [two][2], [itself](page:page_home), [gone](/pages/page_gone).\n',
            '![A](</files/f3>) `[x](/pages/page_two)` <a href="/pages/page_two">Two</a>\n',
            '{% include "reusable-content:note" %}\n',
            '```\n[x](/pages/page_two)\n```\n',
            '[2]: /pages/page_two\n',
          ].join('\n'),
          pages: [
            document('two', {
              id: 'page_two',
              path: 'home/two',
              markdown: '[Home](/pages/page_home) ![A](/files/f1)\n',
            }),
          ],
        }),
      ],
      files,
      reusableContents: [{ id: 'note', title: 'Note', markdown: '[Two](/pages/page_two)\n' }],
    });
    const { after } = written(input);
    expect(after['home.md']).toBe(
      [
        '# home\n',
        '[Two](home/two.md#start "Title") and [two][2], [itself](home.md), [gone](/pages/page_gone).\n',
        '![A](<.gitbook/assets/A%20b%20%281%29%25%23.txt>) `[x](/pages/page_two)` <a href="home/two.md">Two</a>\n',
        '{% include ".gitbook/includes/note.md" %}\n',
        '```\n[x](/pages/page_two)\n```\n',
        '[2]: home/two.md\n',
      ].join('\n'),
    );
    expect(after['home/two.md']).toBe('# two\n\n[Home](../home.md) ![A](../.gitbook/assets/a.png)\n');
    expect(after['.gitbook/includes/note.md']).toContain('[Two](../../home/two.md)');
    const previousPaths = new Set(Object.keys(after));
    expect(written(input, after, { previousPaths }).texts).toEqual(new Map());
  });

  test('has a table of contents, a file per page, and the files that they use', () => {
    const { after } = written(
      content({
        pages: [
          document('readme', { title: 'Welcome', markdown: 'Hello, **you**.\n' }),
          {
            type: 'group',
            id: 'g',
            title: 'Start',
            slug: 'begin',
            path: 'begin',
            pages: [
              document('install', {
                path: 'begin/install',
                title: 'Install [it]',
                description: 'How: to',
                icon: 'download',
                hidden: true,
                cover: { ref: { kind: 'file', file: 'f3' }, yPos: 7 },
                layout: { ...plain.layout, width: 'wide', outline: false },
                variables: { version: '1.10' },
                pages: [document('linux', { path: 'begin/install/linux', title: 'On Linux' })],
              }),
              {
                type: 'link',
                id: 'l',
                title: 'Home',
                target: { kind: 'url', url: 'https://example.com/a(b' },
              },
              { type: 'link', id: 'k', title: 'A page', target: { kind: 'url', url: '/pages/page_1' } },
            ],
          },
          document('last'),
          {
            type: 'computed',
            id: 'c',
            title: 'Pet store',
            computed: {
              type: 'builtin:openapi',
              props: {},
              dependencies: { spec: { ref: { kind: 'openapi', spec: 'pet-store' } } },
            },
          },
        ],
        files,
        reusableContents: [{ id: 'i', title: 'A warning', markdown: '---\nMind the step.' }],
        variables: { name: 'Harbour' },
      }),
    );
    expect(after).toEqual({
      'SUMMARY.md': [
        '# Table of contents',
        '',
        '* [Welcome](readme.md)',
        '',
        '## Start <a href="#begin" id="begin"></a>',
        '',
        '* [Install \\[it\\]](begin/install.md)',
        '  * [On Linux](begin/install/linux.md)',
        '* [Home](<https://example.com/a(b>)',
        '* [A page](/pages/page_1)',
        '',
        '***',
        '',
        '* [last](last.md)',
        '* ```yaml',
        '  type: builtin:openapi',
        '  dependencies:',
        '    spec:',
        '      ref:',
        '        kind: openapi',
        '        spec: pet-store',
        '  ```',
        '',
      ].join('\n'),
      'readme.md': '# Welcome\n\nHello, **you**.\n',
      'begin/install.md': [
        '---',
        'description: "How: to"',
        'icon: download',
        'hidden: true',
        'cover: ../.gitbook/assets/A%20b%20%281%29%25%23.txt',
        'coverY: 7',
        'layout:',
        '  width: wide',
        '  outline:',
        '    visible: false',
        'vars:',
        '  version: "1.10"',
        '---',
        '',
        '# Install \\[it\\]',
        '',
      ].join('\n'),
      'begin/install/linux.md': '# On Linux\n',
      'last.md': '# last\n',
      '.gitbook/assets/a.png': 'f1',
      '.gitbook/assets/1/a.png': 'f2',
      '.gitbook/assets/A b (1)%#.txt': 'f3',
      '.gitbook/includes/a-warning.md': '---\ntitle: A warning\n---\n\n---\nMind the step.',
      '.gitbook/vars.yaml': 'name: Harbour\n',
    });
  });

  test('keeps the text of its authors if the content is unchanged', () => {
    const head = {
      'SUMMARY.md': '# Contents\n\n- [One](one.md)\n- [Two](two.md)\n',
      'one.md': '---\nauthor: Ada\nicon:   "x"\n---\nOne\n===\n\nText.\n',
      'two.md': '---\nauthor: Ada # who\nicon: x\n---\n# Two 🚀\n\nText.\n',
      '.gitbook/includes/i.md': 'Included.\n',
      '.gitbook/vars.yaml': '# ours\na: 1\n',
    };
    const read = exported(readRepository(inMemory(head)));
    expect(written(read, head).texts).toEqual(new Map());
    const [first, second] = read.pages;
    if (first?.type !== 'document' || second?.type !== 'document') {
      throw new Error('They are documents.');
    }
    const { texts } = written({ ...read, pages: [first, { ...second, markdown: 'Other.\n' }] }, head);
    expect(texts).toEqual(
      new Map([['two.md', '---\nauthor: Ada # who\nicon: x\n---\n# Two 🚀\n\nOther.\n']]),
    );
  });

  test('loses deleted content, and no other files', () => {
    const head = {
      'SUMMARY.md': '* [One](one.md)\n* [Two](two.md)\n',
      'one.md': '# One\n',
      'two.md': '# Two\n',
      LICENSE: 'MIT',
      'src/main.md': 'theirs',
    };
    const read = exported(readRepository(inMemory(head)));
    const previousPaths = new Set(['one.md', 'two.md', 'gone.md']);
    const { after, removed } = written({ ...read, pages: read.pages.slice(0, 1) }, head, { previousPaths });
    expect(removed).toEqual(['two.md']);
    expect(after).toEqual({
      'SUMMARY.md': '* [One](one.md)\n',
      'one.md': head['one.md'],
      LICENSE: 'MIT',
      'src/main.md': 'theirs',
    });
  });

  test('keeps the path of a page whose slug, title and position changed', () => {
    const head = {
      'SUMMARY.md': '* [One](one.md)\n* [Two](two.md)\n',
      'one.md': '# One\n',
      'two.md': '# Two\n',
    };
    const [first, second] = exported(readRepository(inMemory(head))).pages;
    if (first?.type !== 'document' || second?.type !== 'document') {
      throw new Error('They are documents.');
    }
    const moved = { ...first, title: 'First', slug: 'first', path: 'two/first' };
    const updated = content({ pages: [{ ...second, pages: [moved] }] });
    const { after } = written(updated, head, { previousPaths: new Set(['one.md', 'two.md']) });
    expect(after).toEqual({
      'SUMMARY.md': '* [Two](two.md)\n  * [First](one.md)\n',
      'one.md': '---\nslug: first\n---\n\n# First\n',
      'two.md': '# Two\n',
    });
    expect(comparable(exported(readRepository(inMemory(after))))).toEqual(comparable(updated));
  });

  test('replaces a file only if it was content before', () => {
    const input = content({ pages: [document('setup')] });
    const head = { 'Setup.md': 'theirs' };
    expect(Object.keys(written(input, head).after)).toEqual(['Setup.md', 'setup-1.md', 'SUMMARY.md']);
    const previousPaths = new Set(['setup.md']);
    expect(written(input, { 'setup.md': 'ours' }, { previousPaths }).after['setup.md']).toBe('# setup\n');
    expect(Object.keys(written(input, { 'setup.md/x': 'theirs' }).after)).toContain('setup-1.md');
  });

  test('has URLs for files outside of its directory, and keeps the paths inside', () => {
    const head = {
      'docs/SUMMARY.md': '* [One](one.md)\n* [Code](../src/)\n',
      'docs/one.md':
        '# One\n\n[code](../src/main.ts#L1) `[code](../x)` ![in](in.png)\n\n```\n[code](../x)\n```\n\n[r]: ../a%20b.md\n',
      'docs/in.png': '',
      'src/main.ts': '',
    };
    const treeURL = 'https://example.com/tree/';
    const options = { directory: 'docs', treeURL };
    const read = readRepository(inMemory(head), 'docs', { treeURL });
    expect(read.pages).toMatchObject([
      {
        markdown:
          '[code](https://example.com/tree/src/main.ts#L1) `[code](../x)` ![in](in.png)\n\n```\n[code](../x)\n```\n\n[r]: https://example.com/tree/a%20b.md\n',
      },
      { title: 'Code', target: { kind: 'url', url: 'https://example.com/tree/src' } },
    ]);
    expect(readRepository(inMemory(head), 'docs').pages).toMatchObject([
      { markdown: expect.stringContaining('[code](../src/main.ts#L1)') },
      { title: 'Code', target: { kind: 'url', url: '../src/' } },
    ]);
    expect(written(exported(read), head, options).texts).toEqual(new Map());
  });

  test('has the URLs in a line of any number of backticks', () => {
    const runs = Array.from({ length: 1_000 }, (_, at) => `${'`'.repeat(at + 1)}a`).join('');
    const head = {
      'docs/SUMMARY.md': '* [One](one.md)\n',
      'docs/one.md': `# One\n\n${runs} [code](../src/main.ts)\n`,
    };
    const { pages } = readRepository(inMemory(head), 'docs', { treeURL: 'https://example.com/tree' });
    expect(pages).toMatchObject([
      { markdown: expect.stringContaining('[code](https://example.com/tree/src/main.ts)') },
    ]);
  });
});

describe.each(sampleRepositories)('$name', ({ files: all, directory }) => {
  const texts = Object.entries(all).flatMap(([path, file]) =>
    typeof file === 'string' || file instanceof Uint8Array ? [[path, Buffer.from(file)] as const] : [],
  );
  const bytes = new Map(texts);
  const head: RepositoryFiles = {
    list: () => texts.map(([path, file]) => ({ path, oid: path, size: file.length, mode: '100644' })),
    read: (path) => bytes.get(path),
  };
  const read = readRepository(head, directory);
  const options = directory === undefined ? {} : { directory };

  test('is unchanged while the content is', () => {
    const { texts, files, removed, keys } = allSteps(writeInSteps(exported(read), head, options));
    expect([texts, files, removed]).toEqual([new Map(), new Map(), []]);
    for (const [id, key] of keys) {
      expect(key).toBe(id);
    }
  });

  test('has the same content in a new repository', () => {
    const { after } = written(exported(read), {}, options);
    expect(comparable(exported(readRepository(inMemory(after), directory)))).toEqual(
      comparable(exported(read)),
    );
  });
});

test('a table of contents has paths as authors write them', () => {
  const head = { 'b/a_b.md': '# One\n', 'c (d)/e f*.md': '# Two\n' };
  const content = exported(readRepository(inMemory(head)));
  const { texts } = written({ ...content, pages: content.pages.toReversed() }, head);
  expect(texts.get('SUMMARY.md')?.match(/(?<=\]\().*(?=\))/g)).toEqual(['c%20%28d%29/e%20f*.md', 'b/a_b.md']);
});

test('the indexes of folders do not change with each other', () => {
  const head = {
    'SUMMARY.md': '* [A](a/index.md)\n* [B](b/index.md)\n* [C](c/README.md)\n* [Index](index.md)\n',
    'a/index.md': '# A\n',
    'b/index.md': '# B\n',
    'c/README.md': '# C\n',
    'index.md': '# Index\n',
  };
  const content = exported(readRepository(inMemory(head)));
  expect(content.pages.map((page) => 'slug' in page && page.slug)).toEqual(['a', 'b', 'c', 'index']);
  const { after } = written({ ...content, pages: content.pages.slice(1) }, head, {
    previousPaths: new Set(['a/index.md', 'b/index.md', 'c/README.md', 'index.md']),
  });
  expect(after).toEqual({
    'SUMMARY.md': '* [B](b/index.md)\n* [C](c/README.md)\n* [Index](index.md)\n',
    'b/index.md': '# B\n',
    'c/README.md': '# C\n',
    'index.md': '# Index\n',
  });
});
