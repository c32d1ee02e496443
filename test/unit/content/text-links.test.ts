import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { refsOfDocument } from '../../../server/content/links/references.ts';
import { addressesIn, MAX_TEXT_ADDRESSES } from '../../../server/content/links/text-links.ts';
import { MAX_PARSED_CHARACTERS } from '../../../server/content/markdown/limits.ts';
import { parseMarkdown } from '../../../server/content/markdown/markdown.ts';
import { sampleRepositories } from '../../support/content/repositories.ts';
import { startProcessorClock } from '../../support/processes/processor-time.ts';

/** Returns the links of the parsed document of a text. */
function addressesOfDocument(markdown: string): string[] {
  const refs = refsOfDocument(parseMarkdown(markdown)).map(({ ref }) => {
    if (ref.kind === 'openapi') {
      return `openapi:${ref.spec}`;
    }
    if (ref.kind !== 'url') {
      throw new Error(`A document that was read refers by ${ref.kind}.`);
    }
    return ref.url;
  });
  return [...new Set(refs)].filter((address) => address !== '').sort();
}

const fixtures = new URL('../../fixtures/markdown/', import.meta.url);
const pages = [
  ...readdirSync(fixtures).map((name) => [name, readFileSync(new URL(name, fixtures), 'utf8')] as const),
  ...sampleRepositories.flatMap(({ name, files }) =>
    Object.entries(files).flatMap(([path, text]) =>
      // Tables of contents are not pages.
      path.endsWith('.md') &&
      !path.endsWith('SUMMARY.md') &&
      typeof text === 'string' &&
      text.length < 100_000
        ? [[`${name}/${path}`, text] as const]
        : [],
    ),
  ),
];

describe('the links of a text are those of its document', () => {
  // Unparsed HTML of a document can show images, so its links are found too.
  test.each(pages)('%s', (_, text) => {
    const document = addressesOfDocument(text);
    const addresses = addressesIn(text);
    expect(addresses).toEqual(expect.arrayContaining(document));
    const raw = JSON.stringify(parseMarkdown(text)).match(
      /"text":"(?:[^"\\]|\\.)*","marks":\[\],"raw":true/g,
    );
    const others = addresses.filter((address) => !document.includes(address));
    expect(others.filter((address) => !raw?.some((leaf) => leaf.includes(address)))).toEqual([]);
  });

  test.each([
    ['[a](b.md) and ![i](c.png "title") and [d](<e f.md>)'],
    ['[![badge](b.svg)](https://example.com/a(b)c)'],
    ['[a][one], [one] and [Two][]\n\n[ONE]: a.md\n[two]: <b c.md> "T"\n[unused]: d.md'],
    ['[`a.b`], [`a-b`][] and [x][The `C`]\n\n[`a.b`]: a.md\n[`a-b`]: b.md\n[the `C`]: c.md\n[`d`]: d.md'],
    ['\\{% hint }\n\n[a](a.md)\n\n{% embed url="https://example.com/v" %}'],
    ['{% hint\n\n[a](a.md) %}\n\n[b](b.md)'],
    ['`[a](no.md)` ``[b](`no.md)`` [c](yes.md) `unclosed [d](too.md)'],
    ['```md\n[a](no.md)\n```\n\n~~~\n[b](no.md)\n~~~\n[c](yes.md)'],
    ['Text\n\n    [a](no.md)\n\n- item\n\n    [b](yes.md)\n'],
    ['<!-- [a](no.md) -->\n\n[b](yes.md)'],
    ['See https://example.com/a_b. And (www.example.com/x), not xhttps://no.example.'],
    ['Write to ada@example.com or <mailto:grace@example.com> or <joan@example.com>.'],
    ['<https://example.com/auto> <a href="x.md?a=1&amp;b=2">x</a> <img src="y.png">'],
    ['[a](b\\_c.md) [d](e&amp;f.md) \\[g](no.md)'],
    ['{% content-ref url="a.md" %}\n[a.md](a.md)\n{% endcontent-ref %}'],
    ['{% page-ref page="a.md" %}\n\n{% include \'b.md\' %}\n\n{% include c.md %}'],
    ['{% embed url="https://example.com/v" %}\n\n{% file src="f.zip" %}\n\n{% include "../i.md" %}'],
    [
      '{% openapi-operation spec="shop" path="/pets" method="get" %}\n[OpenAPI shop](https://example.com/s.json)\n{% endopenapi-operation %}',
    ],
    [
      '<picture><source srcset="dark.png" media="(prefers-color-scheme: dark)"><img src="light.png"></picture>',
    ],
    ['| a | b |\n| - | - |\n| [x](x.md) | ![y](y.png) |'],
    [
      '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td><a href="x.md">x</a></td></tr></tbody></table>',
    ],
    ['[a](b.md#c) [d](#e) [f]() [g](#)'],
    ['A note[^1].\n\n[^1]: With a [link](n.md).'],
    ['> [a](q.md)\n> - [b](r.md)'],
    ['$$[a](no.md)$$'],
    ['Costs $$ here.\n\n[x](y.md) ![i](i.png)\n\nand $$ there'],
    ['\\$$ [x](y.md) \\$$ and \\$$$ [a](no.md) $$'],
    ['a $$ b\n[a](no.md) $$ [x](y.md) $$$ [b](no.md) $$ $$$ [z](z.md)'],
    ['$$\n[a](no.md)\n\n[b](no.md)\n$$\n[x](y.md)\n\n- $$\n  [c](no.md)\n- [z](z.md)'],
    ['> $$\n> [a](no.md)\n\n[x](y.md)\n\n$$ here\n\n[b](no.md) $$ there'],
    ['# h $$ a\n[x](y.md) $$\n\n- a $$\n- [z](z.md) $$'],
    ['| a $$ | b |\n| - | - |\n| [x](x.md) | $$ |'],
    ['# [h](h.md)\n\n**[b](b.md)** _![i](i.png)_'],
  ])('%j', (text) => {
    expect([...addressesIn(text)].sort()).toEqual(addressesOfDocument(text));
  });
});

test('reads adversarial texts in linear time', () => {
  const delimiters = [
    '](',
    '[a',
    '<!--',
    '{%',
    '$$',
    '`',
    '``` `` `',
    '[a]: ',
    '<a ',
    '&',
    'www.',
    'a@',
    '\\',
  ];
  for (const part of delimiters) {
    const elapsedMs = startProcessorClock();
    addressesIn(`[x](y) ${part.repeat(100_000 / part.length)} [x]: y`);
    expect([part, elapsedMs() < 2000]).toEqual([part, true]);
  }
});

test('ends URLs before punctuation, however much there is', () => {
  const before = `www.a${'!'.repeat(1000)}x`;
  const texts = Array.from({ length: 400 }, (_, at) => `${before}${at}${')'.repeat(1000)}`);
  const addresses = texts.map((_, at) => `http://${before}${at}`);
  expect(addressesIn(texts.join(' '))).toEqual(addresses);
  expect(addressesIn('www.b.example/c_(d)).&amp;&lt;!? www.c.example/(e')).toEqual([
    'http://www.b.example/c_(d)',
    'http://www.c.example/(e',
  ]);
});

test('finds at most the links of a document, and none in a text that exceeds its limit', () => {
  const links = Array.from({ length: MAX_TEXT_ADDRESSES + 1 }, (_, at) => `[a](b${at})\n`).join('');
  expect(addressesIn(links)).toHaveLength(MAX_TEXT_ADDRESSES);
  expect(addressesIn(links.padEnd(MAX_PARSED_CHARACTERS))).toHaveLength(MAX_TEXT_ADDRESSES);
  expect(addressesIn(links.padEnd(MAX_PARSED_CHARACTERS + 1))).toEqual([]);
});
