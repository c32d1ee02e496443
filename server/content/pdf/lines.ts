/** Line layout: breaks text into lines by its measured width. Nothing here draws. */
import { createRequire } from 'node:module';
import type { Direction } from '../html/options.ts';
import { levelsOf, type TextRange } from './direction.ts';
import type { Fonts } from './fonts.ts';
import { append, type Piece, pieceOf, piecesOf, type Span, trailing, widthOf } from './lines/pieces.ts';

export type { Link, Piece, Span, TextStyle } from './lines/pieces.ts';

/** A line of a paragraph. Sizes are in points. */
export interface Line {
  pieces: Piece[];
  /** Width without trailing spaces. */
  width: number;
  height: number;
  /** Distance from the top to the baseline. */
  baseline: number;
  /** Whether the paragraph runs from right to left. */
  rtl: boolean;
}

// The package has no types.
const LineBreaker: new (text: string) => { nextBreak(): { position: number } | null } = createRequire(
  import.meta.url,
)('linebreak');

/** Height of a line as a multiple of its type size. */
const LINE_HEIGHT_FACTOR = 1.45;

/** Space above and below a box in a line. */
const BOX_GAP_POINTS = 2;

/** Longest word that is kept together where it fits a line, in UTF-16 units. */
const MAX_WORD_CODE_UNITS = 1000;

const words = new Intl.Segmenter(undefined, { granularity: 'word' });
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** Scripts with line breaks that require a dictionary, which UAX #14 does not cover. */
const UNSPACED = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
/** Where newer versions of Unicode than that of `linebreak` keep text together: in emoji, and after `--` in `--flag`. */
const UNBREAKABLE = /(?=[\p{Mark}\p{Emoji_Modifier}])|(?<=(?:^|\s)-+)/uy;
/** Invisible characters, except line feeds and those that join letters. */
const UNSEEN = /(?![\n\t])[\p{Cc}\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;

/** The visible characters of a text. */
const visible = (text: string): string =>
  text.replace(/\r\n?/g, '\n').replace(UNSEEN, '').replace(/\t/g, '    ');

/**
 * Breaks a paragraph into lines. A paragraph without text is one empty line.
 *
 * @param width of the lines, in points
 * @param direction of the paragraph; by default that of its first letter
 */
export function breakLines(
  spans: readonly Span[],
  width: number,
  fonts: Fonts,
  direction?: Direction,
): Line[] {
  const shown = spans.map((span) => (span.box ? span : { ...span, text: visible(span.text) }));
  const paragraphs: Span[][] = [[]];
  for (const span of shown) {
    const [first = '', ...rest] = span.box ? [span.text] : span.text.split('\n');
    if (first !== '') {
      paragraphs.at(-1)?.push({ ...span, text: first });
    }
    for (const text of rest) {
      paragraphs.push(text === '' ? [] : [{ ...span, text }]);
    }
  }
  const size = shown[0]?.style.size ?? 0;
  return paragraphs.flatMap((paragraph) => paragraphLines(paragraph, { width, fonts, size, direction }));
}

/** The offsets of spans with a direction of their own. */
function isolatedIn(spans: readonly Span[]): TextRange[] {
  let at = 0;
  return spans.flatMap(({ text, isolated }): TextRange[] => {
    at += text.length;
    return isolated ? [[at - text.length, at]] : [];
  });
}

interface ParagraphOptions {
  width: number;
  fonts: Fonts;
  size: number;
  direction: Direction | undefined;
}

function paragraphLines(spans: readonly Span[], { width, fonts, size, direction }: ParagraphOptions): Line[] {
  const text = spans.map((span) => span.text).join('');
  const { base, levels } = levelsOf(text, { direction, isolated: isolatedIn(spans) });
  const lines: Line[] = [];
  let line: Piece[] = [];
  let used = 0;
  const finish = () => {
    lines.push(lineOf(withBaseSpaces(line, base), base === 1, size));
    line = [];
    used = 0;
  };
  const add = (pieces: readonly Piece[]) => {
    for (const piece of pieces) {
      append(line, piece);
      used += piece.width;
    }
  };
  let start = 0;
  for (const end of breaks(text)) {
    const whole = end - start <= MAX_WORD_CODE_UNITS ? piecesOf(spans, text, start, end, levels, fonts) : [];
    const solid = widthOf(whole) - trailing(whole);
    if (end - start <= MAX_WORD_CODE_UNITS && solid <= width) {
      if (used + solid > width + 0.01) {
        finish();
      }
      add(whole);
    } else {
      if (used > 0) {
        finish();
      }
      let from = start;
      let filled = 0;
      for (const { segment, index } of graphemes.segment(text.slice(start, end))) {
        const at = start + index;
        const wide = widthOf(piecesOf(spans, text, at, at + segment.length, levels, fonts));
        if (filled > 0 && filled + wide > width && segment.trim() !== '') {
          add(piecesOf(spans, text, from, at, levels, fonts));
          finish();
          [from, filled] = [at, 0];
        }
        filled += wide;
      }
      add(piecesOf(spans, text, from, end, levels, fonts));
    }
    start = end;
  }
  if (line.length > 0 || lines.length === 0) {
    finish();
  }
  return lines;
}

/** The offsets where lines may end (UAX #14), including the end of the text. */
function breaks(text: string): number[] {
  const ends = new Set<number>();
  const breaker = new LineBreaker(text);
  for (let end = breaker.nextBreak(); end; end = breaker.nextBreak()) {
    UNBREAKABLE.lastIndex = end.position;
    if (end.position === text.length || !UNBREAKABLE.test(text)) {
      ends.add(end.position);
    }
  }
  for (const { 0: part, index: start } of text.matchAll(UNSPACED)) {
    for (const { index } of words.segment(part)) {
      if (index > 0) {
        ends.add(start + index);
      }
    }
  }
  return [...ends].sort((a, b) => a - b);
}

/** Has the trailing spaces of a line follow the direction of the paragraph (L1). */
function withBaseSpaces(pieces: Piece[], base: 0 | 1): Piece[] {
  const last = pieces.at(-1);
  const text = last?.text.trimEnd() ?? '';
  if (!last || last.box || last.level === base || text === last.text) {
    return pieces;
  }
  const spaces = pieceOf(last, last.text.slice(text.length), last.face, base);
  return [
    ...pieces.slice(0, -1),
    ...(text === '' ? [] : [pieceOf(last, text, last.face, last.level)]),
    spaces,
  ];
}

function lineOf(pieces: Piece[], rtl: boolean, size: number): Line {
  let [ascent, descent] = [0, 0];
  const tallest = pieces.reduce((max, { style }) => Math.max(max, style.size), pieces.length > 0 ? 0 : size);
  ascent = tallest * (LINE_HEIGHT_FACTOR - 0.4);
  descent = tallest * 0.4;
  for (const { box } of pieces) {
    if (box) {
      ascent = Math.max(ascent, box.ascent + BOX_GAP_POINTS);
      descent = Math.max(descent, box.descent + BOX_GAP_POINTS);
    }
  }
  return {
    pieces,
    width: widthOf(pieces) - trailing(pieces),
    height: ascent + descent,
    baseline: ascent,
    rtl,
  };
}
