import { describe, expect, test } from 'vitest';
import type { RenderTarget } from '../../../server/content/html/options.ts';
import { renderPage } from '../../../server/content/html/page.ts';
import { printPage } from '../../../server/content/html/print.ts';
import { writeRef } from '../../../server/content/links/address.ts';
import { referenceWriter, targetFormatter } from '../../../server/content/links/page-references.ts';
import { addressesIn } from '../../../server/content/links/text-links.ts';
import type { Reference } from '../../../server/content/markdown/document.ts';
import { parseMarkdown, printMarkdown } from '../../../server/content/markdown/markdown.ts';
import { reviseMarkdown } from '../../../server/content/markdown/revise/revise.ts';
import { readWireDocument } from '../../../server/content/wire/read.ts';
import { writeDocument } from '../../../server/content/wire/write.ts';
import { rendered } from '../../support/sites/rendered.ts';

const targets = new Map<string, RenderTarget>([
  ['guide/ports.md', { kind: 'page', title: 'Ports', url: '/ports', icon: 'plug' }],
  ['guide/ports.md#tcp', { kind: 'anchor', title: 'Ports', section: 'TCP ports', url: '/ports#tcp' }],
  ['data.csv', { kind: 'file', title: 'Numbers.csv', url: '/f/data.csv' }],
  ['user:u1', { kind: 'user', title: 'Ada Lovelace' }],
  ['guide/', { kind: 'page', title: 'Guide', url: '/guide', emoji: '1f4d8' }],
]);

const MENTIONS = [
  ['a page', '[ports.md](guide/ports.md "mention")', 'Ports'],
  ['a page in single quotes', "[x](guide/ports.md 'mention')", 'Ports'],
  ['a page with a text of its own', '[the ports](guide/ports.md "mention")', 'Ports'],
  ['a folder', '[.](guide/ "mention")', '📘 Guide'],
  ['a section', '[#tcp](guide/ports.md#tcp "mention")', 'TCP ports'],
  ['a file', '[data.csv](data.csv "mention")', 'Numbers.csv'],
  ['a user', '[@ada](user:u1 "mention")', 'Ada Lovelace'],
  ['an unknown user', '[@ada](user:u2 "mention")', '@ada'],
  ['a URL', '[https://a.example/b](https://a.example/b "mention")', 'https://a.example/b'],
  ['a titled URL', '[The site](https://a.example/b "mention")', 'The site'],
  ['a missing page', '[gone.md](guide/gone.md "mention")', 'gone.md'],
  ['a page by reference', '[x][p]\n\n[p]: guide/ports.md "mention"', 'Ports'],
  ['a page in HTML', '<a data-mention href="guide/ports.md">ports.md</a>', 'Ports'],
  ['a page in a heading', '## To [x](guide/ports.md "mention")', 'To Ports'],
] as const;

describe('mentions', () => {
  test.each(MENTIONS)('of %s show its title on a page', (_, markdown, title) => {
    const view = rendered(markdown, { targets });
    expect(view.text('p, h2, .content').replace(/\s+/g, ' ').trim()).toBe(title);
    expect(view.all('[title="mention"]')).toEqual([]);
  });

  test('have the icon of their target', () => {
    const view = rendered('[ports.md](guide/ports.md "mention") [ports](guide/ports.md)', { targets });
    expect(view.all('a.mention svg')).toHaveLength(1);
    expect(view.all('a:not(.mention) svg')).toHaveLength(0);
  });

  test('have titles in excerpts and outlines', () => {
    const markdown = '## On [x](guide/ports.md "mention")\n\nSee [x](guide/ports.md#tcp "mention").\n';
    const { excerpt, outline } = renderPage({ markdown, options: { targets } });
    expect(excerpt).toBe('See TCP ports.');
    expect(outline.map(({ title }) => title)).toEqual(['On Ports']);
  });

  test('are links with titles in Markdown for readers outside of the platform', () => {
    const markdown =
      'See [x](guide/ports.md#tcp "mention"), [@a](user:u2 "mention").\n\n<table><thead><tr><th>T</th></tr></thead><tbody><tr><td><a data-mention href="guide/ports.md">x</a><br><strong>b</strong></td></tr></tbody></table>\n';
    const printed = printPage({ markdown, targets, base: 'https://docs.example' });
    expect(printed).toContain('See [TCP ports](https://docs.example/ports#tcp), [@a](user:u2).');
    expect(printed).toMatch(
      /\[Ports\]\(https:\/\/docs\.example\/ports\)|<a href="https:\/\/docs\.example\/ports">Ports<\/a>/,
    );
  });

  test('are indexed as links', () => {
    expect(addressesIn('[x](a.md#b "mention") [y](user:u1 "mention")')).toEqual(['a.md#b', 'user:u1']);
  });
});

describe('in documents', () => {
  const references = new Map<string, Reference>([
    ['guide/ports.md', { kind: 'page', page: 'p1' }],
    ['guide/ports.md#tcp', { kind: 'anchor', page: 'p1', anchor: 'tcp' }],
    ['data.csv', { kind: 'file', file: 'f1' }],
  ]);

  test('mentions refer to their target', () => {
    const { nodes } = writeDocument(parseMarkdown('[#tcp](guide/ports.md#tcp "mention") x'), { references });
    expect(nodes[0]).toMatchObject({
      nodes: [
        { type: 'mention', isVoid: true, data: { ref: { kind: 'anchor', page: 'p1', anchor: 'tcp' } } },
        { object: 'text' },
      ],
    });
  });

  test.each(MENTIONS)('%s is unchanged after an edit of another part of its paragraph', (_, mention) => {
    const markdown = `Before ${mention}\n`.replace('Before ## ', '## Before ');
    const document = writeDocument(parseMarkdown(markdown), { references });
    const json = JSON.stringify(document);
    const unchanged = readWireDocument(document, { addressOf: referenceWriter(references) });
    const write = referenceWriter(references);
    expect(reviseMarkdown(markdown, unchanged, write, targetFormatter(references))).toBe(markdown);
    const edited = readWireDocument(JSON.parse(json.replace('Before', 'After')), { addressOf: write });
    expect(reviseMarkdown(markdown, edited, write, targetFormatter(references))).toBe(
      markdown.replace('Before', 'After'),
    );
  });

  test('a new mention is written with the name of its target', () => {
    const ref = { kind: 'page', page: 'p1' } as const;
    const mention = { object: 'inline', type: 'mention', isVoid: true, data: { ref } } as const;
    const document = writeDocument(parseMarkdown('x'), {});
    const [first] = document.nodes;
    if (first?.type !== 'paragraph') {
      throw new Error('There is no paragraph.');
    }
    const changed = { ...document, nodes: [{ ...first, nodes: [mention] }] };
    const write = referenceWriter(references);
    expect(printMarkdown(readWireDocument(changed, { addressOf: write }), write).trim()).toBe(
      '[ports.md](guide/ports.md "mention")',
    );
    expect(printMarkdown(readWireDocument(changed, { addressOf: writeRef }), writeRef).trim()).toBe(
      '[p1](/pages/p1 "mention")',
    );
  });

  test('a link with the title of a mention keeps its markup', () => {
    const { nodes } = writeDocument(parseMarkdown('[**b**](guide/ports.md "mention")'), { references });
    expect(nodes[0]).toMatchObject({ nodes: [{ type: 'link', data: { title: 'mention' } }] });
  });
});
