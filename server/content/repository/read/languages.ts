import { posix } from 'node:path';
import { slugify } from '../../tree/slugs.ts';
import { decodePath, folderOf, type RepositoryFile, resolvePath } from '../files.ts';
import { problemReporter } from '../problems.ts';
import { allSteps, type Steps } from '../steps.ts';
import { decodeText } from '../text.ts';
import { type ContentConfiguration, inFolder, isInFolder } from './configuration.ts';
import type { ReadingContext } from './context.ts';
import type { OutlineEntry } from './outline.ts';
import { parseSummaryInSteps, type SummaryEntry } from './summary.ts';

const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i;
/** Maximum number of languages of a book. Further ones are omitted. */
export const MAX_BOOK_LANGUAGES = 200;

/** A language of a book. */
export interface BookLanguage {
  title: string;
  /** Folder of the book in this language, with a table of contents of its own. */
  folder: string;
}

/** Reads the languages of a book in their order, and reports how to publish them; none without a list of languages. */
export function readLanguages(
  { files, configuration, problems }: ReadingContext,
  listed: readonly RepositoryFile[],
): BookLanguage[] {
  const { languages: path, summary } = configuration;
  if (path === undefined) {
    return [];
  }
  const report = problemReporter(summary === undefined ? problems : [], path);
  const languages = new Map<string, BookLanguage>();
  for (const { title, target, line } of entriesOf(decodeText(files.read(path) ?? new Uint8Array()))) {
    if (target === undefined || ADDRESS.test(target)) {
      continue;
    }
    const location = resolvePath(decodePath(target), folderOf(path), configuration.root);
    const folder = location === undefined ? undefined : folderAt(location, listed);
    if (folder === undefined || folder === configuration.root) {
      report('not_found', `"${target}" is not a folder of the repository. Correct the path.`, line);
    } else if (languages.size < MAX_BOOK_LANGUAGES && !languages.has(folder)) {
      languages.set(folder, { title: title || posix.basename(folder), folder });
    }
  }
  if (languages.size > 0) {
    const folders = [...languages.keys()].map((folder) => `"${folder}"`).join(', ');
    report(
      'unsupported',
      `The languages are groups of one space. To publish them as variants, import each folder into a space of its own: ${folders}.`,
    );
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
  languages: readonly BookLanguage[],
  readBook: (configuration: ContentConfiguration) => Steps<OutlineEntry[]>,
): Steps<OutlineEntry[]> {
  const outline: OutlineEntry[] = [];
  const names = [posix.basename(configuration.summaryPath), 'SUMMARY.md', 'summary.md', 'Summary.md'];
  for (const { title, folder } of languages) {
    yield;
    const summary = names
      .map((name) => index.file(inFolder(folder, name))?.path)
      .find((path) => path !== undefined);
    const book = { ...configuration, root: folder, summary, readme: index.readme(folder)?.path };
    const entries = yield* readBook(book);
    outline.push({ kind: 'group', title, slug: slugify(posix.basename(folder)), entries });
  }
  return outline;
}

/** Returns the language that a repository declares as a tag (BCP 47): that of its first book, or of its configuration. */
export function declaredLanguage(
  { configuration }: ReadingContext,
  books: readonly string[],
): string | undefined {
  const [first] = books;
  return (
    languageTag(first === undefined ? undefined : posix.basename(first)) ??
    languageTag(configuration.language)
  );
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
