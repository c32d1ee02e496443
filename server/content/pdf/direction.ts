/**
 * The direction of text: a short form of the Unicode bidirectional algorithm (UAX #9) without explicit controls,
 * for lines of words in scripts of both directions.
 */
const RIGHT_LETTER =
  /(?=[\p{L}\p{M}])[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;
const LEFT_LETTER = /\p{L}/u;
const DIGIT = /\p{Nd}/u;

/** Whether a run of text of one direction runs from right to left. */
export const isRightToLeft = (text: string): boolean => RIGHT_LETTER.test(text);

/** The levels of a text: of the whole, and of each of its UTF-16 units. */
export interface Levels {
  base: 0 | 1;
  /** Undefined where all is of the base's level, from left to right. */
  levels?: Uint8Array;
}

type Kind = 'left' | 'right' | 'digit' | 'neutral';

/** The levels of the characters of a paragraph: even ones run from left to right, odd ones from right to left. */
export function levelsOf(text: string): Levels {
  if (!isRightToLeft(text)) return { base: 0 };
  const characters = [...text].map((character) => ({ character, kind: kindOf(character) }));
  const base = characters.find(({ kind }) => kind === 'left' || kind === 'right')?.kind === 'right' ? 1 : 0;
  const left = base === 1 ? 2 : 0;
  const levels = new Uint8Array(text.length);
  let strong: 'left' | 'right' = base === 1 ? 'right' : 'left';
  let before = base as number;
  let at = 0;
  let neutrals = 0;
  const settle = (side: number) => {
    // What lies between two of the same direction has theirs, else that of the paragraph (N1, N2).
    const level = side % 2 === before % 2 ? (side % 2 === 1 ? 1 : left) : base;
    levels.fill(level, neutrals, at);
  };
  for (const { character, kind } of characters) {
    if (kind !== 'neutral') {
      const level = kind === 'right' ? 1 : kind === 'left' ? left : strong === 'right' ? 2 : left;
      // A number counts as part of the words from right to left that it stands among.
      const side = kind === 'digit' && strong === 'right' ? 1 : level;
      settle(side);
      levels.fill(level, at, at + character.length);
      before = side;
      neutrals = at + character.length;
      if (kind !== 'digit') strong = kind;
    }
    at += character.length;
  }
  settle(base);
  return { base, levels };
}

function kindOf(character: string): Kind {
  if (RIGHT_LETTER.test(character)) return 'right';
  if (DIGIT.test(character)) return 'digit';
  return LEFT_LETTER.test(character) ? 'left' : 'neutral';
}

/** The pieces of a line from left to right, as they show (UAX #9, L2). */
export function visualOrder<Piece extends { level: number }>(pieces: readonly Piece[]): Piece[] {
  const order = [...pieces];
  const highest = Math.max(0, ...order.map(({ level }) => level));
  for (let level = highest; level >= 1; level--) {
    for (let start = 0; start < order.length; start++) {
      let end = start;
      while ((order[end]?.level ?? -1) >= level) end++;
      if (end > start) order.splice(start, end - start, ...order.slice(start, end).reverse());
      start = end;
    }
  }
  return order;
}
