import { posix } from 'node:path';
import { slugify } from '../../../tree/slugs.ts';

const ENDING_PATTERN = /\.(?:md|markdown)$/i;
const INDEX_NAMES: ReadonlySet<string> = new Set(['readme', 'index']);
const PLAIN_SEGMENT = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.-]*$/u;
// Names that Git, Windows or macOS reserve.
const RESERVED_NAME = /^(?:\.+|\.git|git~1|con|prn|aux|nul|com\d|lpt\d)$/i;
const SEPARATOR_PATTERN = /[-_]/;

/** Returns the name of a Markdown file, without its ending. */
export function pageFileName(path: string): string {
  return posix.basename(path).replace(ENDING_PATTERN, '');
}

/** Whether a file is the page of its folder. */
export function isIndex(path: string): boolean {
  return INDEX_NAMES.has(pageFileName(path).toLowerCase());
}

/** Whether a name is reserved by Git or an operating system. */
export function isReserved(name: string): boolean {
  return RESERVED_NAME.test(name);
}

/** Returns a name that can be used for files and folders everywhere. */
export function safeName(name: string): string {
  return PLAIN_SEGMENT.test(name) && !isReserved(name) ? name : slugify(name);
}

/**
 * Returns the name of the file of a new page: its slug, written like the names of most of its siblings with underscores
 * or capital letters, as long as the slug follows from the name.
 *
 * @param siblings names of files
 */
export function fileNameFor(slug: string, siblings: readonly string[]): string {
  const words = slug.split('-');
  const composed = siblings.filter((name) => SEPARATOR_PATTERN.test(name));
  const separator = isMajority(composed, (name) => !name.includes('-')) ? '_' : '-';
  const cased = siblings.filter((name) => /[A-Za-z]/.test(name));
  // Capital letters of a single sibling can be a coincidence.
  const isAdopted = (test: (name: string) => boolean) => cased.length > 1 && isMajority(cased, test);
  const written = isAdopted((name) => wordsOf(name).every(isCapitalized))
    ? words.map(capitalized)
    : isAdopted((name) => isCapitalized(name))
      ? words.map((word, at) => (at === 0 ? capitalized(word) : word))
      : words;
  const name = written.join(separator);
  return slugify(name) === slug ? safeName(name) : safeName(slug);
}

const wordsOf = (name: string): string[] => name.split(/[-_ ]/).filter((word) => /^[A-Za-z]/.test(word));
const isCapitalized = (word: string): boolean => /^[A-Z]/.test(word);
const capitalized = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

function isMajority(names: readonly string[], test: (name: string) => boolean): boolean {
  return names.filter(test).length * 2 > names.length;
}
