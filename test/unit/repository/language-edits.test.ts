import { expect, test } from 'vitest';
import { readRepository } from '../../../server/content/repository/read/repository.ts';
import {
  type ExportedContent,
  type ExportedDocument,
  type ExportedGroup,
  type ExportedPage,
  walkExported,
} from '../../../server/content/repository/write/types.ts';
import { DEFAULT_LAYOUT } from '../../../server/content/tree/records.ts';
import { comparable, exported, type Files, inMemory, written } from './writing-samples.ts';

const BOOK: Files = {
  'LANGS.md':
    '# Languages\n\nRead it in:\n\n* [Deutsch](de/)\n* [Ελληνικά](./el/README.md)\n\n* [العربية](ar)\n\nThanks!\n',
  'README.md': '# About this repository\n',
  'de/README.md': '# Gärten\n',
  'de/SUMMARY.md':
    '# Inhalt\n\n- [Gärten](README.md)\n- [Beete](./beds.md)\n    - [Wege](./beds/paths.md)\n\n## Anhang\n\n- [Glossar](glossary.md)\n',
  'de/beds.md': '# Beete\n\nText.\n',
  'de/beds/paths.md': '# Wege\n',
  'de/glossary.md': '# Glossar\n',
  'el/README.md': '# Κήποι\n',
  'el/SUMMARY.md': '* [Κήποι](README.md)\n* [Παρτέρια](beds.md)\n',
  'el/beds.md': '# Παρτέρια\n',
  'ar/README.md': '# حدائق\n',
  'ar/b.md': '# باء\n',
  'ar/c.md': '# جيم\n',
};

function groups({ pages }: ExportedContent): ExportedGroup[] {
  return pages.flatMap((page) => (page.type === 'group' ? [page] : []));
}

function group(content: ExportedContent, slug: string): ExportedGroup {
  const found = groups(content).find((page) => page.slug === slug);
  if (!found) {
    throw new Error(`"${slug}" does not exist.`);
  }
  return found;
}

function document(pages: readonly ExportedPage[], title: string): ExportedDocument {
  const page = [...walkExported(pages)].find((candidate) => candidate.title === title);
  if (page?.type !== 'document') {
    throw new Error(`"${title}" does not exist.`);
  }
  return page;
}

const newPage = (title: string, slug: string): ExportedDocument => ({
  type: 'document',
  id: slug,
  title,
  slug,
  path: slug,
  markdown: 'New.\n',
  layout: DEFAULT_LAYOUT,
  variables: {},
  hidden: false,
  noIndex: false,
  noRobotsIndex: false,
  pages: [],
});

/** Writes an edited book, and returns the files that change; removed ones are null. The result is read as the same content. */
function edited(
  edit: (content: ExportedContent) => void,
  book = BOOK,
  directory = '',
): Record<string, string | null> {
  const content = exported(readRepository(inMemory(book), directory));
  const previousPaths = new Set(
    [...walkExported(content.pages)].flatMap((page) =>
      page.type === 'document' ? (page.git?.path ?? []) : [],
    ),
  );
  edit(content);
  const { after } = written(content, book, { previousPaths, directory });
  const read = exported(readRepository(inMemory(after), directory));
  expect(comparable(read)).toEqual(comparable(content));
  expect([...written(read, after, { directory }).texts]).toEqual([]);
  return Object.fromEntries(
    [...new Set([...Object.keys(book), ...Object.keys(after)])].flatMap((path) =>
      book[path] === after[path] ? [] : [[path, after[path] ?? null]],
    ),
  );
}

test('an unchanged book in several languages changes nothing', () => {
  expect(edited(() => {})).toEqual({});
});

test('an edit of a text changes only its file', () => {
  const changes = edited(({ pages }) => {
    Object.defineProperty(document(pages, 'Beete'), 'markdown', { value: 'Anderer Text.\n' });
  });
  expect(changes).toEqual({ 'de/beds.md': '# Beete\n\nAnderer Text.\n' });
});

test('an edit of the tree changes the lines of the table of contents of its language', () => {
  const changes = edited((content) => {
    const german = group(content, 'de');
    document(german.pages, 'Wege').title = 'Pfade';
    german.pages.splice(2, 0, newPage('Kompost', 'compost'));
  });
  expect(changes).toEqual({
    'de/SUMMARY.md':
      '# Inhalt\n\n- [Gärten](README.md)\n- [Beete](./beds.md)\n    - [Pfade](./beds/paths.md)\n- [Kompost](compost.md)\n\n## Anhang\n\n- [Glossar](glossary.md)\n',
    'de/beds/paths.md': '# Pfade\n',
    'de/compost.md': '# Kompost\n\nNew.\n',
  });
});

test('several languages are edited, each in its own table of contents', () => {
  const changes = edited((content) => {
    group(content, 'de').pages.pop();
    group(content, 'el').pages.reverse();
  });
  expect(changes).toEqual({
    'de/SUMMARY.md': expect.not.stringContaining('Glossar'),
    'de/glossary.md': null,
    'el/SUMMARY.md': '* [Παρτέρια](beds.md)\n* [Κήποι](README.md)\n',
  });
});

test('a language that is arranged by its folder gets a table of contents when its tree changes', () => {
  const changes = edited((content) => {
    const arabic = group(content, 'ar');
    arabic.pages = [...arabic.pages].reverse();
  });
  expect(changes).toEqual({
    'ar/SUMMARY.md': '# Table of contents\n\n* [جيم](c.md)\n* [باء](b.md)\n* [حدائق](README.md)\n',
  });
});

test('a page that is moved to another language is moved to its folder', () => {
  const changes = edited((content) => {
    const german = group(content, 'de');
    const [moved] = german.pages.splice(1, 1);
    group(content, 'el').pages.push(...(moved ? [{ ...moved, slug: 'beete' } as ExportedDocument] : []));
  });
  expect(changes).toEqual({
    'de/SUMMARY.md': '# Inhalt\n\n- [Gärten](README.md)\n\n## Anhang\n\n- [Glossar](glossary.md)\n',
    'de/beds.md': null,
    'de/beds/paths.md': null,
    'el/SUMMARY.md':
      '* [Κήποι](README.md)\n* [Παρτέρια](beds.md)\n* [Beete](beete.md)\n  * [Wege](beete/paths.md)\n',
    'el/beete.md': '# Beete\n\nText.\n',
    'el/beete/paths.md': '# Wege\n',
  });
});

test('a change of the languages changes their lines', () => {
  const changes = edited((content) => {
    const [german, greek, arabic] = content.pages;
    if (!german || !greek || !arabic) {
      throw new Error('A language does not exist.');
    }
    arabic.title = 'عربي';
    content.pages = [arabic, german];
  });
  expect(changes).toEqual({
    'LANGS.md': '# Languages\n\nRead it in:\n\n* [عربي](ar)\n* [Deutsch](de/)\n\n\nThanks!\n',
    'el/README.md': null,
    'el/SUMMARY.md': null,
    'el/beds.md': null,
  });
});

test('a new group is a new language', () => {
  const changes = edited((content) => {
    content.pages.push({
      type: 'group',
      id: 'it',
      title: 'Italiano [IT]',
      slug: 'it',
      path: 'it',
      pages: [newPage('Orti', 'orti')],
    });
  });
  expect(changes).toEqual({
    'LANGS.md': BOOK['LANGS.md']?.replace('(ar)\n', '(ar)\n* [Italiano \\[IT\\]](it/)\n'),
    'it/orti.md': '# Orti\n\nNew.\n',
  });
});

test('a page beside the languages needs a table of contents for all', () => {
  const changes = edited((content) => {
    content.pages.push(newPage('About', 'about'));
  });
  expect(Object.keys(changes)).toContain('SUMMARY.md');
});

test('books of a folder of the repository are written there', () => {
  const files = Object.fromEntries(Object.entries(BOOK).map(([path, text]) => [`docs/${path}`, text]));
  const changes = edited(
    (content) => {
      group(content, 'el').pages.push(newPage('Σπόροι', 'seeds'));
    },
    { ...files, 'SUMMARY.md': '* [Elsewhere](other.md)\n', 'other.md': '' },
    'docs',
  );
  expect(changes).toEqual({
    'docs/el/SUMMARY.md': '* [Κήποι](README.md)\n* [Παρτέρια](beds.md)\n* [Σπόροι](seeds.md)\n',
    'docs/el/seeds.md': '# Σπόροι\n\nNew.\n',
  });
});
