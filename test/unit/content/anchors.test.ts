import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findAnchor } from '../../../server/content/markdown/anchors/names.ts';
import { parseMarkdown, printMarkdown } from '../../../server/content/markdown/markdown.ts';
import { searchSections } from '../../../server/content/markdown/sections.ts';
import { listAnchors } from '../../../server/content/threads/anchors.ts';
import { runs } from '../../support/seed.ts';
import { rendered } from '../../support/sites/rendered.ts';

/** Returns the IDs of a rendered page, in order. */
const idsOf = (markdown: string, title?: string): unknown[] =>
  rendered(markdown, { title })
    .all('[id]')
    .map(({ properties }) => properties.id);

/** Returns the ID that a fragment leads to. */
const targetOf = (markdown: string, fragment: string, title?: string) =>
  findAnchor(listAnchors({ markdown, title }).names, fragment);

/** Names cases by their IDs, because texts are long. */
const byID = (cases: ReadonlyArray<[markdown: string, id: string]>) =>
  cases.map(([markdown, id]): [string, string] => [id, markdown]);

const FILLER = 'A paragraph with some words in it.\n\n'.repeat(160);

describe('anchors of a page', () => {
  test.each(
    byID([
      ['## Set up', 'set-up'],
      ['## 1. Set up', 'id-1.-set-up'],
      ['> text\n>\n> ### The *first* step\n>\n> text', 'the-first-step'],
      ['>> ## 2. The last', 'id-2.-the-last'],
      ['## Title {#own}', 'own'],
      ['Title {#below}\n---', 'below'],
      ['## Title {#closed} ##', 'closed'],
      [`${FILLER}## Late {#late}\n\ntext`, 'late'],
      [`${FILLER}Late {#under}\n====\n\ntext`, 'under'],
      [`${FILLER}> ## Late {#quoted}\n\n${FILLER}`, 'quoted'],
      [`${FILLER}* item\n\n  ## Late {#listed}\n`, 'listed'],
      [`${'> quoted text\n>\n'.repeat(600)}> ## Late {#deep}\n`, 'deep'],
      ['## Title <a name="named"></a>', 'named'],
      ['## <a id="linked" href="#linked">Title</a>', 'linked'],
      ['<h3 id="html">Title</h3>', 'html'],
      ['text <a id="inline"></a> text', 'inline'],
      ['text <a name="old">text</a>', 'old'],
      ['text <span id="part">text</span>', 'part'],
      ['text <b id="bold">text</b>', 'bold'],
      ['<a id="target" href="https://example.com">text</a>', 'target'],
      ['<div id="box">\n\ntext\n\n</div>', 'box'],
      ['<ul><li id="item">text</li></ul>', 'item'],
      ['<table id="grid"><tr><td>a</td></tr></table>', 'grid'],
      ['<table><tr><th>h</th></tr><tr id="row"><td>a</td><td>b</td></tr></table>', 'row'],
      ['<table><tr><th>h</th></tr><tr><td>a</td><td id="cell">b</td></tr></table>', 'cell'],
      ['<table><tr><th>h</th></tr><tr><td id="named"><code>a</code></td></tr></table>', 'named'],
      ['| a | b |\n| - | - |\n| <a id="in-cell"></a>c | d |', 'in-cell'],
      ['| a <a id="in-title"></a> | b |\n| - | - |\n| c | d |', 'in-title'],
      [
        '<table><thead><tr><th id="title">h</th></tr></thead><tbody><tr><td>a</td></tr></tbody></table>',
        'title',
      ],
      [
        '<table><thead><tr id="head"><th>h</th></tr></thead><tbody><tr><td>a</td></tr></tbody></table>',
        'head',
      ],
      [
        '<details>\n\n<summary>What conventions apply?</summary>\n\ntext\n\n</details>',
        'what-conventions-apply',
      ],
      ['<details id="faq">\n<summary>Question</summary>\n\ntext\n\n</details>', 'faq'],
      ['<details>\n<summary id="faq">Question</summary>\n\ntext\n\n</details>', 'faq'],
      ['{% tabs %}\n{% tab title="On Linux" %}\ntext\n{% endtab %}\n{% endtabs %}', 'on-linux'],
      [
        '{% openapi src="a.yaml" path="/pets/{id}" method="get" %}\n[a.yaml](a.yaml)\n{% endopenapi %}',
        'get-pets-id',
      ],
    ]),
  )('%s is on the page', (id, markdown) => {
    expect(idsOf(markdown)).toContain(id);
    expect(targetOf(markdown, id)).toBe(id);
  });

  test.each(
    byID([
      ['## Escaped \\{#x}', 'escaped-x'],
      ['## In code `{#x}`', 'in-code-x'],
      [`${FILLER}## Late \\{#x}`, 'late-x'],
    ]),
  )('%s is derived from the title', (id, markdown) => {
    expect(idsOf(markdown)).toEqual([id]);
  });

  test.each([
    ['the form of GitHub', '## Limits & Retries', 'limits--retries', 'limits-and-retries'],
    ['the form of kramed', '## Set up: now!', 'set-up-now-', 'set-up-now'],
    ['other case', '## Set up', 'Set-Up', 'set-up'],
    ['percent-encoding', '## Введение', encodeURIComponent('введение'), 'введение'],
    ['a transliteration', '## 1.3 配置', 'id-1.3-pei-zhi', 'id-1.3-配置'],
    ['an earlier form of GitBook', '## 8.2.1 (June)', '8-2-1-june', 'id-8.2.1-june'],
    ['numbers apart', '## CR2W files', 'cr-2-w-files', 'cr2w-files'],
    ['the prefix of GitHub', '## Set up', 'user-content-set-up', 'set-up'],
    ['the title of a heading with an ID', '## Set up {#start}', 'set-up', 'start'],
    ['a second heading', '## A & B\n\n## A & B', 'a--b-1', 'a-and-b-1'],
  ])('%s leads to the ID', (_name, markdown, fragment, id) => {
    expect(targetOf(markdown, fragment)).toBe(id);
    const { find } = rendered(`${markdown}\n\n[link](#${fragment})`);
    expect(find('a:not(.anchor)').properties.href).toBe(`#${encodeURIComponent(id)}`);
  });

  test.each([
    [
      'a hidden column',
      '<table><thead><tr><th>h</th><th data-hidden>i</th></tr></thead><tbody><tr><td>a</td><td id="x">b</td></tr></tbody></table>',
    ],
    [
      'a title that is hidden',
      '<table data-header-hidden><thead><tr><th><a id="x"></a>h</th></tr></thead><tbody><tr><td>a</td></tr></tbody></table>',
    ],
    [
      'a row of empty titles',
      '<table><thead><tr><th id="x"></th></tr></thead><tbody><tr><td>a</td></tr></tbody></table>',
    ],
    [
      'a tab, which has that of its title',
      '{% tabs %}\n{% tab title="T" id="x" %}\ntext\n{% endtab %}\n{% endtabs %}',
    ],
  ])('an ID of %s is not on the page', (_name, markdown) => {
    expect(idsOf(markdown)).not.toContain('x');
    expect(targetOf(markdown, 'x')).toBeUndefined();
  });

  test('IDs of authors come before those of titles', () => {
    expect(idsOf('## Setup\n\n## Other {#setup}\n\n## Other {#setup}')).toEqual([
      'setup-2',
      'setup',
      'other',
      'setup-1',
      'other-1',
    ]);
    expect(targetOf('## Setup\n\n## Other {#setup}', 'setup')).toBe('setup');
  });

  test('an element with the ID of a heading leads to the heading', () => {
    expect(idsOf('<a id="setup"></a>\n\n## Setup')).toEqual(['setup']);
  });

  test('the title of the page is an anchor unless a heading has its ID', () => {
    expect(targetOf('text', 'my-page', 'My page')).toBe('my-page');
    expect(rendered('text', { title: 'My page' }).titleId).toBe('my-page');
    expect(rendered('## My page', { title: 'My page' }).titleId).toBeUndefined();
    expect(targetOf('## My page', 'my-page', 'My page')).toBe('my-page');
    expect(targetOf('text', 'other', 'My page')).toBeUndefined();
  });

  test('no ID of an author is one of the page around the content', () => {
    expect(idsOf('## A {#site:search}\n\n<a id="site:note:1"></a> text[^1]\n\n[^1]: note')).toEqual([
      'a',
      'site:note:1',
    ]);
    const { html } = rendered('## A {#"><script>}\n\n<a id=\'"><script>\'></a>');
    expect(html).not.toContain('<script');
  });

  test('contents that a page includes have anchors on it', () => {
    const included = new Map([['r', { markdown: '## Shared\n\n<a id="x"></a>' }]]);
    const markdown = '## Shared\n\n{% include "a.md" %}';
    const { names } = listAnchors({ markdown, included, targets: new Map([['a.md', 'r']]) });
    expect(['shared', 'shared-1', 'x'].map((id) => findAnchor(names, id))).toEqual([
      'shared',
      'shared-1',
      'x',
    ]);
  });
});

/** Parts of titles that hosts write differently in anchors. */
const PART = fc.oneof(
  fc.constantFrom(
    'Set up',
    '1.',
    '&',
    '/',
    '<x>',
    '`code`',
    '**b**',
    '{#own}',
    '\\{#no}',
    '…',
    'it’s',
    '→',
    '🚀',
  ),
  fc.constantFrom(
    '配置',
    'Über',
    'Введение',
    '비용',
    '&amp;',
    '[a](b.md)',
    '<a id="e"></a>',
    '|',
    '\\<y>',
    '.',
    'a--b',
  ),
);

const titleOf = (part: fc.Arbitrary<string>) =>
  fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(' '));

/** Markdown of titles. */
const TITLE = titleOf(
  fc.oneof(
    PART,
    fc.string({ maxLength: 6 }).map((text) => text.replace(/[\r\n]/g, '')),
  ),
);

const BLOCK = fc.oneof(
  TITLE.map((title) => `## ${title}`),
  TITLE.map((title) => `> ### ${title}`),
  TITLE.map((title) => `* text\n\n  #### ${title}`),
  TITLE.map((title) => `<details>\n<summary>${title}</summary>\n\n## ${title}\n\n</details>`),
  TITLE.map((title) => `text <span id="${title.replace(/[^\w-]/g, '')}">s</span>`),
);

test('for all pages, names lead exactly to the IDs on the page, and links to them are rendered', () => {
  fc.assert(
    fc.property(fc.array(BLOCK, { minLength: 1, maxLength: 6 }), TITLE, (blocks, title) => {
      const markdown = blocks.join('\n\n');
      const page = rendered(markdown, { title });
      const ids = new Set(page.all('[id]').map(({ properties }) => String(properties.id)));
      if (page.titleId !== undefined) {
        ids.add(page.titleId);
      }
      const { names } = listAnchors({ markdown, title });
      for (const [name, id] of names) {
        expect(ids, `${name} leads to ${id}`).toContain(id);
      }
      for (const id of ids) {
        expect(findAnchor(names, encodeURIComponent(id))).toBeDefined();
      }
      expect(ids.size).toBe(page.all('[id]').length + (page.titleId === undefined ? 0 : 1));
      for (const { id } of page.outline) {
        expect(names.get(id)).toBe(id);
      }
    }),
    { numRuns: runs(150) },
  );
});

test('sections for search have the anchors of the page', () => {
  fc.assert(
    fc.property(fc.array(titleOf(PART), { minLength: 1, maxLength: 5 }), (titles) => {
      const markdown = titles.map((title) => `## ${title}\n\ntext`).join('\n\n');
      const { names } = listAnchors({ markdown });
      for (const { id } of searchSections(markdown)) {
        if (id !== '') {
          expect(findAnchor(names, id), id).toBeDefined();
        }
      }
    }),
    { numRuns: runs(100) },
  );
});

test.each(['<details id="x">\n\n<summary>a</summary>\n\nb\n\n</details>\n', 'a <a id="x"></a>**b**\n'])(
  '%j is printed as written',
  (markdown) => {
    expect(printMarkdown(parseMarkdown(markdown))).toBe(markdown);
  },
);
