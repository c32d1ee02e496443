/**
 * Derives the ID of a heading from its title. Hosts of documentation do so in different ways, and links of authors
 * contain the IDs of the host that they were written for, so a title has several forms.
 */
import { createRequire } from 'node:module';
import { LRUCache } from 'lru-cache';

/** Maximum length of the part of a title that its ID is derived from. */
export const MAX_ANCHOR_TITLE_CHARACTERS = 512;
/** Maximum number of cached transliterations of titles in other scripts. */
const MAX_CACHED_TITLES = 5000;

/** An apostrophe within a word: `Server's`. */
const APOSTROPHE = /(\S)(?:['\u2018\u2019\u201A\u201B\u2032\u2035]|\u0301)(\S)/g;
const WORDS: ReadonlyMap<string, string> = new Map([
  ['&', 'and'],
  ['|', 'or'],
  ['<', 'less-than'],
  ['>', 'greater-than'],
]);
/** Letters and digits; marks other than those that select the style of emoji. */
const LETTER = /^(?![\uFE00-\uFE0F\u20E3])[\p{L}\p{M}\p{N}]$/u;
const LATIN_WITH_MARKS = /([A-Za-z])\p{M}+/gu;

/** Characters that GitBook transliterates: none of those that are hyphens anyway. */
const TRANSLITERATED = /(?!\p{P}|\p{Extended_Pictographic}|\u200D|\uFE0F)[^\0-\x7f]/u;

const isLetter = (character: string | undefined): boolean => LETTER.test(character ?? '');

/**
 * Returns the ID of a heading as GitBook writes it: dots and underscores remain, other punctuation is a hyphen, a few
 * symbols are words, and a leading digit is preceded by `id-`. Letters of scripts other than Latin remain, where GitBook
 * transliterates them; see {@link otherForms}.
 */
export function anchorOfTitle(title: string): string {
  const slug = slugOf(title);
  return slug === '' ? 'section' : withPrefix(slug);
}

/**
 * Returns further IDs that hosts derive from a title, without duplicates: those of GitBook in other scripts and in
 * earlier versions, that of GitHub and mdBook, and that of this platform until it wrote those of GitBook.
 */
export function otherForms(title: string): string[] {
  const slug = slugOf(title);
  const transliterated = TRANSLITERATED.test(title) ? transliterate(title) : slug;
  const forms = new Set([
    withPrefix(transliterated === '' ? EMPTY_SLUG : transliterated),
    transliterated,
    slug,
    hyphenated(slug.replaceAll('.', '-')),
    gitHubSlug(title),
    joinedSlug(title),
  ]);
  forms.delete('');
  forms.delete(anchorOfTitle(title));
  return [...forms];
}

/** ID that GitBook writes for a title without any letter that it transliterates. */
const EMPTY_SLUG = 'undefined';

const withPrefix = (slug: string): string => (/^\p{N}/u.test(slug) ? `id-${slug}` : slug);

function slugOf(title: string): string {
  const text = titleText(title).normalize('NFD').replace(LATIN_WITH_MARKS, '$1').normalize('NFC');
  let slug = '';
  let isAfterWord = false;
  const characters = [...text.replace(APOSTROPHE, '$1$2')];
  for (const [at, character] of characters.entries()) {
    const word = WORDS.get(character);
    if (word !== undefined) {
      const isJoined = isAfterWord || isLetter(slug.at(-1));
      slug += `${isJoined ? '-' : ''}${word}${isLetter(characters[at + 1]) ? '-' : ''}`;
    } else if (character === '_' || character === '.') {
      slug += character;
    } else {
      const written = character === '$' ? 'usd' : isLetter(character) ? character : '-';
      slug += isAfterWord ? `-${written}` : written;
    }
    isAfterWord = word !== undefined;
  }
  return hyphenated(slug).toLowerCase();
}

/** Returns a title without what would make deriving its ID slow. */
const titleText = (title: string): string =>
  title.slice(0, MAX_ANCHOR_TITLE_CHARACTERS).toWellFormed().replace(/\s+/g, ' ').trim();

/** Reduces runs of hyphens to one, and removes them at both ends. */
const hyphenated = (slug: string): string => slug.split('-').filter(Boolean).join('-');

/** Returns the ID of a heading as that of GitHub, with a single hyphen for several spaces. */
const joinedSlug = (title: string): string =>
  withoutPunctuation(title).trim().replace(/ {2,}/g, ' ').replaceAll(' ', '-');

/** Returns the ID of a heading as GitHub and mdBook write it: punctuation is omitted, and each space is a hyphen. */
const gitHubSlug = (title: string): string => withoutPunctuation(title).replaceAll(' ', '-');

const withoutPunctuation = (title: string): string =>
  titleText(title)
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '');

const transliterations = new LRUCache<string, string>({ max: MAX_CACHED_TITLES });
type Transliterate = typeof import('limax')['default'];
let library: Transliterate | undefined;

/** Returns the slug of a title with letters of other scripts, in Latin letters. */
function transliterate(title: string): string {
  const cached = transliterations.get(title);
  if (cached !== undefined) {
    return cached;
  }
  // Loaded on the first title that requires it, because its dictionary takes time and memory.
  library ??= createRequire(import.meta.url)('limax') as Transliterate;
  const slug = library(titleText(title), { tone: false, custom: { '.': '.' } });
  transliterations.set(title, slug);
  return slug;
}
