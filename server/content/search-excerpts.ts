/** Excerpts of the texts of sections, for the results of a search. */

/** Maximum length of an excerpt of a section in results, in characters, without its ellipses. */
export const MAX_SECTION_EXCERPT_CHARACTERS = 300;
/** Maximum length of the part of an excerpt before the first match, in characters. */
const LEAD_CHARACTERS = 80;
/** Maximum number of words of a query that are looked for. */
const MAX_WORDS = 16;

/** Returns the distinct words of a query, in lower case. */
export const wordsOf = (query: string): string[] =>
  [...new Set(query.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [])].slice(0, MAX_WORDS);

/** Returns the position of the first of some words in a text in lower case; undefined if it has none. */
export function firstMatch(text: string, words: readonly string[]): number | undefined {
  const matches = words.map((word) => text.indexOf(word)).filter((at) => at >= 0);
  return matches.length > 0 ? Math.min(...matches) : undefined;
}

/**
 * Returns the text of a section, or if it is long, the part of it around the first of the words, or else its start. Where
 * text is omitted, there is an ellipsis.
 *
 * @param words words of the query, in lower case
 */
export function sectionExcerpt(body: string, words: readonly string[]): string {
  if (body.length <= MAX_SECTION_EXCERPT_CHARACTERS) {
    return body;
  }
  const lead = Math.max(0, (firstMatch(body.toLowerCase(), words) ?? 0) - LEAD_CHARACTERS);
  // At the end of the text, and at the start of a word, if the script separates words.
  const from = Math.min(lead, body.length - MAX_SECTION_EXCERPT_CHARACTERS);
  const space = body.slice(from, from + LEAD_CHARACTERS).search(/\s/);
  const start = from > 0 && space >= 0 ? from + space + 1 : from;
  const end = start + MAX_SECTION_EXCERPT_CHARACTERS;
  const text = body.slice(start, end).toWellFormed();
  return `${start > 0 ? '… ' : ''}${text}${end < body.length ? ' …' : ''}`;
}
