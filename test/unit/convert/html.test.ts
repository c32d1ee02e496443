import { describe, expect, test } from 'vitest';
import { decodeHtmlBytes } from '../../../server/content/convert/charset.ts';
import { readHtml } from '../../../server/content/convert/html/html.ts';
import { parseMarkdown, printMarkdown } from '../../../server/content/markdown/markdown.ts';
import { startProcessorClock } from '../../support/processes/processor-time.ts';
import { PNG } from '../../support/zip.ts';

const page = (body: string, head = '') =>
  `<!doctype html><html><head>${head}</head><body>${body}</body></html>`;
const markdownOf = (html: string, url = 'https://docs.example/guide/page.html') =>
  readHtml(page(`<main>${html}</main>`), { url }).markdown.trim();

describe('the main content of an HTML document', () => {
  const noise =
    '<header><h1>Acme</h1></header><nav><a href="/">Home</a></nav><aside>Ads</aside><div class="cookie-banner">We use cookies</div><script>evil()</script><style>p{}</style>';
  const ends = '<footer>All rights reserved</footer><div id="onetrust-consent-sdk">Accept</div>';

  test.each([
    ['<main>', '<main><h1>Install</h1><p>Text</p></main>'],
    ['a lone article', '<div><article><header><h1>Install</h1></header><p>Text</p></article></div>'],
    ['[role=main]', '<div role="main"><h1>Install</h1><p>Text</p></div>'],
    [
      'the place where a maker of documentation puts it',
      '<main><p>Menu</p><div class="theme-doc-markdown"><h1>Install</h1><p>Text</p></div></main>',
    ],
  ])('is that of %s', (_name, html) => {
    expect(readHtml(page(noise + html + ends))).toMatchObject({ title: 'Install', markdown: 'Text\n' });
  });

  test('is the body without navigation and footers by default', () => {
    const read = readHtml(
      page(`${noise}<div><h2>Part</h2><p>Text</p></div>${ends}`, '<title>Install | Acme</title>'),
    );
    expect(read).toMatchObject({ title: 'Install', markdown: '## Part\n\nText\n' });
  });

  test('includes elements with names that look like navigation', () => {
    const html =
      '<main><section id="cookies"><h2>Cookies</h2><aside class="admonition note"><p>Mind</p></aside></section></main>';
    expect(readHtml(page(html)).markdown).toBe('## Cookies\n\nMind\n');
  });

  test('has a title, a description and the robots directives', () => {
    const head =
      '<title>Set up — Acme Docs</title><meta property="og:site_name" content="Acme Docs"><meta name="description" content="How to\n set up"><meta name="robots" content="NoIndex, nofollow"><link rel="canonical" href="/guide/">';
    expect(readHtml(page('<main><p>Text</p></main>', head), { url: 'https://docs.example/x' })).toMatchObject(
      {
        title: 'Set up',
        description: 'How to set up',
        noIndex: true,
        noFollow: true,
        canonical: 'https://docs.example/guide/',
      },
    );
  });

  test('has the links of the whole document in order, and the images of the text', () => {
    const read = readHtml(
      page(
        '<nav><a href="a">A</a><a href="b" rel="nofollow">B</a><img src="logo.png"></nav><main><a href="../c#x">C</a><img src="i.png"><img src="i.png"><img data-src="lazy.png" src="data:image/gif;base64,R0lGODlhAQABAAAAACw="></main>',
        '<base href="/docs/v2/">',
      ),
      { url: 'https://docs.example/' },
    );
    expect(read.links).toEqual(['https://docs.example/docs/v2/a', 'https://docs.example/docs/c#x']);
    expect(read.images).toEqual([
      'https://docs.example/docs/v2/i.png',
      'https://docs.example/docs/v2/lazy.png',
    ]);
  });
});

describe('HTML as markdown', () => {
  test.each([
    ['headings and text', '<h2>A</h2><p>b <b>c</b> <em>d</em> <code>e</code></p>', '## A\n\nb **c** *d* `e`'],
    ['lists', '<ul><li>a<ol><li>b</li></ol></li></ul>', '* a\n  1. b'],
    ['tasks', '<ul><li><input type="checkbox" checked> a</li></ul>', '* [x] a'],
    ['quotations', '<blockquote><p>a</p></blockquote>', '> a'],
    [
      'tables',
      '<table><thead><tr><th>A<th>B</thead><tr><td>1|2<td>3</table>',
      '| A | B |\n| - | - |\n| 1\\|2 | 3 |',
    ],
    ['images', '<p><img src="a.png" alt="An a"></p>', '![An a](https://docs.example/guide/a.png)'],
    [
      'figures',
      '<figure><img src="/a.png"><figcaption>An <b>a</b></figcaption></figure>',
      '![](https://docs.example/a.png "An a")',
    ],
    ['links', '<p><a href="../b/?c#d">e</a></p>', '[e](https://docs.example/b/?c#d)'],
    ['links on the page', '<p><a href="page.html#a">b</a> <a href="#c">d</a></p>', '[b](#a) [d](#c)'],
    ['code', '<pre><code class="language-js">let a;\nlet b;\n</code></pre>', '```js\nlet a;\nlet b;\n```'],
    [
      'code by Sphinx',
      '<div class="highlight-python notranslate"><div class="highlight"><pre><span></span><span class="k">def</span> f():\n    pass\n</pre></div></div>',
      '```python\ndef f():\n    pass\n```',
    ],
    [
      'code with lines in a table',
      '<table class="highlighttable"><tr><td class="linenos"><pre>1</pre></td><td class="code"><div class="highlight"><pre><code>x = 1</code></pre></div></td></tr></table>',
      '```\nx = 1\n```',
    ],
    [
      'code with elements for its lines',
      '<pre class="shiki" data-language="ts"><code><span>a</span><br><span>b</span></code></pre>',
      '```ts\na\nb\n```',
    ],
    [
      'what unfolds',
      '<details><summary>More &lt;b&gt;</summary><p>Text</p></details>',
      '<details>\n\n<summary>More &#x3C;b&#x3E;</summary>\n\nText\n\n</details>',
    ],
    ['anchors that are not derived from the text', '<h2 id="x">A b</h2>', '## A b<a href="#x" id="x"></a>'],
    ['anchors that are', '<h2 id="a-b">A b<a class="headerlink" href="#a-b">¶</a></h2>', '## A b'],
  ])('has %s', (_name, html, markdown) => {
    expect(markdownOf(html)).toBe(markdown);
  });

  test('is parsed back unchanged', () => {
    const markdown = markdownOf(
      '<h2 id="x">A</h2><p>{% hint %} :smile: $$x$$ *a* &lt;b&gt;</p><details><summary>S</summary><ul><li>a</li></ul></details><table><tr><th>A</th></tr><tr><td>b</td></tr></table>',
    );
    expect(parseMarkdown(printMarkdown(parseMarkdown(markdown)))).toEqual(parseMarkdown(markdown));
    const document = JSON.stringify(parseMarkdown(markdown));
    expect(document).toContain('{% hint %} :smile: $$x$$ *a* <b>');
    expect(parseMarkdown(markdown).nodes.map(({ type }) => type)).toEqual([
      'heading-1',
      'paragraph',
      'expandable',
      'table',
    ]);
  });

  test('contains nothing executable', () => {
    const markdown = markdownOf(
      [
        '<p onclick="a()">Text <a href="javascript:a()">one</a> <a href=" java&#10;script:a()">two</a></p>',
        '<a href="data:text/html,x">three</a> <a href="vbscript:x">four</a><img src="javascript:a()">',
        '<script>a()</script><iframe src="https://x.example"></iframe><object data="x"></object>',
        '<svg><script>a()</script></svg><form action="javascript:a()"><button>Go</button></form>',
        '<p>&lt;script&gt;a()&lt;/script&gt;</p><img src="data:image/svg+xml,&lt;svg onload=a()&gt;">',
      ].join(''),
    );
    expect(markdown).not.toMatch(/javascript|vbscript|data:|onclick|iframe/i);
    expect(markdown).toContain('Text one two');
    const document = JSON.stringify(parseMarkdown(markdown));
    expect(document).not.toContain('"raw"');
    expect(document).toContain('<script>a()</script>');
  });

  test('lists its images', () => {
    const embedded: Uint8Array[] = [];
    const html = page(
      `<main><p><img alt="Dot" src="data:image/png;base64,${PNG.toString('base64')}"></p></main>`,
    );
    const embed = (content: Uint8Array) => `embedded:${embedded.push(content)}`;
    expect(readHtml(html, { embed }).markdown).toBe('![Dot](embedded:1)\n');
    expect(embedded).toEqual([PNG]);
    expect(readHtml(html).markdown).toBe('');
  });

  test('is rejected if it is nested too deeply for the converter or its parser', () => {
    for (const depth of [300, 50_000]) {
      expect(() => readHtml(page('<div>'.repeat(depth)))).toThrow(
        'The elements are nested too deeply: more than 256 levels.',
      );
    }
    expect(readHtml(page(`<main>${'<div>'.repeat(200)}Text`)).markdown).toBe('Text\n');
  });

  test('takes no longer for tables with huge spans', () => {
    const cell = '<td colspan="65000" rowspan="65000">a</td>';
    const elapsedMs = startProcessorClock();
    readHtml(page(`<main><table>${`<tr>${cell}${cell}</tr>`.repeat(300)}</table></main>`));
    expect(elapsedMs()).toBeLessThan(5_000);
  });
});

describe('the charset of an HTML document', () => {
  const latin = (text: string) => Buffer.from(text, 'latin1');

  test.each([
    ['that of the response', latin('\xe9'), 'ISO-8859-1'],
    ['declared in the document', latin('<meta charset="windows-1252">\xe9'), undefined],
    [
      'declared in a pragma',
      latin('<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1">\xe9'),
      undefined,
    ],
    [
      'not declared in comments',
      latin('<!-- <meta charset="utf-8"> --><meta charset="iso-8859-1">\xe9'),
      undefined,
    ],
    [
      'not declared in other elements',
      latin('<meta name="a" content="charset=utf-8"><meta charset="iso-8859-1">\xe9'),
      undefined,
    ],
    ['that of the byte-order mark', Buffer.from('\ufeff\xe9', 'utf16le'), 'ISO-8859-1'],
    ['UTF-8 if undeclared', Buffer.from('\xe9'), undefined],
    ['Windows-1252 if it cannot be UTF-8', latin('\xe9'), 'no-such-charset'],
    ['guessed if the declared one is not supported', latin('\xe9'), 'iso-2022-kr'],
  ])('is %s', (_name, bytes, charset) => {
    expect(decodeHtmlBytes(bytes, charset)).toMatch(/\xe9$/);
  });
});
