import { describe, expect, test } from 'vitest';
import type { PlacedText, ReadPage } from '../../support/pdf/pdf.ts';
import { print } from '../../support/pdf/printing.ts';

const RIGHT = 595.28 - 60;
const LEFT = 60;

/** Prints a page in Arabic. */
async function arabic(markdown: string): Promise<ReadPage> {
  const { pages } = await print({ title: 'دليل', markdown });
  const [page] = pages;
  if (!page) {
    throw new Error('The document has no page.');
  }
  return page;
}

function word({ words }: ReadPage, text: string): PlacedText {
  const found = words.find((item) => item.text.includes(text));
  if (!found) {
    throw new Error(`${text} is not among ${words.map((item) => item.text).join(' | ')}`);
  }
  return found;
}

/** Returns the texts of a line from left to right. */
const lineOf = ({ words }: ReadPage, part: string): string => {
  const { baseline } = word({ words } as ReadPage, part);
  return words
    .filter((item) => Math.abs(item.baseline - baseline) < 1)
    .sort((a, b) => a.left - b.left)
    .map(({ text }) => text.trim())
    .filter((text) => text !== '')
    .join(' ');
};

describe('a page from right to left', () => {
  test('starts at the right', async () => {
    const page = await arabic('مرحبا بكم');
    expect(word(page, 'دليل').right).toBeCloseTo(RIGHT, 0);
    expect(word(page, 'مرحبا').right).toBeCloseTo(RIGHT, 0);
  });

  test.each([
    ['bullets', '* واحد\n* React\n* ثلاثة', '•'],
    ['numbers', '1. واحد\n2. React\n3. ثلاثة', '1'],
    ['tasks', '* [ ] واحد\n* [ ] React', '☐'],
  ])('has the marks of lists at the right: %s', async (_, markdown, mark) => {
    const page = await arabic(markdown);
    const first = word(page, mark);
    expect(first.left).toBeGreaterThan(word(page, 'واحد').right);
    expect(first.right).toBeLessThanOrEqual(RIGHT + 1);
    expect(word(page, 'React').right).toBeCloseTo(word(page, 'واحد').right, 0);
  });

  test('has foreign items of lists and cells in their own order', async () => {
    const page = await arabic('* واحد\n* Node.js (LTS).\n\n| الاسم |\n|---|\n| f(x). |');
    expect(lineOf(page, 'LTS')).toMatch(/Node\.js \(LTS\)\. •/);
    expect(lineOf(page, 'f(')).toBe('f(x).');
  });

  test('has nested lists further to the left', async () => {
    const page = await arabic('* واحد\n  * اثنان\n    * ثلاثة');
    const [one, two, three] = ['واحد', 'اثنان', 'ثلاثة'].map((text) => word(page, text).right);
    expect((one ?? 0) - (two ?? 0)).toBeGreaterThan(10);
    expect((two ?? 0) - (three ?? 0)).toBeGreaterThan(10);
  });

  test('has the columns of tables from right to left', async () => {
    const page = await arabic('| الاسم | Type | الوصف |\n|---|---|---|\n| id | string | معرف |');
    const [first, second, third] = ['الاسم', 'Type', 'الوصف'].map((text) => word(page, text));
    expect(first?.left).toBeGreaterThan(second?.right ?? Infinity);
    expect(second?.left).toBeGreaterThan(third?.right ?? Infinity);
    expect(word(page, 'string').left).toBeGreaterThan(word(page, 'معرف').right);
    expect(word(page, 'string').right).toBeCloseTo(word(page, 'Type').right, 0);
  });

  test.each([
    ['hints', '{% hint style="info" %}\nتنبيه\n{% endhint %}'],
    ['quotes', '> تنبيه'],
    ['tabs', '{% tabs %}\n{% tab title="ا" %}\nتنبيه\n{% endtab %}\n{% endtabs %}'],
    ['expandable blocks', '<details><summary>المزيد</summary>\n\nتنبيه\n\n</details>'],
  ])('indents at the right: %s', async (_, markdown) => {
    const { right } = word(await arabic(markdown), 'تنبيه');
    expect(right).toBeGreaterThan(RIGHT - 30);
    expect(right).toBeLessThan(RIGHT - 10);
  });

  test('has code from left to right', async () => {
    const page = await arabic('```js\nrun("x") // علامة\n```');
    expect(word(page, 'run').left).toBeCloseTo(LEFT + 8, 0);
  });

  test('has a paragraph without letters from right to left at the left', async () => {
    const page = await arabic('مرحبا\n\nPlain English, really.');
    expect(word(page, 'Plain').left).toBeCloseTo(LEFT, 0);
  });
});

describe('a run from left to right in text from right to left', () => {
  test.each([
    ['code that begins with a bracket', 'العنوان `{baseUrl}/Soap` هنا', '{baseUrl}/Soap'],
    ['code that ends with a slash', 'المجلد `/etc/hosts/` هنا', '/etc/hosts/'],
    ['code without letters', 'الرمز `(1) + [2]` هنا', '(1) + [2]'],
    ['a path without code', 'المسار {baseUrl}/Soap هنا', '{baseUrl}/Soap'],
    ['a URL', 'الموقع https://example.com/a/ هنا', 'https://example.com/a/'],
    ['a URL in a link', '[https://example.com/a/](https://example.com/a/) هنا', 'https://example.com/a/'],
    ['an option', 'الخيار --save-dev هنا', '--save-dev'],
    ['a name with symbols', 'لغة C++ هنا', 'C++'],
    ['a number with its unit', 'الحجم 10MB هنا', '10MB'],
  ])('keeps its order: %s', async (_, markdown, run) => {
    const page = await arabic(markdown);
    expect(lineOf(page, 'هنا')).toContain(run);
  });

  test('does not contain the punctuation of the sentence', async () => {
    const page = await arabic('انظر https://example.com/a/.');
    expect(lineOf(page, 'انظر')).toMatch(/^\.\s*https:\/\/example\.com\/a\/ /);
  });

  test('is at its place in the line', async () => {
    const page = await arabic('قبل `{a}/b` بعد');
    const [before, code, after] = ['قبل', '{a}/b', 'بعد'].map((text) => word(page, text));
    expect(before?.left).toBeGreaterThan((code?.right ?? Infinity) - 1);
    expect(code?.left).toBeGreaterThan((after?.right ?? Infinity) - 1);
  });
});

describe('the table of contents', () => {
  test('of titles from right to left is mirrored, with page numbers at the left', async () => {
    const { pages } = await print(
      { title: 'البداية', markdown: 'x' },
      { title: 'التثبيت (npm)', depth: 1, markdown: 'x' },
      { title: 'C++ API', markdown: 'x' },
      { title: 'النهاية', markdown: 'x' },
    );
    const [page] = pages;
    const contents = page ?? { words: [] as PlacedText[] };
    const at = (text: string) => word(contents as ReadPage, text);
    expect(at('البداية').right).toBeCloseTo(RIGHT, 0);
    expect(at('التثبيت').right).toBeCloseTo(RIGHT - 14, 0);
    expect(at('C++ API').right).toBeCloseTo(RIGHT, 0);
    for (const number of ['2', '3', '4', '5']) {
      expect(at(number).left).toBeCloseTo(LEFT, 0);
    }
  });

  test('of titles from left to right is not, even with a page from right to left', async () => {
    const { pages } = await print(
      { title: 'Start', markdown: 'x' },
      { title: 'More', markdown: 'x' },
      { title: 'عربي', markdown: '* واحد' },
    );
    expect(word(pages[0] as ReadPage, 'Start').left).toBeCloseTo(LEFT, 0);
    expect(word(pages[3] as ReadPage, '•').left).toBeGreaterThan(word(pages[3] as ReadPage, 'واحد').right);
  });
});
