/** Longer words are cut: they are hashes and encoded data, which nobody types to the end. */
export const MAX_INDEXED_WORD_CHARACTERS = 64;

/** Runs of the scripts that do not put spaces between words; each of their characters is taken as a word. */
const UNSPACED =
  /((?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\p{M}*)+)/u;

/**
 * The words of a text as search compares them: without case, accents and punctuation. Each element is what must
 * stand together: one word, or the characters of a run of unspaced script.
 *
 * @example phrases('Café: 東京!') // [['cafe'], ['東', '京']]
 */
export function phrases(text: string): string[][] {
  // Only the accents of the combining-diacritics block go: in other scripts the marks are vowels.
  const folded = text
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC');
  const found: string[][] = [];
  for (const [run] of folded.matchAll(/[\p{L}\p{N}\p{M}\p{Co}]+/gu)) {
    // Splitting by a captured pattern answers what is between the matches and, at odd places, the matches.
    run.split(UNSPACED).forEach((part, place) => {
      // Some vowels of Khmer are marks themselves: a run may start with one.
      if (place % 2 === 1) found.push(part.match(/.\p{M}*/gu) ?? []);
      else if (part) found.push([cut(part)]);
    });
  }
  return found;
}

function cut(word: string): string {
  return word.length > MAX_INDEXED_WORD_CHARACTERS
    ? Array.from(word).slice(0, MAX_INDEXED_WORD_CHARACTERS).join('')
    : word;
}
