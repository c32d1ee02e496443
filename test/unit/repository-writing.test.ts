import {
  type Arbitrary,
  array,
  assert,
  boolean,
  constantFrom,
  dictionary,
  integer,
  oneof,
  property,
  record,
  string,
  tuple,
} from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RepositoryFiles } from '../../server/content/repository/files.ts';
import { readRepository } from '../../server/content/repository/repository.ts';
import type {
  ImportedContent,
  ImportedPage,
  ImportedReference,
} from '../../server/content/repository/types.ts';
import { type WritingOptions, writeRepository } from '../../server/content/repository/write.ts';
import type {
  ExportedContent,
  ExportedDocument,
  ExportedPage,
  ExportedReference,
} from '../../server/content/repository/write-types.ts';
import { sampleRepositories } from '../support/repositories.ts';

type Files = Record<string, string>;

/** A repository in memory; the text of a file is its object id as well. */
function inMemory(files: Files): RepositoryFiles {
  const list = Object.entries(files).map(([path, text]) => ({ path, oid: text, size: 1, mode: '100644' }));
  return { list: () => list, read: (path) => Buffer.from(files[path] ?? '') };
}

/** The repository after a write; a file that is no text has its id in the place of its bytes. */
function written(content: ExportedContent, head: Files = {}, options: WritingOptions = {}) {
  const result = writeRepository(content, inMemory(head), options);
  const after: Files = { ...head, ...Object.fromEntries([...result.texts, ...result.files]) };
  for (const path of result.removed) delete after[path];
  return { ...result, after };
}

/** What was read, as content to write whose ids are its keys and paths. */
function exported(content: ImportedContent): ExportedContent {
  const reference = (ref: ImportedReference): ExportedReference =>
    ref.kind === 'file' ? { kind: 'file', file: ref.path } : ref;
  const page = (read: ImportedPage): ExportedPage => {
    const { key: id, ...rest } = read;
    switch (rest.type) {
      case 'document': {
        const { cover, ...facts } = rest;
        return {
          ...facts,
          id,
          ...(cover && {
            cover: {
              ref: reference(cover.ref),
              ...(cover.refDark && { refDark: reference(cover.refDark) }),
              yPos: cover.yPos,
            },
          }),
          pages: rest.pages.map(page),
        };
      }
      case 'group':
        return { ...rest, id, pages: rest.pages.map(page) };
      case 'link':
        return { ...rest, id, target: reference(rest.target) };
      default:
        return { ...rest, id };
    }
  };
  return {
    pages: content.pages.map(page),
    files: content.files.map(({ name, size, git }) => ({ id: git.path, name, size, git })),
    reusableContents: content.reusableContents.map((one) => ({ ...one, id: one.git.path })),
    variables: content.variables,
  };
}

/** What two contents are compared by: all but ids and places, which the writer chooses. */
function said(content: ExportedContent) {
  const names = new Map(content.files.map(({ id, name }) => [id, name]));
  const reference = (ref: ExportedReference) =>
    ref.kind === 'file' ? { kind: 'file', name: names.get(ref.file) } : ref;
  const page = (one: ExportedPage): object => {
    const { id: _, ...facts } = one;
    switch (facts.type) {
      case 'document': {
        const { git: __, cover, path: ___, ...rest } = facts;
        const image = cover && {
          ...cover,
          ref: reference(cover.ref),
          ...(cover.refDark && { refDark: reference(cover.refDark) }),
        };
        return { ...rest, ...(image && { cover: image }), pages: facts.pages.map(page) };
      }
      case 'group': {
        const { path: ___, ...rest } = facts;
        return { ...rest, pages: facts.pages.map(page) };
      }
      case 'link':
        return { ...facts, target: reference(facts.target) };
      default:
        return facts;
    }
  };
  return {
    pages: content.pages.map(page),
    files: content.files.map(({ name }) => name).sort(),
    reusableContents: content.reusableContents.map(({ title, markdown }) => `${title}\n${markdown}`).sort(),
    variables: content.variables,
  };
}

const plain: Omit<ExportedDocument, 'id' | 'title' | 'slug' | 'path'> = {
  type: 'document',
  markdown: '',
  layout: {
    width: 'default',
    cover: true,
    coverSize: 'hero',
    title: true,
    description: true,
    tableOfContents: true,
    outline: true,
    pagination: true,
    metadata: true,
  },
  variables: {},
  hidden: false,
  noIndex: false,
  noRobotsIndex: false,
  pages: [],
};

const document = (slug: string, values: Partial<ExportedDocument> = {}): ExportedDocument => ({
  ...plain,
  id: `id of ${slug}`,
  title: slug,
  slug,
  path: slug,
  ...values,
});

const content = (values: Partial<ExportedContent>): ExportedContent => ({
  pages: [],
  files: [],
  reusableContents: [],
  variables: {},
  ...values,
});

/** Texts on one line as the reader leaves them. */
const line = (maxLength: number) =>
  string({ unit: 'grapheme', minLength: 1, maxLength })
    .map((text) => text.replace(/[\s\p{C}]+/gu, ' ').trim())
    .filter((text) => text !== '');
const title = array(
  constantFrom(
    ...'a|B|1.|#|# |-|+ |* |_|`|[|]|(|)|<|>|&amp;|&|\\|!|é|日本|---|***|~~~|{% |"|\'|: |=|x #|[a](b)|https://a.b'.split(
      '|',
    ),
    ' ',
  ),
  { minLength: 1, maxLength: 5 },
)
  .map((parts) => parts.join('').replace(/\s+/g, ' ').trim())
  .filter((text) => text !== '');
const value = constantFrom(
  '1.10',
  'true',
  'null',
  'a: b',
  '# x',
  ' padded ',
  '',
  '- x',
  '"',
  'two\nlines',
  '---',
  '日本',
);
const markdown = array(
  constantFrom(
    'Words.',
    '# Title',
    '## Part',
    '---',
    '```\n# code\n```',
    '<!--\n# x\n-->',
    '* item',
    'Alpha\n=====',
    '    code',
    '{% hint %}',
    'description: x',
    '',
  ),
  { maxLength: 6 },
).map((blocks) => blocks.join('\n').replace(/^(?:[ \t]*\n)+/, ''));
const slug = constantFrom(
  'a',
  'b',
  'setup',
  'setup-1',
  'readme',
  'Größe',
  'x.y',
  '日本',
  'summary',
  'a..b',
  'con',
);

const files = [
  { id: 'f1', name: 'a.png', size: 1 },
  { id: 'f2', name: 'a.png', size: 2 },
  { id: 'f3', name: 'A b (1)%#.txt', size: 3 },
];
const reference = constantFrom<ExportedReference>(
  { kind: 'file', file: 'f1' },
  { kind: 'file', file: 'f2' },
  { kind: 'file', file: 'f3' },
  { kind: 'url', url: 'https://example.com/a_(b)?c=d&amp;e#f' },
);

const noId = constantFrom('');
const flag = boolean();
const link = record({ type: constantFrom('link' as const), id: noId, title, target: reference });
const computed = record({
  type: constantFrom('computed' as const),
  id: noId,
  title,
  computed: record({
    type: constantFrom('builtin:openapi', 'integration:a:b'),
    props: dictionary(line(5), value, { maxKeys: 2, noNullPrototype: true }),
    dependencies: constantFrom({}, { spec: { ref: { kind: 'openapi', spec: 'pet-store' } } }),
  }),
});
const facts = record(
  {
    type: constantFrom('document' as const),
    id: noId,
    title,
    slug,
    path: noId,
    markdown,
    description: value.map((text) => text.trim()).filter((text) => text !== ''),
    emoji: constantFrom('🚀'),
    icon: constantFrom('book-open'),
    cover: record(
      { ref: reference, refDark: reference, yPos: integer({ min: -9, max: 9 }) },
      { requiredKeys: ['ref', 'yPos'] },
    ),
    layout: record({
      width: constantFrom('default' as const, 'wide' as const),
      cover: flag,
      coverSize: constantFrom('hero' as const, 'full' as const),
      title: flag,
      description: flag,
      tableOfContents: flag,
      outline: flag,
      pagination: flag,
      metadata: flag,
    }),
    variables: dictionary(line(5), value, { maxKeys: 2, noNullPrototype: true }),
    hidden: flag,
    noIndex: flag,
    noRobotsIndex: flag,
  },
  {
    requiredKeys: [
      'type',
      'id',
      'title',
      'slug',
      'path',
      'markdown',
      'layout',
      'variables',
      'hidden',
      'noIndex',
      'noRobotsIndex',
    ],
  },
);
const groupFacts = record({
  type: constantFrom('group' as const),
  id: noId,
  title,
  slug: constantFrom('a', 'b', 'setup', 'setup-1', '日本'),
  path: noId,
});

function pagesTo(depth: number): Arbitrary<ExportedPage[]> {
  const below = depth === 0 ? constantFrom<ExportedPage[]>([]) : pagesTo(depth - 1);
  const page = oneof(
    tuple(facts, below).map(([own, pages]): ExportedPage => ({ ...own, pages })),
    tuple(groupFacts, below).map(([own, pages]): ExportedPage => ({ ...own, pages })),
    link,
    computed,
  );
  return array(page, { maxLength: 3 });
}

/** Gives pages ids and paths, and slugs that are their own among their siblings. */
function settled(list: readonly ExportedPage[], above = '', path = ''): ExportedPage[] {
  const slugs = new Set<string>();
  return list.flatMap((page, at): ExportedPage[] => {
    const id = `${above}/${at}`;
    if (!('slug' in page)) return [{ ...page, id }];
    if (slugs.has(page.slug)) return [];
    slugs.add(page.slug);
    const own = path === '' ? page.slug : `${path}/${page.slug}`;
    return [{ ...page, id, path: own, pages: settled(page.pages, id, own) }];
  });
}

const anyContent = record({
  pages: pagesTo(2).map((list) => settled(list)),
  variables: dictionary(line(8), value, { maxKeys: 3, noNullPrototype: true }),
  reusableContents: array(record({ title, markdown }), { maxLength: 3 }),
}).map(
  (parts): ExportedContent => ({
    ...parts,
    files,
    reusableContents: parts.reusableContents.map((one, at) => ({ ...one, id: String(at) })),
  }),
);

describe('content that is written', () => {
  test('is the same when it is read, and written again has the same bytes', () => {
    assert(
      property(
        anyContent,
        constantFrom('', 'docs'),
        constantFrom<Files>(
          {},
          { 'README.md': '# Theirs', 'docs/setup.md': 'Theirs', 'setup.md': 'Theirs', LICENSE: 'MIT' },
          { '.gitbook.yaml': 'root: ./x', 'docs/.gitbook.yaml': 'structure:\n  summary: ../docs/toc.md' },
        ),
        (given, directory, head) => {
          const options = { directory };
          const first = written(given, head, options);
          for (const [path, text] of Object.entries(head)) expect(first.after[path]).toBe(text);
          const read = readRepository(inMemory(first.after), directory);
          // Without a page, a table of contents lists nothing, and the folders do.
          if (given.pages.length === 0) return;
          expect(said(exported(read))).toEqual(said(given));
          expect(read.problems).toEqual([]);
          const again = written(exported(read), first.after, options);
          expect([again.texts, again.files, again.removed]).toEqual([new Map(), new Map(), []]);
          expect(written(given, head, options).after).toEqual(first.after);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('a repository', () => {
  test('gets a table of contents, a file a page, and what they use', () => {
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

  test('keeps what its authors wrote where the content still says it', () => {
    const head = {
      'SUMMARY.md': '# Contents\n\n- [One](one.md)\n- [Two](two.md)\n',
      'one.md': '---\nauthor: Ada\nicon:   "x"\n---\nOne\n===\n\nText.\n',
      'two.md': '---\nauthor: Ada # who\nicon: x\n---\n# Two 🚀\n\nText.\n',
      '.gitbook/includes/i.md': 'Included.\n',
      '.gitbook/vars.yaml': '# ours\na: 1\n',
    };
    const read = exported(readRepository(inMemory(head)));
    expect(written(read, head).texts).toEqual(new Map());
    const [one, two] = read.pages;
    if (one?.type !== 'document' || two?.type !== 'document') throw new Error('They are documents.');
    const { texts } = written({ ...read, pages: [one, { ...two, markdown: 'Other.\n' }] }, head);
    expect(texts).toEqual(new Map([['two.md', '---\nicon: x\nauthor: Ada\n---\n\n# Two\n\nOther.\n']]));
  });

  test('loses what the content lost, and nothing that is not its own', () => {
    const head = {
      'SUMMARY.md': '* [One](one.md)\n* [Two](two.md)\n',
      'one.md': '# One\n',
      'two.md': '# Two\n',
      LICENSE: 'MIT',
      'src/main.md': 'theirs',
    };
    const read = exported(readRepository(inMemory(head)));
    const known = new Set(['one.md', 'two.md', 'gone.md']);
    const { after, removed } = written({ ...read, pages: read.pages.slice(0, 1) }, head, { known });
    expect(removed).toEqual(['two.md']);
    expect(after).toEqual({
      'SUMMARY.md': '# Table of contents\n\n* [One](one.md)\n',
      'one.md': head['one.md'],
      LICENSE: 'MIT',
      'src/main.md': 'theirs',
    });
  });

  test('keeps the path of a page whose slug, title and place are others now', () => {
    const head = {
      'SUMMARY.md': '* [One](one.md)\n* [Two](two.md)\n',
      'one.md': '# One\n',
      'two.md': '# Two\n',
    };
    const [one, two] = exported(readRepository(inMemory(head))).pages;
    if (one?.type !== 'document' || two?.type !== 'document') throw new Error('They are documents.');
    const moved = { ...one, title: 'First', slug: 'first', path: 'two/first' };
    const given = content({ pages: [{ ...two, pages: [moved] }] });
    const { after } = written(given, head, { known: new Set(['one.md', 'two.md']) });
    expect(after).toEqual({
      'SUMMARY.md': '# Table of contents\n\n* [Two](two.md)\n  * [First](one.md)\n',
      'one.md': '---\nslug: first\n---\n\n# First\n',
      'two.md': '# Two\n',
    });
    expect(said(exported(readRepository(inMemory(after))))).toEqual(said(given));
  });

  test('takes the place of a file only where content stood there before', () => {
    const given = content({ pages: [document('setup')] });
    const head = { 'Setup.md': 'theirs' };
    expect(Object.keys(written(given, head).after)).toEqual(['Setup.md', 'setup-1.md', 'SUMMARY.md']);
    const known = new Set(['setup.md']);
    expect(written(given, { 'setup.md': 'ours' }, { known }).after['setup.md']).toBe('# setup\n');
    expect(Object.keys(written(given, { 'setup.md/x': 'theirs' }).after)).toContain('setup-1.md');
  });

  test('has addresses for what lies outside of its directory, and keeps the paths in it', () => {
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
    ]);
    expect(written(exported(read), head, options).texts).toEqual(new Map());
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

  test('stays as it is while nothing changes', () => {
    const { texts, files, removed, keys } = writeRepository(exported(read), head, options);
    expect([texts, files, removed]).toEqual([new Map(), new Map(), []]);
    for (const [id, key] of keys) expect(key).toBe(id);
  });

  test('says the same in a repository of its own', () => {
    const { after } = written(exported(read), {}, options);
    expect(said(exported(readRepository(inMemory(after), directory)))).toEqual(said(exported(read)));
  });
});
