import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderPdf } from '../../../server/content/pdf/render.ts';
import { readPdf, type TaggedPart } from '../../support/pdf/pdf.ts';
import { png } from '../../support/pdf/pngs.ts';
import { bytesOf, print, printed } from '../../support/pdf/printing.ts';
import { runs } from '../../support/seed.ts';
import { page } from '../markdown/arbitrary.ts';

/** Returns the structure as text: `P(text Link(text))`. */
const shown = (parts: readonly TaggedPart[]): string =>
  parts
    .map((part) => {
      if (typeof part === 'string') {
        return part.trim();
      }
      const alt = part.alt === undefined ? '' : `[${part.alt}]`;
      return `${part.tag}${alt}(${shown(part.parts)})`;
    })
    .filter((text) => text !== '')
    .join(' ');

const structureOf = async (markdown: string, images = {}): Promise<string> => {
  const { pages } = await print({ title: 'T', markdown, images });
  return shown(pages.flatMap(({ structure }) => structure))
    .replace('Document(Sect(H1(T) ', '')
    .replace(/\)\)$/, '');
};

describe('the structure of a page', () => {
  test.each([
    ['paragraphs', 'One\n\nTwo', 'P(One) P(Two)'],
    ['headings', '## A\n\n### B\n\n#### C', 'H2(A) H3(B) H4(C)'],
    ['links', 'See [here](https://example.com).', 'P(See Link(here) .)'],
    ['code in text', 'Run `a` now', 'P(Run Code(a) now)'],
    ['code', '```js\na\nb\n```', 'Code(a b)'],
    ['lists', '* one\n* two', 'L(LI(Lbl(•) LBody(one)) LI(Lbl(•) LBody(two)))'],
    ['nested lists', '1. one\n   * inner', 'L(LI(Lbl(1.) LBody(one L(LI(Lbl(•) LBody(inner))))))'],
    [
      'tables',
      '| A | B |\n|---|---|\n| 1 | [2](https://example.com) |',
      'Table(TR(TH(A) TH(B)) TR(TD(1) TD(Link(2))))',
    ],
    ['quotes', '> said', 'BlockQuote(P(said))'],
    ['hints', '{% hint style="info" %}\nNote\n{% endhint %}', 'Div(P(Note))'],
    ['titles of blocks', '<details><summary>More</summary>\n\nText\n\n</details>', 'Div(P(More) P(Text))'],
  ])('has elements for %s', async (_, markdown, expected) => {
    expect(await structureOf(markdown)).toBe(expected);
  });

  test('has figures with descriptions', async () => {
    const images = { 'a.png': png(20, 10) };
    expect(await structureOf('![A cat](a.png)', images)).toBe('Figure[A cat]()');
    expect(await structureOf('with ![A dog](a.png) in it', images)).toBe('P(with Figure[A dog]() in it)');
    expect(await structureOf('![](a.png)', images)).toBe('Figure[a.png]()');
  });

  test('excludes page numbers, and heads that are repeated', async () => {
    const rows = Array.from({ length: 150 }, (_, at) => `| row ${at} |`).join('\n');
    const { pages } = await print({ title: 'T', markdown: `| Name |\n|---|\n${rows}` });
    expect(pages.length).toBeGreaterThan(3);
    const all = pages.map(({ structure }) => shown(structure));
    expect(all.join(' ').match(/TH\(Name\)/g)).toHaveLength(1);
    expect(all.flatMap((text) => text.match(/row \d+/g) ?? [])).toHaveLength(150);
    expect(all.at(-1)).toMatch(/\)+$/);
  });

  test('continues on the next page', async () => {
    const { pages } = await print({ title: 'T', markdown: 'word '.repeat(2000) });
    expect(pages.length).toBeGreaterThan(1);
    for (const { structure } of pages) {
      expect(shown(structure)).toMatch(/Document\(Sect\(.*P\(word/);
    }
  });

  test('starts with the table of contents', async () => {
    const { pages } = await print({ title: 'One', markdown: 'a' }, { title: 'Two', markdown: 'b' });
    expect(pages.map(({ structure }) => shown(structure))).toEqual([
      'Document(Sect(P(The handbook) TOC(TOCI(Link(One) 2) TOCI(Link(Two) 3))))',
      'Document(Sect(H1(One) P(a)))',
      'Document(Sect(H1(Two) P(b)))',
    ]);
  });

  test('is complete for any page', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(page, async (markdown) => {
        const { pages } = await print({ title: 'T', markdown });
        for (const [at, { text, structure }] of pages.entries()) {
          const tagged = shown(structure).length;
          // A page without contents has its number alone.
          expect(tagged > 0 || text.trim() === String(at + 1)).toBe(true);
        }
      }),
      { numRuns: runs(4) },
    );
  });
});

describe('a document', () => {
  test.each([
    ['Start', 'en'],
    ['שלום', 'he'],
    ['مرحبا', 'ar'],
    ['快速', 'zh'],
  ])('has the likely language of its titles, unless it is known: %s', async (title, language) => {
    const output = new PassThrough();
    const job = { title, createdAt: new Date(), entries: [printed({ title, markdown: 'x' }, 0)] };
    const [bytes] = await Promise.all([buffer(output), renderPdf(job, output)]);
    expect((await readPdf(bytes)).language).toBe(language);
  });

  test('is marked as tagged, and writes its structure compressed', async () => {
    const bytes = await bytesOf([{ markdown: '* one\n'.repeat(300) }]);
    const text = bytes.toString('latin1');
    expect(text).toMatch(/\/MarkInfo <<\s*\/Marked true/);
    expect(text).toMatch(/\/StructTreeRoot \d+ 0 R/);
    expect(text).toContain('/Type /ObjStm');
    expect(text).not.toContain('/S/LBody');
  });
});
