import { inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_FORMULA_CHARACTERS } from '../../../server/content/markdown/formulas.ts';
import { Formulas } from '../../../server/content/pdf/math/formula.ts';
import { withoutSpaces } from '../../support/pdf/pdf.ts';
import { bytesOf, print, printedText } from '../../support/pdf/printing.ts';
import { runs } from '../../support/seed.ts';

const WIDTH_EM = 40;
const newFormulas = () => new Formulas(() => 1);
const typeset = async (tex: string) => await newFormulas().typeset(tex, true, WIDTH_EM);

/** Returns the size of a formula with one part, in ems. */
async function sizeOf(tex: string) {
  const [part] = (await typeset(tex))?.parts ?? [];
  const { width = Number.NaN, ascent = Number.NaN, descent = Number.NaN } = part ?? {};
  return { width, ascent, descent };
}

/** Returns the contents of the pages of a formula that is printed. */
const drawn = async (tex: string) => inflated(await bytesOf([{ markdown: `$$\n${tex}\n$$` }]));

describe('a formula', () => {
  test.each([
    [String.raw`\frac{a}{b}`, 'a/b'],
    ['x^2 + y_1', 'x^2+y_1'],
    [String.raw`\sum_{i=0}^n \alpha_i`, '∑_(i=0)^nα_i'],
    [String.raw`\sqrt{x}`, '√x'],
    [String.raw`\mathbb{R} \to \mathcal{L}`, 'R→L'],
    [String.raw`\begin{aligned} a &= b \\ &= c \end{aligned}`, 'a,=b;=c'],
    [String.raw`\text{große 日本}`, 'große日本'],
    [String.raw`\R^2`, 'R^2'],
    [String.raw`\overlinesegment{AB}`, 'AB^ ̄'],
  ])('has a text without TeX: %s', async (tex, text) => {
    const read = async (markdown: string) => withoutSpaces(await printedText(markdown)).normalize('NFKC');
    expect(await read(`$$\n${tex}\n$$`)).toBe(text);
    expect(await read(`in $$${tex}$$ line`)).toBe(`in${text}line`);
  });

  test('is drawn as shapes, with the text invisible', async () => {
    const contents = await drawn(String.raw`\text{a ü 日本}`);
    expect(contents).toMatch(/3 Tr[^Q]*BT/);
    expect(contents.match(/ c\n/g)?.length).toBeGreaterThan(15);
  });

  test('has its baseline, and is as large as its content', async () => {
    const letter = await sizeOf('x');
    expect(letter).toMatchObject({ width: expect.closeTo(0.57, 1), ascent: expect.closeTo(0.44, 1) });
    expect((await sizeOf('y')).descent).toBeGreaterThan(letter.descent + 0.1);
    expect((await sizeOf('x^a')).ascent).toBeGreaterThan(letter.ascent + 0.2);
    const fraction = await sizeOf(String.raw`\frac{a}{b}`);
    expect(fraction.ascent).toBeGreaterThan(1);
    expect(fraction.descent).toBeGreaterThan(0.6);
    expect((await sizeOf(String.raw`\text{日本}`)).width).toBeGreaterThanOrEqual(1);
  });

  test.each([
    [String.raw`\color{red} x`, '1 0 0 scn'],
    [String.raw`\textcolor{#00f}{x}`, '0 0 1 scn'],
    [String.raw`\colorbox{yellow}{x}`, '1 1 0 scn'],
    [String.raw`\boxed{x}`, 'S'],
    [String.raw`\cancel{x}`, 'S'],
    [String.raw`\begin{array}{c|c} a & b \\ \hdashline c & d \end{array}`, '[140 140] 0 d'],
    [String.raw`\sout{x}`, 'S'],
    [String.raw`\xrightarrow{abcdefghijkl}`, 'W n'],
  ])('has the colors and lines of %s', async (tex, operator) => {
    expect((await drawn(tex)).split('\n')).toContain(operator);
  });

  test('has its number at the right margin', async () => {
    expect((await sizeOf(String.raw`a = b \tag{1}`)).width).toBe(WIDTH_EM);
    expect((await sizeOf(String.raw`\begin{align} a &= b \tag{1} \\ c &= d \tag{2} \end{align}`)).width).toBe(
      WIDTH_EM,
    );
    expect(await printedText(`$$\na = b \\tag{7}\n$$`)).toContain('(7)');
  });

  test('does not define commands of other formulas', async () => {
    const formulas = newFormulas();
    const width = async (tex: string) => (await formulas.typeset(tex, true, WIDTH_EM))?.parts[0]?.width;
    const single = await width('\\alpha');
    expect(await width(String.raw`\renewcommand{\alpha}{xxxxxxxx} \alpha`)).toBeGreaterThan(4);
    expect(await width('\\alpha{}')).toBe(single);
  });

  test('of a table has bars as high as its content, also with commands that only KaTeX has', async () => {
    const matrix = String.raw`\begin{vmatrix} a \\ b \\ c \\ d \end{vmatrix}`;
    expect((await sizeOf(`\\def\\x{1} ${matrix}`)).ascent).toBeCloseTo((await sizeOf(matrix)).ascent, 0);
  });

  test('is broken between its parts in a line, and drawn smaller if a part is too wide', async () => {
    const sum = Array.from({ length: 60 }, (_, at) => `x_{${at}}`);
    const { pages } = await print({ markdown: `Long $$${sum.join('+')}$$ and wide $$${sum.join('')}$$.` });
    expect(pages).toHaveLength(1);
    expect(withoutSpaces(pages[0]?.text ?? '')).toContain('x_(59)');
  });

  test.each([
    ['invalid', String.raw`\frac{`],
    ['with an unknown command', String.raw`\nosuchcommand x`],
    ['too long', 'x+'.repeat(MAX_FORMULA_CHARACTERS)],
    ['that expands forever', String.raw`\def\a{\a\a}\a`],
    ['with commands whose layout takes too long', `${'\\pmb{'.repeat(30)}x${'}'.repeat(30)}`],
    ['with a command for other media', String.raw`\href{https://example.com}{x}`],
  ])('is printed as written if it is %s', async (_, tex) => {
    expect(await typeset(tex)).toBeUndefined();
    expect(withoutSpaces(await printedText(`$$\n${tex}\n$$`))).toContain(withoutSpaces(tex).slice(0, 1000));
  });

  test.each([
    ['\\sqrt{', '√'],
    ['\\frac{1}{', '1/'],
    ['a^{', 'a^'],
  ])('is read once at each level of nesting: %s', async (open, text) => {
    const formula = await typeset(`${open.repeat(60)}b${'}'.repeat(60)}`);
    expect(formula?.text).toBe(`${`${text}(`.repeat(59)}${text}b${')'.repeat(59)}`);
  });

  test('is drawn smaller if it is too high for a page', async () => {
    const rows = Array.from({ length: 90 }, (_, at) => `x_{${at}}`).join('\\\\');
    const { pages } = await print({ markdown: `$$\n\\begin{matrix} ${rows} \\end{matrix}\n$$` });
    expect(withoutSpaces(pages.map(({ text }) => text).join(''))).toContain('x_(89)');
  });

  test('has a finite size, whatever it contains', async () => {
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
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 20 }), async (pieces) => {
        for (const { width, ascent, descent } of (await typeset(pieces.join('')))?.parts ?? []) {
          expect([width, ascent, descent].every(Number.isFinite)).toBe(true);
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
