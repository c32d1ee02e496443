import { posix } from 'node:path';
import { slugify } from '../../tree/slugs.ts';
import {
  decodePath,
  folderOf,
  type PathIndex,
  type RepositoryFile,
  type RepositoryFiles,
  resolvePath,
} from '../files.ts';
import { problemReporter } from '../problems.ts';
import { allSteps, type Steps } from '../steps.ts';
import { decodeText } from '../text.ts';
import type { ContentProblem } from '../types.ts';
import {
  type BookLanguage,
  type ContentConfiguration,
  inFolder,
  isInFolder,
  LANGUAGE_FILES,
} from './configuration.ts';
import type { ReadingContext } from './context.ts';
import type { OutlineEntry } from './outline.ts';
import { parseSummaryInSteps, type SummaryEntry } from './summary.ts';

const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i;
/** Maximum number of characters of the languages that a message names. Others are named in further messages. */
export const MAX_LANGUAGE_NAMES_CHARACTERS = 600;
/** Maximum number of languages of a book. Further ones are omitted. */
export const MAX_BOOK_LANGUAGES = 200;

/** Adds the languages of a book to its configuration, and reports how to publish them. */
export function withLanguages(
  configuration: ContentConfiguration,
  files: RepositoryFiles,
  listed: readonly RepositoryFile[],
  problems: ContentProblem[],
): ContentConfiguration {
  const { languages: path, summary, root } = configuration;
  if (path === undefined) {
    return configuration;
  }
  const report = problemReporter(summary === undefined ? problems : [], path);
  const text = decodeText(files.read(path) ?? new Uint8Array());
  const books = readLanguages(text, { path, root, listed }, (target, line) =>
    report('not_found', `"${target}" is not a folder of the repository. Correct the path.`, line),
  );
  for (const part of partsOf(books)) {
    report('unsupported', variantsMessage(part), part[0]?.line);
  }
  return { ...configuration, books, isMultilingual: books.length > 0 && summary === undefined };
}

const bookNameOf = ({ folder, title }: BookLanguage): string => `"${folder}" (${title})`;

/** Divides languages into parts that each fit in a message. */
function partsOf(books: readonly BookLanguage[]): BookLanguage[][] {
  const parts: BookLanguage[][] = [];
  let length = Infinity;
  for (const book of books) {
    length += bookNameOf(book).length;
    if (length > MAX_LANGUAGE_NAMES_CHARACTERS) {
      parts.push([]);
      length = bookNameOf(book).length;
    }
    parts.at(-1)?.push(book);
  }
  return parts;
}

/** Describes how to publish languages as variants. */
function variantsMessage(books: readonly BookLanguage[]): string {
  const folders = books.map(bookNameOf);
  return `The languages became groups of one space. To publish them as variants, create a space for each folder, import the repository into it with the folder as \`repoProjectDirectory\`, and add the spaces to one site in this order: ${folders.join(', ')}.`;
}

/** The list of languages of a repository. */
export interface LanguageList {
  path: string;
  /** The folder of the documentation. */
  root: string;
  listed: readonly RepositoryFile[];
}

/**
 * Reads the text of a list of languages.
 *
 * @param reportMissing is called with each target that is not a folder
 */
export function readLanguages(
  text: string,
  { path, root, listed }: LanguageList,
  reportMissing: (target: string, line: number) => void = () => {},
): BookLanguage[] {
  const languages = new Map<string, BookLanguage>();
  for (const { title, target, line } of entriesOf(text)) {
    if (target === undefined || ADDRESS.test(target)) {
      continue;
    }
    const location = resolvePath(decodePath(target), folderOf(path), root);
    const folder = location === undefined ? undefined : folderAt(location, listed);
    if (folder === undefined || folder === root || !isInFolder(root, folder)) {
      reportMissing(target, line);
    } else if (languages.size < MAX_BOOK_LANGUAGES && !languages.has(folder)) {
      languages.set(folder, { title: title || posix.basename(folder), folder, line });
    }
  }
  return [...languages.values()];
}

/** Lists the entries of a list of languages, with those that it nests. */
function entriesOf(text: string): SummaryEntry[] {
  const flat = (entries: readonly SummaryEntry[]): SummaryEntry[] =>
    entries.flatMap((entry) => [entry, ...flat(entry.entries)]);
  return flat(allSteps(parseSummaryInSteps(text)));
}

/** Returns the folder that a path leads to: itself, or that of a file. */
function folderAt(path: string, listed: readonly RepositoryFile[]): string | undefined {
  if (listed.some((file) => isInFolder(path, file.path))) {
    return path;
  }
  return listed.some((file) => file.path === path) ? folderOf(path) : undefined;
}

/**
 * Creates the outline of a book in several languages: a group for each, in the order of its list.
 *
 * @param readBook reads the outline of a book in a folder
 */
export function* outlineOfLanguages(
  { configuration, index }: ReadingContext,
  readBook: (configuration: ContentConfiguration) => Steps<OutlineEntry[]>,
): Steps<OutlineEntry[]> {
  const outline: OutlineEntry[] = [];
  for (const { title, folder } of configuration.books) {
    yield;
    const entries = yield* readBook(bookConfiguration(configuration, folder, index));
    outline.push({ kind: 'group', title, slug: slugOfLanguage(folder), entries });
  }
  return outline;
}

/** Returns the slug of the group of a language. */
export const slugOfLanguage = (folder: string): string => slugify(posix.basename(folder));

/** Returns the configuration of a book in one of several languages. */
export function bookConfiguration(
  configuration: ContentConfiguration,
  folder: string,
  index: PathIndex,
): ContentConfiguration {
  const name = posix.basename(configuration.summaryPath);
  const summary = [name, 'SUMMARY.md', 'summary.md', 'Summary.md']
    .map((name) => index.file(inFolder(folder, name))?.path)
    .find((path) => path !== undefined);
  return {
    ...configuration,
    root: folder,
    summary,
    summaryPath: summary ?? inFolder(folder, name),
    readme: index.readme(folder)?.path,
    languages: undefined,
    books: [],
    isMultilingual: false,
  };
}

/**
 * Returns the language that a repository declares as a tag (BCP 47): that of its first book, of the list of languages
 * around a project, or of its configuration.
 */
export function declaredLanguage({ configuration, files }: ReadingContext): string | undefined {
  const { language, books, project } = configuration;
  const [first] = books;
  return (
    languageTag(first && posix.basename(first.folder)) ??
    languageOfProject(project, files) ??
    languageTag(language)
  );
}

/** Returns the language of a project that is one of the books of its repository. */
function languageOfProject(project: string, files: RepositoryFiles): string | undefined {
  const language = project === '' ? undefined : languageTag(posix.basename(project));
  const isBook = () =>
    LANGUAGE_FILES.some((name) => files.findOutside?.(inFolder(folderOf(project), name)) !== undefined);
  return language !== undefined && isBook() ? language : undefined;
}

const TAG = /^[a-z]{2,3}(?:[-_][a-z\d]{2,8}){0,3}$/i;

function languageTag(value: unknown): string | undefined {
  if (typeof value !== 'string' || !TAG.test(value)) {
    return undefined;
  }
  const tag = value.replaceAll('_', '-');
  try {
    // Other words may look like tags, but have no name.
    const [canonical] = Intl.getCanonicalLocales(tag);
    const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
    return canonical !== undefined && names.of(canonical) !== undefined ? canonical : undefined;
  } catch {
    return undefined;
  }
}
