import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseMarkdown } from '../../../server/content/markdown/markdown.ts';
import { printedEntries } from '../../../server/content/pdf/pages.ts';
import { renderPdf } from '../../../server/content/pdf/render.ts';
import { jpeg } from '../../support/content/repositories/images.ts';
import { readPdf, textsOf, withoutSpaces } from '../../support/pdf/pdf.ts';
import { png, transparentPng } from '../../support/pdf/pngs.ts';
import { bytesOf, failures, print, printed, printedText } from '../../support/pdf/printing.ts';
import { runs } from '../../support/seed.ts';
import { page } from '../markdown/arbitrary.ts';

describe('the text of a printed page', () => {
  test.each([
    ['Latin', 'Difficult office, fluffy affairs: Ünïcödé, e\u0301 and žluťoučký kůň.'],
    ['Cyrillic', 'Съешь ещё этих мягких французских булок, да выпей чаю. Їжак.'],
    ['Greek', 'Ξεσκεπάζω την ψυχοφθόρα βδελυγμία.'],
    ['Vietnamese', 'Tiếng Việt có dấu: Nguyễn, Đường, ưở, ặ.'],
    ['Chinese', '快速的棕色狐狸跳过懒狗。繁體中文：臺灣、香港。'],
    ['Japanese', '日本語のテキスト、カタカナとひらがな。「引用」です。'],
    ['Korean', '다람쥐 헌 쳇바퀴에 타고파.'],
    ['Hebrew', 'שלום עולם, זה טקסט בעברית.'],
    ['Arabic', 'السلام عليكم ورحمة الله وبركاته'],
    ['Hebrew with Latin words', 'הפקודה npm install מתקינה את 3 החבילות'],
    ['Arabic in English', 'The word السلام means peace, and عليكم upon you.'],
    ['Thai', 'สวัสดีชาวโลก ภาษาไทย น้ำ ที่นี่'],
    ['Devanagari', 'नमस्ते दुनिया, हिन्दी क्षत्रिय कि शक्ति'],
    ['other scripts', 'বাংলা தமிழ் ქართული Հայերեն ትግርኛ ខ្មែរ'],
    ['symbols', '→ ✓ ≥ ∑ © € 😀 ½'],
  ])('is that of the document: %s', async (_, text) => {
    expect(withoutSpaces(await printedText(`${text}\n\n**${text}** *${text}*`))).toBe(
      withoutSpaces(`${text}${text}${text}`),
    );
  });

  test('has the marks of list items without visible content', async () => {
    const { pages } = await print({ markdown: '1. <!-- c -->\n2. <!-- d -->\n3. bb\n\n## Next' });
    const lines = (pages[0]?.text ?? '').split('\n').map((line) => line.trim());
    expect(lines).toEqual(expect.arrayContaining(['1.', '2.', expect.stringMatching(/^3\.\s*bb$/)]));
  });

  test('includes graphemes of any length', async () => {
    const text = `a${'\u0301'.repeat(100_000)}`;
    expect(withoutSpaces(await printedText(text)).normalize('NFD')).toContain('a\u0301');
  });

  test('reads each reusable content once, even if it includes itself', async () => {
    const block = () => ({
      object: 'block',
      type: 'reusable-content',
      data: { ref: { kind: 'reusable-content', reusableContent: 'r' } },
      nodes: [],
    });
    const text = () => ({
      document: new TextEncoder().encode(JSON.stringify({ nodes: Array.from({ length: 300 }, block) })),
      location: { path: '' },
    });
    let reads = 0;
    let addresses = 0;
    const host = {
      readPage: async () => text(),
      readReusable: async () => {
        reads += 1;
        return text();
      },
      resolve: async (requested: readonly unknown[]) => {
        addresses += requested.length;
        return requested.map(() => ({
          target: { kind: 'reusable-content', reusable: { id: 'r', title: 'R' } },
        }));
      },
      readFile: async () => undefined,
    };
    // Only the parts of the content that are read are specified.
    const [entry] = await printedEntries(host as never, [{ id: 'p', title: 'P', depth: 0 }]);
    await (entry && 'read' in entry ? entry.read() : undefined);
    expect([reads, addresses]).toEqual([1, 600]);
  });

  test.each([
    ['<!-- hidden -->\n\na <!-- hidden --> b', 'ab'],
    ['<u>a</u> <span data-option="o">b</span> <a name="x"></a>c', 'abc'],
    ['<pre><code>a\n<strong>b\n</strong></code></pre>', 'ab'],
    ['{% unknown x="y" %}\na\n{% endunknown %}\n\n{% alone %}', 'ya'],
    ['{% m a="b" c=true d=false %}\n\n{% n e="f\\_g" %}\nx\n{% endn %}\n\n{% endm %}', 'b·cf_gx'],
    ["{% hint style='danger' %}\n* a\n  {% endhint %}", '•a'],
  ])('shows no markup: %j', async (markdown, text) => {
    expect(withoutSpaces(await printedText(markdown))).toBe(text);
  });

  test('keeps the words of a line apart', async () => {
    const text = 'One two, three. Четыре пять. שלום עולם';
    expect(await printedText(text)).toBe(text);
  });

  test('contains the complete text of each page, in order', { timeout: 300_000 }, async () => {
    failures.length = 0;
    await fc.assert(
      fc.asyncProperty(page, async (markdown) => {
        const { nodes } = parseMarkdown(markdown);
        const text = withoutSpaces(await printedText(markdown));
        let from = 0;
        for (const expectedText of textsOf(nodes).map(withoutSpaces)) {
          const at = text.indexOf(expectedText, from);
          expect(
            at,
            `${expectedText} after ${text.slice(Math.max(0, from - 20), from)}`,
          ).toBeGreaterThanOrEqual(from);
          from = at + expectedText.length;
        }
      }),
      { numRuns: runs(8) },
    );
    expect(failures).toEqual([]);
  });
});

describe('the blocks of a page', () => {
  test.each([
    [
      'lists',
      '3. three\n4. four\n   * nested\n\n- [x] done\n- [ ] open',
      '3. three 4. four • nested ☑ done ☐ open',
    ],
    ['code', '```js\nconst a = 1;\n\n  b();\n```', 'const a = 1; b();'],
    ['quotes and hints', '> said\n\n{% hint style="danger" %}\nCareful\n{% endhint %}', 'said Careful'],
    [
      'tabs',
      '{% tabs %}\n{% tab title="npm" %}\nfirst\n{% endtab %}\n{% tab title="yarn" %}\nsecond\n{% endtab %}\n{% endtabs %}',
      'npm first yarn second',
    ],
    ['steps', '{% stepper %}\n{% step %}\n### One\n\nDo it\n{% endstep %}\n{% endstepper %}', 'One Do it'],
    ['expandables', '<details><summary>More</summary>\n\nThe rest\n\n</details>', 'More The rest'],
    ['formulas', '$$\nx^2 + y_1\n$$\n\nwith $$a+b$$ inline', 'x^2+y_1 with a+b inline'],
    ['embeds', '{% embed url="https://example.com/video" %}', 'https://example.com/video'],
    ['files', '{% file src="files/report.zip" %}\nThe report\n{% endfile %}', 'files/report.zip The report'],
    [
      'references',
      '{% content-ref url="other.md" %}\n[other.md](other.md)\n{% endcontent-ref %}',
      'other.md',
    ],
    ['tables', '| A | B |\n|---|---|\n| 1 | two<br>lines |', 'A B 1 two lines'],
    ['images elsewhere', '![A cat](https://example.com/cat.png)', 'A cat (https://example.com/cat.png)'],
    ['the values of unknown tags', '{% unknown thing="x" %}', 'x'],
  ])('are printed: %s', async (_, markdown, text) => {
    expect((await printedText(markdown)).replace(/\s+/g, ' ').trim()).toBe(text);
  });

  test('do not move the whole page when one of them breaks', async () => {
    const failedParts: string[] = [];
    const output = new PassThrough();
    // As a later version of the vocabulary could have it: without the fields that every list has.
    const nodes = JSON.parse('[{"type":"list-unordered","data":{"note":"what it says"},"key":"k"}]');
    const read = async () => ({ nodes, reach: () => ({ name: '' }), readImage: async () => undefined });
    const entries = [{ id: 'p', title: 'Broken', depth: 0, read }];
    const job = {
      title: 'T',
      createdAt: new Date(),
      entries,
      failed: (_: unknown, part: string) => failedParts.push(part),
    };
    const [bytes] = await Promise.all([buffer(output), renderPdf(job, output)]);
    expect((await readPdf(bytes)).pages[0]?.text).toContain('what it says');
    expect(failedParts).toEqual(['the list-unordered block k of the page p']);
  });
});

describe('the images of a page', () => {
  test('are drawn, and embedded once', async () => {
    const images = { 'a.png': png(20, 10), 'b.jpg': jpeg(30, 30), 'c.png': transparentPng(9, 9) };
    const markdown = '![a](a.png)\n\n![b](b.jpg)\n\n![c](c.png)\n\nwith ![a](a.png) in a line';
    const bytes = await bytesOf([{ markdown, images }]);
    expect((await readPdf(bytes)).pages[0]?.images).toBe(4);
    // The mask of the transparent image is a separate image.
    expect(bytes.toString('latin1').match(/\/Subtype \/Image/g)).toHaveLength(4);
  });

  test.each([
    ['cut off', transparentPng(20, 10).subarray(0, 60)],
    ['with rows missing', transparentPng(20, 10, 5)],
    ['with broken data', brokenPng()],
    ['of a size that exceeds any memory', transparentPng(60_000, 60_000, 1)],
    ['of another kind', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['that only begins like a JPEG', Buffer.from([0xff, 0xd8, 0, 0])],
  ])('are replaced by their alternative text if they are invalid: %s', async (_, bytes) => {
    const { pages } = await print({ markdown: '![The plan](a.png)\n\nAfter', images: { 'a.png': bytes } });
    expect(pages[0]?.images).toBe(0);
    expect(pages[0]?.text).toContain('The plan (a.png)');
    expect(pages[0]?.text).toContain('After');
  });
});

function brokenPng(): Buffer {
  const bytes = transparentPng(20, 10);
  const data = bytes.indexOf('IDAT') + 4;
  return bytes.fill(0xab, data, data + 8);
}

describe('a document of several pages', () => {
  test('starts with its contents, has bookmarks, and links between its pages', async () => {
    const { title, language, pages, bookmarks } = await print(
      {
        title: 'Start',
        markdown: 'See [the end](/pages/page_2) and [elsewhere](https://example.com/ä?x=1).',
      },
      { title: 'Guide', depth: 0, markdown: 'word '.repeat(2000) },
      { title: 'Ende – конец', depth: 1, markdown: 'The end. [Up](/pages/gone)' },
    );
    expect({ title, language }).toEqual({ title: 'The handbook', language: 'en' });
    const last = pages.length;
    expect(last).toBeGreaterThan(4);
    expect(pages[0]?.text).toMatch(
      new RegExp(`^The handbook\\s+Start\\s+2\\s+Guide\\s+3\\s+Ende – конец\\s+${last}\\s+1$`),
    );
    expect(pages[0]?.links).toEqual([2, 3, last]);
    expect(pages[1]?.links).toEqual([last, 'https://example.com/%C3%A4?x=1']);
    expect(pages.at(-1)?.links).toEqual([]);
    for (const [at, { text }] of pages.entries()) {
      expect(text.trimEnd()).toMatch(new RegExp(`${at + 1}$`));
    }
    expect(bookmarks).toEqual([
      { title: 'Start', page: 2, children: [] },
      { title: 'Guide', page: 3, children: [{ title: 'Ende – конец', page: last, children: [] }] },
    ]);
  });

  test('breaks a long table between its rows', async () => {
    const rows = Array.from({ length: 200 }, (_, at) => `| row ${at} | first<br>second ${at} |`);
    const { pages } = await print({ markdown: ['| A | B |', '|---|---|', ...rows].join('\n') });
    expect(pages.length).toBeGreaterThan(6);
    expect(pages.length).toBeLessThan(15);
    for (const { text } of pages) {
      const [starts, ends] = [text.match(/row \d+/g), text.match(/second \d+/g)];
      expect(starts?.map((row) => row.slice(4))).toEqual(ends?.map((row) => row.slice(7)));
    }
  });

  test('continues a row that is taller than a page', async () => {
    const cell = Array.from({ length: 120 }, (_, at) => `line ${at}`).join('<br>');
    const { pages } = await print({ markdown: `| A |\n|---|\n| ${cell} |` });
    const text = pages.map((page) => page.text).join(' ');
    expect(text.match(/line \d+/g)).toHaveLength(120);
  });

  test('wraps lines of code and words that are too long', async () => {
    const long = 'x'.repeat(20_000);
    const { pages } = await print({ markdown: `\`\`\`\n${long}\n\`\`\`\n\n${long}` });
    const text = pages.map((page) => page.text).join('');
    expect(text.match(/x/g)?.join('')).toBe(`${long}1${long}`.replace('1', ''));
  });

  test('prints 100 pages in seconds without retaining them', async () => {
    const markdown = everydayPage();
    await bytesOf([{ markdown }]);
    const before = process.cpuUsage();
    const bytes = await bytesOf(Array.from({ length: 100 }, () => ({ markdown })));
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(10);
    expect(bytes.toString('latin1').match(/\/Type \/Page\b/g)).toHaveLength(103);
  });
});

/** A realistic page. */
function everydayPage(): string {
  const paragraph = 'Some **text** with `code` and [links](https://example.com), as in every page. '.repeat(
    8,
  );
  return `${paragraph}\n\n## More\n\n* one\n* two\n\n\`\`\`\ncode\n\`\`\`\n\n| A | B |\n|---|---|\n| 1 | 2 |\n\n${paragraph}`;
}

describe('the consumer of a document', () => {
  test('can stop before its end', async () => {
    const output = new PassThrough({ highWaterMark: 1000 });
    output.once('data', () => output.destroy());
    const entries = Array.from({ length: 5 }, (_, at) => printed({ markdown: 'x '.repeat(500) }, at));
    await expect(renderPdf({ title: 'T', createdAt: new Date(), entries }, output)).rejects.toThrow(
      'was closed',
    );
  });

  test('receives nothing of a document whose first page cannot be read', async () => {
    const output = new PassThrough();
    const read = async () => {
      throw new Error('no such page');
    };
    const entries = [{ id: 'p', title: 'P', depth: 0, read }];
    await expect(renderPdf({ title: 'T', createdAt: new Date(), entries }, output)).rejects.toThrow(
      'no such page',
    );
    expect(output.read()).toBeNull();
  });
});
