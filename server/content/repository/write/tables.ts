/** The tables of contents of a repository: one, or one for each of its languages and a list of these. */

import { UniqueNames } from '../../tree/slugs.ts';
import type { PathIndex, RepositoryFiles } from '../files.ts';
import { type ContentConfiguration, inFolder } from '../read/configuration.ts';
import { bookConfiguration, readLanguages, slugOfLanguage } from '../read/languages.ts';
import { collapse, decodeText } from '../text.ts';
import { inlineText, pathTarget } from './inline.ts';
import { safeName } from './new-pages/file-names.ts';
import { type ExportedGroup, type ExportedPage, walkExported } from './types.ts';

/** A table of contents, and what it lists. */
export interface BookContents {
  /** The configuration of the book. */
  configuration: ContentConfiguration;
  pages: readonly ExportedPage[];
  /** ID of the group that the book is; undefined for all content. */
  group?: string;
}

/** The tables of contents of content. */
export interface PlannedContents {
  configuration: ContentConfiguration;
  tables: readonly BookContents[];
  /** Paths of the tables of contents of former languages. */
  former: readonly string[];
  /** The list of languages, if it changes. */
  languages?: { path: string; text: string };
}

/** A language as it is written. */
interface WrittenLanguage {
  title: string;
  folder: string;
}

/** Returns the paths of tables of contents. */
export const summaryPathsOf = (tables: readonly BookContents[]): Set<string> =>
  new Set(tables.map(({ configuration }) => configuration.summaryPath));

/** Returns the folders of the books of pages, by the ID of the page. */
export const topFoldersOf = (tables: readonly BookContents[]): Map<string, string> =>
  new Map(
    tables.flatMap(({ configuration, pages }) =>
      [...walkExported(pages)].map(({ id }) => [id, configuration.root] as const),
    ),
  );

/**
 * Plans the tables of contents: one for each language, as long as the top level of the tree consists of groups that can
 * be languages. Otherwise there is one for all content, which takes precedence over the list of languages.
 */
export function planContents(
  pages: readonly ExportedPage[],
  configuration: ContentConfiguration,
  head: RepositoryFiles,
  index: PathIndex,
): PlannedContents {
  const { isMultilingual, books, languages: path } = configuration;
  const groups = pages.filter((page) => page.type === 'group');
  const whole = { configuration: { ...configuration, isMultilingual: false }, pages };
  const single = { configuration: whole.configuration, tables: [whole], former: [] };
  if (!isMultilingual || path === undefined || groups.length === 0 || groups.length < pages.length) {
    return single;
  }
  const folders = foldersOf(groups, configuration);
  const written = groups.map(({ id, title }) => ({ title: collapse(title), folder: folders.get(id) ?? '' }));
  const isUnchanged =
    written.length === books.length &&
    written.every(({ title, folder }, at) => folder === books[at]?.folder && hasTitle(books[at], title));
  const text = isUnchanged ? undefined : editLanguages(head, written, configuration);
  if (!isUnchanged && text === undefined) {
    return single;
  }
  const all = { ...configuration, books: written.map((language) => ({ ...language, line: 1 })) };
  return {
    configuration: all,
    tables: groups.map((group) => ({
      configuration: bookConfiguration(all, folders.get(group.id) ?? '', index),
      pages: group.pages,
      group: group.id,
    })),
    former: books.flatMap(({ folder }) => {
      const { summary } = bookConfiguration(configuration, folder, index);
      return summary === undefined || written.some((language) => language.folder === folder) ? [] : [summary];
    }),
    ...(text !== undefined && { languages: { path, text } }),
  };
}

const hasTitle = (language: WrittenLanguage, title: string): boolean =>
  title === '' || title === language.title;

/** Returns the folders of languages by the ID of their group: the existing one with its slug, or a new one. */
function foldersOf(
  groups: readonly ExportedGroup[],
  { books, root }: ContentConfiguration,
): Map<string, string> {
  const slugs = new UniqueNames();
  const existing = new Map(books.map(({ folder }) => [slugs.assign(slugOfLanguage(folder)), folder]));
  return new Map(groups.map(({ id, slug }) => [id, existing.get(slug) ?? inFolder(root, safeName(slug))]));
}

/**
 * Edits a list of languages: their lines are reordered, renamed, removed and added; others are unchanged.
 *
 * @returns undefined if the result is not read as these languages
 */
function editLanguages(
  head: RepositoryFiles,
  languages: readonly WrittenLanguage[],
  { books, languages: path = '', root }: ContentConfiguration,
): string | undefined {
  const lines = decodeText(head.read(path) ?? new Uint8Array()).split('\n');
  const slots = books.map(({ line }) => line - 1);
  if (new Set(slots).size < slots.length) {
    return undefined;
  }
  const written = languages.map(({ title, folder }) => {
    const book = books.find((book) => book.folder === folder);
    const line = lines[book ? book.line - 1 : (slots.at(-1) ?? 0)] ?? '';
    if (book) {
      return hasTitle(book, title) ? line : renamed(line, title);
    }
    const marker = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+/.exec(line)?.[0] ?? '* ';
    return `${marker}[${inlineText(title)}](${pathTarget(folder, path)}/)`;
  });
  const added = written.slice(slots.length);
  const ranks = new Map(slots.toSorted((left, right) => left - right).map((at, rank) => [at, rank]));
  const edited = lines.flatMap((line, at) => {
    const rank = ranks.get(at);
    if (rank === undefined) {
      return [line];
    }
    const isLast = rank === ranks.size - 1;
    return [...written.slice(rank, rank + 1), ...(isLast ? added : [])];
  });
  const result = edited.join('\n');
  const created = languages.map(({ folder }) => ({ path: `${folder}/`, oid: '', size: 0, mode: '' }));
  const listed = [...head.list(), ...created];
  const read = readLanguages(result, { path, root, listed });
  const isSame =
    read.length === languages.length &&
    languages.every(({ title, folder }, at) => read[at]?.folder === folder && hasTitle(read[at], title));
  return isSame ? result : undefined;
}

/** Replaces the text of the first link of a line. */
const renamed = (line: string, title: string): string =>
  line.replace(/\[[^[\]]{0,1000}\]/, () => `[${inlineText(title)}]`);
