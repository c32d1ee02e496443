import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  convertDocx,
  convertHtml,
  convertMarkdown,
} from '../../../server/content/convert/archives/single.ts';
import { Budget } from '../../../server/content/convert/budget.ts';
import { rewriteAddresses } from '../../../server/content/convert/references.ts';
import { parseAllowedRanges } from '../../../server/outgoing/addresses.ts';
import { Fetcher } from '../../../server/outgoing/fetch.ts';
import { docsPage, startSite, type TestSite } from '../../support/http/site.ts';
import { docx, PNG, zip } from '../../support/zip.ts';

let site: TestSite;
const fetcher = new Fetcher(parseAllowedRanges('127.0.0.0/8'));
const budget = () => new Budget(fetcher, { bytes: 1_000_000, milliseconds: 10_000 });
const at = (path: string, body: string | Uint8Array) => ({
  url: new URL(path, site.url),
  body: Buffer.from(body),
});

beforeAll(async () => {
  site = await startSite({ '/docs/dot.png': PNG });
});
afterAll(async () => {
  await fetcher.close();
  await site.close();
});

describe('a single document', () => {
  test('in markdown is parsed as in repositories, with its images', async () => {
    const text =
      '---\ndescription: What to do\nicon: download\n---\n\n# Set up\n\n![Dot](dot.png) ![Gone](gone.png) [Next](next.md#a) [Part](#part)\n';
    const { pages, files, sourceEntries, target } = await convertMarkdown(
      at('/docs/Set-up.md', text),
      budget(),
    );
    expect(pages).toMatchObject([
      { title: 'Set up', slug: 'set-up', description: 'What to do', icon: 'download' },
    ]);
    expect(pages[0]).toHaveProperty(
      'markdown',
      `![Dot](${site.url}/docs/dot.png) ![Gone](${site.url}/docs/gone.png) [Next](${site.url}/docs/next.md#a) [Part](#part)\n`,
    );
    expect(files).toMatchObject([{ name: 'dot.png', dimensions: { width: 1, height: 1 } }]);
    expect(target(`${site.url}/docs/dot.png`, '')).toEqual({ kind: 'file', key: `${site.url}/docs/dot.png` });
    expect(sourceEntries).toBe(2);
  });

  test.each(['/SUMMARY.md', '/README.md', '/_hidden.md', '/', '/raw?file=a.md'])(
    'in markdown can be at %s',
    async (path) => {
      expect((await convertMarkdown(at(path, '# Title\n\nText'), budget())).pages).toMatchObject([
        { type: 'document', title: 'Title', markdown: 'Text' },
      ]);
    },
  );

  test('in HTML is its main content, with its images', async () => {
    const html = docsPage('Set up', '<p><img src="dot.png"> <a href="next.html">Next</a></p>');
    const { pages, files } = await convertHtml(at('/docs/page.html', html), budget());
    expect(pages).toMatchObject([{ title: 'Set up', slug: 'page' }]);
    expect(pages[0]).toHaveProperty(
      'markdown',
      expect.stringContaining(`[Next](${site.url}/docs/next.html)`),
    );
    expect(files).toHaveLength(1);
  });

  test('of Word has its headings and its images', async () => {
    const document = docx(
      [
        ['Title', 'Set up'],
        ['Heading1', 'First'],
        ['', 'Some text &lt;b&gt;'],
      ],
      PNG,
    );
    const { pages, files, sourceEntries } = await convertDocx(at('/a.docx', document), 1_000_000);
    expect(pages).toMatchObject([{ title: 'Set up', slug: 'a' }]);
    expect(pages[0]).toHaveProperty(
      'markdown',
      expect.stringMatching(/^# First\n\nSome text \\?<b>\n\n!\[A dot\]\(embedded:[\w-]+\)\n$/),
    );
    expect(files).toMatchObject([{ contentType: 'image/png', dimensions: { width: 1, height: 1 } }]);
    expect(sourceEntries).toBe(2);
  });

  test.each<readonly [string, () => Buffer, string]>([
    ['an archive of another kind', () => zip({ 'a.md': 'a' }), 'not a Word document'],
    ['no archive', () => Buffer.from('text'), 'cannot be extracted'],
    [
      'a document of a high compression ratio',
      () => docx([['', 'a'.repeat(1_500_000)]]),
      'compression ratio',
    ],
    [
      'a document that swells',
      () => docx([['', randomBytes(1_250_000).toString('hex')]]),
      'exceeds 2000000 bytes',
    ],
    // The library follows the relationships of the document to any part.
    ...['__MACOSX/document.xml', '.DS_Store', 'word/link.xml'].map(
      (part) =>
        [
          `a document that swells in ${part}`,
          () =>
            zip({
              '[Content_Types].xml': '<Types/>',
              'word/document.xml': '<w/>',
              [part]: {
                content: randomBytes(1_250_000).toString('hex'),
                ...(part.includes('link') && { mode: 0o120777 }),
              },
            }),
          'exceeds 2000000 bytes',
        ] as const,
    ),
    [
      'a document that is none',
      () => zip({ '[Content_Types].xml': '<a', 'word/document.xml': '<w' }),
      'cannot be read',
    ],
  ])('of Word is rejected if it is %s', async (_name, make, message) => {
    await expect(convertDocx(at('/a.docx', make()), 2_000_000)).rejects.toThrow(message);
  });
});

describe('links in a text', () => {
  const text =
    'A [link](a.md "t") and `[code](a.md)`\n\n* odd\n- style\n\n{% content-ref url="a.md" %}\nA\n{% endcontent-ref %}\n';
  const rewrite = (change: Record<string, string>) => rewriteAddresses(text, (address) => change[address]);

  test('are replaced in every notation', () => {
    const written = rewrite({ 'a.md': '/pages/page_1' });
    expect(written).toContain('A [link](/pages/page_1 "t") and `[code](a.md)`');
    expect(written).toContain('{% content-ref url="/pages/page_1" %}');
  });

  test('leave a text unchanged if none is replaced', () => {
    expect(rewrite({ 'b.md': '/pages/page_1' })).toBe(text);
  });
});
