import { inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_FORMULA_CHARACTERS } from '../../../server/content/markdown/formulas.ts';
import { Fonts } from '../../../server/content/pdf/fonts.ts';
import { Formulas } from '../../../server/content/pdf/math/formula.ts';
import { withoutSpaces } from '../../support/pdf/pdf.ts';
import { bytesOf, print, textOf } from '../../support/pdf/printing.ts';
import { runs } from '../../support/seed.ts';

const fonts = new Fonts(() => undefined);
const newFormulas = () =>
  new Formulas((text, font) =>
    fonts
      .mathFaces(text, font)
      .reduce((sum, { face, text: part }) => sum + face.font.widthOf(part, false), 0),
  );
const typeset = (tex: string) => newFormulas().typeset(tex, true);

/** Returns the positions of texts in a formula, and its other parts. */
function partsOf(tex: string) {
  const items = typeset(tex)?.boxes.flatMap((box) => box.items) ?? [];
  const texts = new Map(items.flatMap((item) => (item.kind === 'text' ? [[item.text, item] as const] : [])));
  const at = (text: string) => texts.get(text) ?? { x: Number.NaN, y: Number.NaN, size: Number.NaN };
  return { at, items, kinds: items.map(({ kind }) => kind) };
}

describe('a formula', () => {
  test.each([
    [String.raw`\frac{a}{b}`, 'ab', 'a/b'],
    ['x^2 + y_1', 'x2+y1', 'x^2+y_1'],
    [String.raw`\sum_{i=0}^n \alpha_i`, 'n∑i=0αi', '∑_(i=0)^nα_i'],
    [String.raw`\sqrt{x}`, 'x', '√x'],
    [String.raw`\mathbb{R} \to \mathcal{L}`, 'R→L', 'R→L'],
    [String.raw`\begin{aligned} a &= b \\ &= c \end{aligned}`, 'a=b=c', 'a, =b; =c'],
    [String.raw`\text{große 日本}`, 'große日本', 'große 日本'],
  ])('is set with glyphs, and has a text without TeX: %s', async (tex, glyphs, text) => {
    expect([...withoutSpaces(await textOf(`$$\n${tex}\n$$`))].sort()).toEqual([...glyphs].sort());
    expect(withoutSpaces(await textOf(`in $$${tex}$$ line`))).not.toMatch(/[\\{}]/);
    expect(
      withoutSpaces(typeset(tex)?.text ?? '')
        .replace('ℝ', 'R')
        .replace('ℒ', 'L'),
    ).toBe(withoutSpaces(text));
    const contents = inflated(await bytesOf([{ markdown: `$$\n${tex}\n$$` }]));
    const actual = Buffer.from(`\ufeff${typeset(tex)?.text}`, 'utf16le')
      .swap16()
      .toString('hex');
    expect(contents).toContain(`/ActualText <${actual}>`);
  });

  test('has its numerator above its denominator, with a line between them', () => {
    const { at, items } = partsOf(String.raw`\frac{a}{b}`);
    const line = items.find(({ kind }) => kind === 'rule');
    expect(at('a').y).toBeGreaterThan(line?.y ?? Number.NaN);
    expect(at('b').y).toBeLessThan(line?.y ?? Number.NaN);
    expect(line).toMatchObject({ width: expect.closeTo(0.53, 1) });
  });

  test('has small exponents above and indexes below the baseline, and limits centered', () => {
    const { at } = partsOf(String.raw`x^a_b \sum_{c}^{d}`);
    expect(at('x')).toMatchObject({ x: 0, y: 0, size: 1 });
    expect(at('a').y).toBeGreaterThan(0);
    expect(at('b').y).toBeLessThan(0);
    expect([at('a').size, at('b').size]).toEqual([0.7, 0.7]);
    expect(at('d').y).toBeGreaterThan(at('∑').y);
    expect(at('c').y).toBeLessThan(at('∑').y);
    expect(at('c').x).toBeGreaterThan(at('∑').x);
  });

  test.each([
    [String.raw`\sqrt{x}`, 'path'],
    [String.raw`\overbrace{a+b}`, 'path'],
    [String.raw`\xrightarrow{f}`, 'path'],
    [String.raw`\widehat{abc}`, 'path'],
    [String.raw`\cancel{x}`, 'line'],
    [String.raw`\boxed{x}`, 'rule'],
    [String.raw`\begin{array}{c|c} a & b \\ \hline c & d \end{array}`, 'rule'],
  ])('has the drawing of %s', (tex, kind) => {
    expect(partsOf(tex).kinds).toContain(kind);
  });

  test('is broken between its parts in a line, and drawn smaller if a part is too wide', async () => {
    const sum = Array.from({ length: 60 }, (_, at) => `x_{${at}}`);
    const { pages } = await print({ markdown: `Long $$${sum.join('+')}$$ and wide $$${sum.join('')}$$.` });
    expect(pages).toHaveLength(1);
    expect(withoutSpaces(pages[0]?.text ?? '')).toContain('x59');
  });

  test.each([
    ['invalid', String.raw`\frac{`],
    ['with an unknown command', String.raw`\nosuchcommand x`],
    ['too long', 'x+'.repeat(MAX_FORMULA_CHARACTERS)],
    ['that expands forever', String.raw`\def\a{\a\a}\a`],
    ['with a command for other media', String.raw`\href{https://example.com}{x}`],
  ])('is printed as written if it is %s', async (_, tex) => {
    expect(typeset(tex)).toBeUndefined();
    expect(withoutSpaces(await textOf(`$$\n${tex}\n$$`))).toContain(withoutSpaces(tex).slice(0, 1000));
  });

  test.each([
    ['\\sqrt{', '√'],
    ['\\frac{1}{', '1/'],
    ['a^{', 'a^'],
    ['\\overline{\\begin{matrix}', undefined],
  ])('is laid out once at each level of nesting: %s', (open, text) => {
    const close = open.includes('begin') ? '\\end{matrix}}' : '}';
    const formula = typeset(`${open.repeat(60)}b${close.repeat(60)}`);
    expect(formula?.boxes.flatMap(({ items }) => items)).toContainEqual(
      expect.objectContaining({ text: 'b' }),
    );
    if (text !== undefined) {
      expect(formula?.text).toBe(`${`${text}(`.repeat(59)}${text}b${')'.repeat(59)}`);
    }
  });

  test('has finite positions, whatever it contains', () => {
    const piece = fc.constantFrom(
      ...[
        'a',
        '1',
        '+',
        '{',
        '}',
        '^',
        '_',
        '&',
        '\\\\',
        ' ',
        '\\frac',
        '\\sqrt',
        '\\left(',
        '\\right)',
        '\\sum',
      ],
      ...[
        '\\vec',
        '\\hat',
        '\\underbrace',
        '\\text{b}',
        '\\color{red}',
        '\\boxed',
        '\\limits',
        '\\hspace{3em}',
      ],
      ...[
        '\\begin{matrix}',
        '\\end{matrix}',
        '\\href{x}{y}',
        '\\includegraphics{x}',
        '\\tag{1}',
        '\\rule{1em}{2em}',
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const { boxes = [] } = typeset(pieces.join('')) ?? {};
        for (const { width, height, depth, items } of boxes) {
          expect([width, height, depth].every(Number.isFinite)).toBe(true);
          expect(items.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))).toBe(true);
        }
      }),
      { numRuns: runs(300) },
    );
  });
});

/** Returns the contents of the pages of a PDF. */
function inflated(bytes: Buffer): string {
  const parts: string[] = [];
  for (let at = bytes.indexOf('stream\n'); at >= 0; at = bytes.indexOf('stream\n', at + 1)) {
    try {
      parts.push(inflateSync(bytes.subarray(at + 'stream\n'.length)).toString('latin1'));
    } catch {
      // Not a compressed stream.
    }
  }
  return parts.join('\n');
}
