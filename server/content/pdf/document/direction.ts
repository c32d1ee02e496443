/** The direction of documents, pages and blocks. */
import { directionOf, directionOfFirstLetter, directionOfLanguage } from '../../html/direction.ts';
import type { Direction } from '../../html/options.ts';
import type { AnyBlock } from '../../markdown/document.ts';
import { textWithin } from '../../markdown/text-within.ts';
import { hasRightToLeft } from '../direction.ts';
import type { Span } from '../lines.ts';
import type { PrintedEntry } from '../page.ts';

/** Maximum number of blocks of a page that its direction is derived from. */
const MAX_READ_BLOCKS = 50;

/** Returns the direction of most of the directions; undefined if there is none, or as many of either. */
function majority(directions: ReadonlyArray<Direction | undefined>): Direction | undefined {
  const rtl = directions.filter((direction) => direction === 'rtl').length;
  const ltr = directions.filter((direction) => direction === 'ltr').length;
  return rtl === ltr ? undefined : rtl > ltr ? 'rtl' : 'ltr';
}

/** Languages by their scripts, for documents without a language. */
const LANGUAGES: ReadonlyArray<readonly [language: string, script: RegExp]> = [
  ['he', /\p{Script=Hebrew}/u],
  ['ar', /\p{Script=Arabic}/u],
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ['ko', /\p{Script=Hangul}/u],
  ['zh', /\p{Script=Han}/u],
  ['ru', /\p{Script=Cyrillic}/u],
];

/** Returns the likely language of most titles: screen readers require one to choose a voice. */
export function languageOf(entries: readonly PrintedEntry[]): string {
  const likely = LANGUAGES.find(
    ([, script]) => entries.filter(({ title }) => script.test(title)).length * 2 > entries.length,
  );
  return likely?.[0] ?? 'en';
}

/**
 * Returns the direction of a document. That of its language is often unspecified, or that of the site: titles from right
 * to left take precedence over it.
 */
export function directionOfDocument(
  language: string | undefined,
  entries: readonly PrintedEntry[],
): Direction {
  const isRtl = language !== undefined && directionOfLanguage(language) === 'rtl';
  return isRtl ? 'rtl' : (majority(entries.map(({ title }) => directionOf(title))) ?? 'ltr');
}

/** A block that cannot be read does not affect the page. */
const unlessBroken =
  (read: (block: AnyBlock) => Direction | undefined) =>
  (block: AnyBlock): Direction | undefined => {
    try {
      return read(block);
    } catch {
      return undefined;
    }
  };

/** Returns the direction of a page: that of the document, if it is from right to left; otherwise that of its blocks. */
export function directionOfPage(document: Direction, title: string, nodes: readonly AnyBlock[]): Direction {
  if (document === 'rtl') {
    return 'rtl';
  }
  const blocks = nodes.slice(0, MAX_READ_BLOCKS).map(unlessBroken(directionOfFirstLetter));
  return majority([directionOf(title), ...blocks]) ?? document;
}

/**
 * Returns a text that starts where texts around it do. A foreign one keeps its own order, for example of brackets.
 */
export const alignedSpans = (spans: Span[], outer: Direction): Span[] =>
  outer === 'ltr' || spans.some(({ text }) => hasRightToLeft(text))
    ? spans
    : spans.map((span) => ({ ...span, isolated: true }));

/**
 * Returns the direction of a block: from left to right that of its first letter, as on pages. From right to left, texts
 * that begin with a foreign word, such as the name of a product, keep the direction of the page.
 */
export function directionOfBlock(block: AnyBlock, outer: Direction): Direction {
  switch (block.type) {
    case 'code':
    case 'code-line':
      return 'ltr';
    case 'paragraph':
    case 'heading-1':
    case 'heading-2':
    case 'heading-3':
      return outer === 'rtl' && hasRightToLeft(textWithin(block.nodes))
        ? 'rtl'
        : (directionOfFirstLetter(block) ?? outer);
    default:
      return outer === 'rtl' ? 'rtl' : (directionOfFirstLetter(block) ?? outer);
  }
}
