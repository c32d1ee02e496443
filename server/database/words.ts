/** Maximum length of an indexed word. Longer words, such as hashes and encoded data, are truncated. */
export const MAX_INDEXED_WORD_CHARACTERS = 64;

/** Matches runs of scripts without spaces between words. Each of their characters is indexed as a word. */
const UNSPACED =
  /((?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\p{M}*)+)/u;

/**
 * Splits a text into words for search, without case, accents and punctuation. Each element is a phrase: one word, or
 * the characters of a run of unspaced script.
 *
 * @example phrases('Café: 東京!') // [['cafe'], ['東', '京']]
 */
export function phrases(text: string): string[][] {
  // Only marks of the combining diacritics block are removed: in other scripts marks are vowels.
  const folded = text
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC');
  const result: string[][] = [];
  for (const [run] of folded.matchAll(/[\p{L}\p{N}\p{M}\p{Co}]+/gu)) {
    // Splitting by a captured pattern returns the matches at odd indexes.
    run.split(UNSPACED).forEach((part, index) => {
      // Some vowels of Khmer are marks themselves: a run may start with one.
      if (index % 2 === 1) {
        result.push(part.match(/.\p{M}*/gu) ?? []);
      } else if (part) {
        result.push([truncate(part)]);
      }
    });
  }
  return result;
}

function truncate(word: string): string {
  return word.length > MAX_INDEXED_WORD_CHARACTERS
    ? Array.from(word).slice(0, MAX_INDEXED_WORD_CHARACTERS).join('')
    : word;
}
