// Parsing takes linear time, measured by operations instead of a clock.
import { expect, test } from 'vitest';
import type { Block } from '../../../server/content/markdown/document.ts';
import { LimitExceeded } from '../../../server/content/markdown/limits.ts';
import { parseMarkdown } from '../../../server/content/markdown/markdown.ts';
import { syntaxNodes } from '../../../server/content/markdown/read/parse/windows.ts';
import { syntaxTree } from '../../../server/content/markdown/syntax.ts';
import { ORDINARY_SHAPES } from '../../support/content/markdown-shapes.ts';

/** Ten times as much text is parsed in several windows. */
const CHARACTERS = 3000;

/**
 * Counts the array entries that some work moves or copies. The parser keeps its events in arrays: an algorithm with
 * more than linear time iterates over all of them for each part of a text.
 */
function movedEntries(work: () => unknown): number {
  const { splice, slice } = Array.prototype;
  let moved = 0;
  Array.prototype.splice = function (this: unknown[], ...rest: Parameters<typeof splice>) {
    moved += this.length - Math.min(rest[0], this.length);
    return Reflect.apply(splice, this, rest);
  };
  Array.prototype.slice = function (this: unknown[], ...rest) {
    const copy: unknown[] = Reflect.apply(slice, this, rest);
    moved += copy.length;
    return copy;
  };
  try {
    work();
    return moved;
  } finally {
    Array.prototype.splice = splice;
    Array.prototype.slice = slice;
  }
}

/**
 * More than ten: from some length on, the parser copies in two steps, and how much of a text windows parse twice
 * depends on where they end. Iterating over everything for each part would be a hundred.
 */
const MAX_GROWTH = 20;

test.each(Object.entries(ORDINARY_SHAPES))('takes linear time for %s', (_, shape) => {
  const nodes: Block[][] = [];
  const read = (characters: number) => () => nodes.push(parseMarkdown(shape(characters)).nodes);
  const [work, tenfold] = [movedEntries(read(CHARACTERS)), movedEntries(read(10 * CHARACTERS))];
  expect(tenfold / work).toBeLessThan(MAX_GROWTH);
  // No limit ended the work.
  for (const [first] of nodes) {
    expect(first?.type === 'paragraph' ? first.data.problem : undefined).toBeUndefined();
  }
});

/** A long quotation of plain text. */
const QUOTE = ORDINARY_SHAPES['one quote']?.(100_000) ?? '';

test('parses a long quotation of plain text once', () => {
  const once = movedEntries(() => syntaxTree(QUOTE));
  expect(movedEntries(() => syntaxNodes(QUOTE)) / once).toBeLessThan(1.05);
});

test('parses a long quotation of lists, whose markers are not indented, in windows', () => {
  const [quote, ...more] = syntaxNodes('> * a\n>\n> b\n'.repeat(6000));
  expect(quote?.type === 'blockquote' && quote.children.length).toBe(12_000);
  expect(more).toEqual([]);
});

test('parses a quotation of plain text, then of lists, in steps', () => {
  const lists = ' > - a\n > b\n'.repeat(10_000);
  expect(() => syntaxNodes(`${QUOTE.slice(0, 5000)}\n${lists}`)).toThrow(LimitExceeded);
});
