import {
  type Arbitrary,
  array,
  boolean,
  constantFrom,
  dictionary,
  integer,
  oneof,
  record,
  string,
  tuple,
} from 'fast-check';
import type { RepositoryFiles } from '../../../server/content/repository/files.ts';
import { allSteps } from '../../../server/content/repository/steps.ts';
import type {
  ImportedContent,
  ImportedPage,
  ImportedReference,
} from '../../../server/content/repository/types.ts';
import { type WritingOptions, writeInSteps } from '../../../server/content/repository/write/repository.ts';
import {
  type ExportedContent,
  type ExportedDocument,
  type ExportedPage,
  type ExportedReference,
  walkExported,
} from '../../../server/content/repository/write/types.ts';
import { DEFAULT_LAYOUT } from '../../../server/content/tree/records.ts';

/** Texts of a repository by path. */
export type Files = Record<string, string>;

/** Builds a repository in memory; the text of a file is also its object id. */
export function inMemory(files: Files): RepositoryFiles {
  const list = Object.entries(files).map(([path, text]) => ({ path, oid: text, size: 1, mode: '100644' }));
  return { list: () => list, read: (path) => Buffer.from(files[path] ?? '') };
}

/** Returns the repository after a write; binary files have their id as text. */
export function written(content: ExportedContent, head: Files = {}, options: WritingOptions = {}) {
  const result = allSteps(writeInSteps(content, inMemory(head), options));
  const after: Files = { ...head, ...Object.fromEntries([...result.texts, ...result.files]) };
  for (const path of result.removed) {
    delete after[path];
  }
  return { ...result, after };
}

/** Converts imported content to content to write, with keys and paths as ids. */
export function exported(content: ImportedContent): ExportedContent {
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
      case 'link': {
        const { target } = rest;
        return {
          ...rest,
          id,
          target:
            target.kind === 'page'
              ? { kind: 'page', page: target.path, ...(target.anchor && { anchor: target.anchor }) }
              : reference(target),
        };
      }
      default:
        return { ...rest, id };
    }
  };
  return {
    pages: content.pages.map(page),
    files: content.files.map(({ name, size, git }) => ({ id: git.path, name, size, git })),
    reusableContents: content.reusableContents.map((item) => ({ ...item, id: item.git.path })),
    redirects: content.redirects,
    variables: content.variables,
  };
}

/** Returns comparable content: without ids and paths, which the writer chooses. */
export function comparable(content: ExportedContent) {
  const names = new Map(content.files.map(({ id, name }) => [id, name]));
  const titles = new Map([...walkExported(content.pages)].map(({ id, title }) => [id, title]));
  const reference = (ref: ExportedReference) =>
    ref.kind === 'file' ? { kind: 'file', name: names.get(ref.file) } : ref;
  const page = (item: ExportedPage): object => {
    const { id: _, ...facts } = item;
    switch (facts.type) {
      case 'document': {
        const { git: __, cover, path: ___, linksRoot: ____, ...rest } = facts;
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
      case 'link': {
        const { target } = facts;
        return {
          ...facts,
          target: target.kind === 'page' ? { ...target, page: titles.get(target.page) } : reference(target),
        };
      }
      default:
        return facts;
    }
  };
  return {
    pages: content.pages.map(page),
    files: content.files.map(({ name }) => name).sort(),
    reusableContents: content.reusableContents.map(({ title, markdown }) => `${title}\n${markdown}`).sort(),
    redirects: content.redirects.map(({ page: id, ...redirect }) => ({ ...redirect, page: titles.get(id) })),
    variables: content.variables,
  };
}

export const plain: Omit<ExportedDocument, 'id' | 'title' | 'slug' | 'path'> = {
  type: 'document',
  markdown: '',
  layout: DEFAULT_LAYOUT,
  variables: {},
  hidden: false,
  noIndex: false,
  noRobotsIndex: false,
  pages: [],
};

export const document = (slug: string, values: Partial<ExportedDocument> = {}): ExportedDocument => ({
  ...plain,
  id: `id of ${slug}`,
  title: slug,
  slug,
  path: slug,
  ...values,
});

export const content = (values: Partial<ExportedContent>): ExportedContent => ({
  pages: [],
  files: [],
  reusableContents: [],
  redirects: [],
  variables: {},
  ...values,
});

/** Texts on one line as the reader returns them. */
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

export const files = [
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
      coverSize: constantFrom('hero' as const, 'full' as const, 'background' as const),
      coverMask: constantFrom('none' as const, 'radial' as const),
      title: flag,
      description: flag,
      tableOfContents: flag,
      outline: flag,
      pagination: flag,
      metadata: flag,
      tags: flag,
      actions: flag,
      anchors: flag,
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

/** Assigns ids, paths and unique slugs to pages. */
function settled(list: readonly ExportedPage[], above = '', path = ''): ExportedPage[] {
  const slugs = new Set<string>();
  return list.flatMap((page, at): ExportedPage[] => {
    const id = `${above}/${at}`;
    if (!('slug' in page)) {
      return [{ ...page, id }];
    }
    if (slugs.has(page.slug)) {
      return [];
    }
    slugs.add(page.slug);
    const own = path === '' ? page.slug : `${path}/${page.slug}`;
    return [{ ...page, id, path: own, pages: settled(page.pages, id, own) }];
  });
}

export const anyContent = record({
  pages: pagesTo(2).map((list) => settled(list)),
  variables: dictionary(line(8), value, { maxKeys: 3, noNullPrototype: true }),
  reusableContents: array(record({ title, markdown }), { maxLength: 3 }),
}).map(
  (parts): ExportedContent => ({
    ...parts,
    files,
    redirects: [],
    reusableContents: parts.reusableContents.map((item, at) => ({ ...item, id: String(at) })),
  }),
);
