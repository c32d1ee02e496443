import { describe, expect, test } from 'vitest';
import {
  MAX_HIGHLIGHTED_CHARACTERS,
  MAX_HIGHLIGHTED_LINE_CHARACTERS,
} from '../../../server/content/html/code/highlight.ts';
import type { RenderTarget } from '../../../server/content/html/options.ts';
import { renderPage } from '../../../server/content/html/page.ts';
import { parent } from '../../../server/content/markdown/document.ts';
import { rendered, renderedBlocks } from '../../support/sites/rendered.ts';

const targets = new Map<string, RenderTarget>([
  ['ports.md', { kind: 'page', title: 'Ports', url: '/ports' }],
  ['/pages/p1', { kind: 'page', title: 'By ID', url: '/by-id' }],
  ['hidden.md', { kind: 'page', title: 'Hidden' }],
]);

describe('texts', () => {
  test.each([
    ['**a**', 'strong'],
    ['*a*', 'em'],
    ['~~a~~', 'del'],
    ['`a`', 'code'],
    ['<kbd>a</kbd>', 'kbd'],
    ['<u>a</u>', 'u'],
    ['<sup>a</sup>', 'sup'],
    ['<sub>a</sub>', 'sub'],
    ['<mark style="color:#c00000;">a</mark>', 'span.color-red'],
    ['<mark style="color:$primary;">a</mark>', 'span.color-primary'],
    ['<mark style="background-color:yellow;">a</mark>', 'mark.background-yellow'],
  ])('%s is %s', (markdown, selector) => {
    expect(rendered(`x ${markdown} y`).text(selector)).toBe('a');
  });

  test('have line breaks, emoji, icons and values of expressions', () => {
    const page = rendered('a\\\nb :rocket: <i class="fa-anchor">:anchor:</i>');
    expect(page.all('p > br')).toHaveLength(1);
    expect(page.text('p')).toContain('🚀');
    expect(page.all('p > svg.icon > path')).toHaveLength(1);
    const { html } = renderPage({
      markdown: 'Version {{ space.vars.version }}.',
      variables: { space: { version: '1.2 <3>' }, page: {} },
      options: {},
    });
    expect(html).toContain('Version 1.2 &lt;3&gt;.');
  });
});

describe('links', () => {
  test('lead to the address of their target, and have its title if they have no text', () => {
    const page = rendered('[the ports](ports.md "Tip") and [](ports.md)', { targets });
    expect(page.find('a').properties).toMatchObject({ href: '/ports', title: 'Tip' });
    const byId = renderedBlocks(
      [
        parent('paragraph', {}, [
          {
            object: 'inline',
            type: 'link',
            isVoid: false,
            data: { ref: { kind: 'page', page: 'p1' } },
            nodes: [],
          },
        ]),
      ],
      { targets },
    );
    expect(byId.text('a[href="/by-id"]')).toBe('By ID');
  });

  test('without an address are text', () => {
    const page = rendered('[a](hidden.md) [b](unknown.md) [c](javascript:alert(1))', { targets });
    expect(page.all('a')).toEqual([]);
    expect(page.text('p')).toBe('a b c');
  });

  test('to other sites open in a new tab only if requested', () => {
    const markdown = '[a](https://example.com) [b](ports.md)';
    expect(rendered(markdown, { targets }).all('a[target]')).toEqual([]);
    const [link, ...others] = rendered(markdown, { targets, externalLinksInNewTab: true }).all(
      'a[target=_blank]',
    );
    expect(link?.properties).toMatchObject({ href: 'https://example.com/', rel: ['noopener'] });
    expect(others).toEqual([]);
  });

  test('find headings whose anchors other platforms derive differently', () => {
    expect(rendered('[a](#SetUp)\n\n# Set up').find('p > a').properties.href).toBe('#set-up');
  });

  test('and buttons never contain others', () => {
    const page = rendered(
      '[a ![i](https://e.com/i.png) <a href="ports.md" class="button primary">Go</a>](ports.md)',
      { targets },
    );
    expect(page.all('a a, button a, a button')).toEqual([]);
  });

  test('as mentions and buttons have the label of their target or their own', () => {
    const page = rendered(
      '<a data-mention href="ports.md">ports.md</a> <a href="ports.md" class="button primary" data-icon="rocket">Go</a>',
      { targets },
    );
    expect(page.text('a.mention')).toBe('Ports');
    expect(page.text('a.button-primary').trim()).toBe('Go');
    expect(page.all('a.button-primary svg')).toHaveLength(1);
  });
});

test('notes open with a button, without a script, after the last block', () => {
  const page = rendered('See [this](#user-content-fn-1)[^1].\n\n[^1]: A **note**');
  const id = page.find('aside.note').properties.id;
  expect(
    page.find('p > button.annotation').properties.popoverTarget ??
      page.find('p > button.annotation').properties.popovertarget,
  ).toBe(id);
  expect(page.text('p > button.annotation')).toBe('this');
  expect(page.text('aside.note strong')).toBe('note');
});

test('notes of code open with a button around their text, within and across tokens', () => {
  const note = (id: string, text: string) => `<a data-footnote-ref href="#user-content-fn-${id}">${text}</a>`;
  const page = rendered(
    `<pre><code class="lang-js">const answer = ${note('1', '"for')}ty";\nreturn${note('1', ' 1;\n// en')}d\n</code></pre>\n\n[^1]: A **note**`,
  );
  expect(page.text('pre code')).toBe('const answer = "forty";\nreturn 1;\n// end');
  expect(page.all('pre code button.annotation')).toHaveLength(2);
  expect(page.all('aside.note')).toHaveLength(2);
  expect(page.text('pre button .hl-s')).toBe('"for');
  expect(page.text('pre code > .hl-s')).toBe('ty"');
});

test('a note of many lines of code is shown once', () => {
  const lines = 'x = 1;\n'.repeat(1000);
  const page = rendered(
    `<pre><code><a data-footnote-ref href="#user-content-fn-1">${lines}</a></code></pre>\n\n[^1]: A note`,
  );
  expect(page.text('pre code')).toBe(lines.trimEnd());
  expect(page.all('aside.note')).toHaveLength(1);
});

describe('formulas', () => {
  test('are MathML without styles, and without their source', () => {
    const page = rendered('$$a^2$$\n\n$$\n\\frac{1}{2}\n$$');
    expect(page.all('p math msup')).toHaveLength(1);
    expect(page.find('div.math math').properties.display).toBe('block');
    expect(page.html).not.toMatch(/style=|annotation/);
    expect(page.features.math).toBe(true);
  });

  test('that are invalid are shown as written', () => {
    expect(rendered('$$\\frac{1$$').text('code.formula-source')).toBe('\\frac{1');
  });
});

describe('code', () => {
  test('is highlighted with classes, and keeps its text', () => {
    const code = 'const a = "&amp;"; // <b>\nif (a) { }';
    const page = rendered(`\`\`\`ts\n${code}\n\`\`\``);
    expect(page.text('pre code')).toBe(code);
    expect(page.text('.hl-k')).toBe('const');
    expect(page.text('.hl-c')).toBe('// <b>');
    expect(page.find('.code-copy').properties.hidden).toBe(true);
    expect(page.features.code).toBe(true);
  });

  test.each(['tsx', 'py', 'sh', 'yml', 'c++', 'c#', 'dockerfile', 'html', 'graphql', 'toml', 'rs', 'kt'])(
    'in the language %s has a grammar',
    (language) => {
      expect(
        rendered(`\`\`\`${language}\n# "text" <a href="x"> 12 if\n\`\`\``).all('[class^=hl-]'),
      ).not.toEqual([]);
    },
  );

  test('in an unknown language is plain text', () => {
    const page = rendered('```../../etc/passwd\nconst\n```');
    expect(page.all('[class^=hl-]')).toEqual([]);
    expect(page.text('pre code')).toBe('const');
  });

  test('that is too long, or has too long a line, is plain text', () => {
    const isPlain = (code: string) => rendered(`\`\`\`js\n${code}\n\`\`\``).all('[class^=hl-]').length === 0;
    const line = `${'const a;'.padEnd(MAX_HIGHLIGHTED_LINE_CHARACTERS - 1, ' ')}\n`;
    expect(isPlain(line)).toBe(false);
    expect(isPlain(`  ${line}`)).toBe(true);
    expect(isPlain(line.repeat(MAX_HIGHLIGHTED_CHARACTERS / MAX_HIGHLIGHTED_LINE_CHARACTERS + 1))).toBe(true);
    expect(rendered('```js\nconst a;\n```', { plainCode: true }).all('[class^=hl-]')).toEqual([]);
  });

  test('has a title, numbered lines, and wraps if requested', () => {
    const page = rendered(
      '{% code title="a.js" lineNumbers="true" overflow="wrap" %}\n```js\n/* a\nb */\n\nc\n```\n{% endcode %}',
    );
    expect(page.text('.code-title')).toBe('a.js');
    expect(page.all('.line')).toHaveLength(4);
    expect(page.all('.hl-c')).toHaveLength(2);
    expect(page.text('pre code')).toBe('/* a\nb */\n\nc');
    expect(page.find('figure').properties.className).toEqual(['code', 'code-numbered', 'code-wrap']);
    expect(page.find('pre').properties.tabIndex).toBeUndefined();
  });
});

describe('directions', () => {
  test('are those of the first letter, where they differ from the text around them', () => {
    const page = rendered('Latin\n\nنص عربي\n\n> البحر\n>\n> واسع\n\n123 شيء');
    expect(page.all('p').map(({ properties }) => properties.dir)).toEqual([
      undefined,
      'rtl',
      undefined,
      undefined,
      'rtl',
    ]);
    expect(page.find('blockquote').properties.dir).toBe('rtl');
  });

  test('of a page in Arabic are from right to left, and those of code from left to right', () => {
    const page = rendered('نص\n\nLatin\n\n```\ncode\n```', { language: 'ar' });
    expect(page.all('p').map(({ properties }) => properties.dir)).toEqual([undefined, 'ltr']);
    expect(page.find('figure.code').properties.dir).toBe('ltr');
  });
});

test('notes and cells have the direction of their own text', () => {
  const page = rendered(
    'Latin [x](#user-content-fn-1)[^1]\n\n| A | B |\n| - | - |\n| a | بحر |\n\n[^1]: Note',
    {
      language: 'ar',
    },
  );
  expect(page.find('aside.note p').properties.dir).toBe('ltr');
  expect(page.all('td').map(({ properties }) => properties.dir)).toEqual([undefined, 'rtl']);
});

describe('reusable contents', () => {
  const included = (markdown: string) =>
    renderPage({
      markdown: 'Before\n\n{% include "support.md" %}',
      options: {
        targets: new Map([['support.md', { kind: 'reusable-content', title: 'S', included: 'r1' }]]),
      },
      included: new Map([
        [
          'r1',
          {
            markdown,
            targets: new Map<string, RenderTarget>([
              ['other.md', { kind: 'page', title: 'Other', url: '/other' }],
              ['support.md', { kind: 'reusable-content', title: 'S', included: 'r1' }],
            ]),
          },
        ],
      ]),
    });

  test('are part of the page, with their own references', () => {
    const page = included('# Help\n\nSee [it](other.md).');
    expect(page.html).toContain('<a href="/other">it</a>');
    expect(page.outline).toEqual([{ id: 'help', title: 'Help', level: 1 }]);
  });

  test('that include themselves end', () => {
    const { html } = included('Again\n\n{% include "support.md" %}');
    expect(html.match(/Again/g)).toHaveLength(4);
  });
});
