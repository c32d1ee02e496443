/** Arbitrary pages: every construct of the platform's markdown, nested and next to one another. */
import fc from 'fast-check';

const word = fc.constantFrom(
  'alpha',
  'beta',
  'snake_case',
  '3 * 4',
  'a < b',
  'R&D',
  '&copy;',
  '10:20',
  '$5',
  'x|y',
  '[brackets]',
  'é—ü',
  '#hash',
  '1.',
  '\\*',
  "it's",
  '"quoted"',
  'www.example.com',
  'me@example.com',
  '{braces}',
  '{{ page.vars.x }}',
  '100%',
  '~tilde~',
  '漢字',
  '🚀',
  '\u00a0',
  ':not emoji:',
  '::',
  '+',
  '-',
  '=',
  '`tick',
);

const words = fc.array(word, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(' '));
const glued = fc.array(word, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(''));

/** A line of text with marks and inlines. */
const line: fc.Arbitrary<string> = fc.letrec<{ line: string; inline: string }>((tie) => ({
  line: fc
    .array(fc.tuple(tie('inline'), fc.constantFrom(' ', ' ', ' ', '', '\n', '\\\n', '<br>')), {
      minLength: 1,
      maxLength: 4,
    })
    .map((parts) =>
      parts.map(([text, gap], index) => (index === parts.length - 1 ? text : text + gap)).join(''),
    ),
  inline: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    words,
    glued,
    fc
      .tuple(fc.constantFrom('**', '_', '*', '~~', '__', '***', '~'), tie('line'))
      .map(([mark, text]) => mark + text + mark),
    fc
      .tuple(
        fc.constantFrom('kbd', 'sub', 'sup', 'strong', 'em', 'del', 'code', 'span', 'b', 'u', 'font', 'abbr'),
        tie('line'),
      )
      .map(([name, text]) => `<${name}>${text}</${name}>`),
    fc
      .tuple(fc.constantFrom('color:red;', 'background-color:$primary;', 'font: x'), tie('line'))
      .map(([style, text]) => `<mark style="${style}">${text}</mark>`),
    fc
      .tuple(tie('line'), fc.constantFrom('page.md', 'https://a.b/c_d?e=(f)', '#x', '', '<a b>'))
      .map(([text, url]) => `[${text}](${url})`),
    fc.constantFrom(
      '`code`',
      '`` a`b ``',
      '$$a_1 + b^2$$',
      ':smile:',
      ':+1:',
      '![alt](img.png)',
      '![a *b*](i.png "T")',
      '<img src="a.png" alt="x" data-size="line">',
      '<picture><source srcset="d.png" media="(prefers-color-scheme: dark)"><img src="l.png" alt=""></picture>',
      '<code class="expression">space.vars.a_b</code>',
      '<i class="fa-bolt">:bolt:</i>',
      '<a href="https://x.y" class="button primary" data-icon="rocket">Go</a>',
      '<button type="button" class="button secondary" data-action="ask">Ask</button>',
      '<a data-mention href="page.md">page.md</a>',
      '[^1]',
      '[^two]',
      '[text](#user-content-fn-1)[^1]',
      '<https://auto.link>',
      'https://bare.link/a_b',
      '[ref]',
      '[text][ref]',
      '{% unknown %}',
      '<!-- note -->',
      '</kbd>',
      '<kbd>',
      '<a id="x"></a>',
      '<a name="y"></a>',
      '<span data-option="o1">Option</span>',
      '<span data-gb-custom-inline data-tag="emoji" data-code="2705"></span>',
      '<a id="z">anchored</a>',
      '\\`',
      '&#x20;',
      '&nbsp;',
      '$$',
      '{%',
    ),
  ),
})).line;

const oneLine = line.map((text) => text.replace(/\\?\n/g, ' '));
const attribute = fc.constantFrom('Title', 'a "b" c', 'back\\slash', 'ünïcode', '');
const quoted = attribute.map((text) => text.replace(/["\\]/g, '\\$&'));

const table = fc
  .tuple(
    fc.integer({ min: 1, max: 3 }),
    fc.array(fc.array(oneLine, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
  )
  .map(([width, rows]) => {
    const [head = [], ...body] = rows;
    const cells = (row: string[]) =>
      `| ${Array.from({ length: width }, (_, index) => row[index] ?? '').join(' | ')} |`;
    return [cells(head), cells(Array(width).fill(':-:')), ...body.map(cells)].join('\n');
  });

const htmlTable = fc
  .array(oneLine, { minLength: 2, maxLength: 4 })
  .map(
    ([a, b, c = '', d = '']) =>
      `<table data-view="cards"><thead><tr><th>${a}</th><th width="100" data-hidden data-card-target data-type="content-ref">${b}</th></tr></thead><tbody><tr><td>${c}<ul><li>${d}</li></ul></td><td></td></tr></tbody></table>`,
  );

const indent = (text: string, by: string) => text.replace(/\n(?=[^\n])/g, `\n${by}`);

/** A page, or a part of one. */
export const page: fc.Arbitrary<string> = fc.letrec<{ page: string; block: string }>((tie) => {
  const inner = tie('page');
  const tagged = (open: fc.Arbitrary<string>, close: string) =>
    fc
      .tuple(open, fc.constantFrom('\n', '\n\n', ' '), inner)
      .map(([start, gap, text]) => `${start}${gap}${text}\n${close}`);
  const several = (name: string, item: fc.Arbitrary<string>) =>
    fc
      .array(item, { minLength: 1, maxLength: 3 })
      .map((items) => `{% ${name} %}\n${items.join('\n\n')}\n{% end${name} %}`);
  return {
    page: fc
      .array(fc.tuple(tie('block'), fc.constantFrom('\n\n', '\n\n', '\n\n', '\n')), {
        minLength: 1,
        maxLength: 4,
      })
      .map((parts) => parts.map(([text, gap]) => text + gap).join('')),
    block: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      line,
      fc
        .tuple(fc.integer({ min: 1, max: 6 }), oneLine, fc.constantFrom('', ' <a href="#id" id="id"></a>'))
        .map(([depth, text, id]) => `${'#'.repeat(depth)} ${text}${id}`),
      oneLine.map((text) => `${text}\n---`),
      table,
      htmlTable,
      fc
        .tuple(fc.constantFrom('', 'js', 'ts title="x"'), fc.array(words, { maxLength: 3 }))
        .map(([lang, lines]) => `\`\`\`${lang}\n${lines.join('\n')}\n\`\`\``),
      fc.constantFrom(
        '---',
        '    indented code',
        '$$\nx^2\n$$',
        '{% include "../.gitbook/includes/x.md" %}',
        '{% embed url="https://x.y/z" %}',
        '{% file src="a.pdf" %}',
        '{% @mermaid/diagram content="graph TD" %}',
        '{% endhint %}',
        '{% hint style="info" %}',
        '</details>',
        '<details>',
        '<div>\nraw\n</div>',
        '<!-- comment\n\nwith blank -->',
        '[ref]: https://r.s "t"',
        '[^1]: Note **one**',
        '[^two]: Note\n\n    - two',
        '<br>',
        '<video src="x">\n</video>',
        '![](a.png) ![b](b.png "cap")',
        '{% tabs %}',
        '<summary>x</summary>',
        '<pre class="language-js"><code class="lang-js">a &#x3C; 1\n<strong>b\n</strong>\n</code></pre>',
        '<pre><code>a <a data-footnote-ref href="#user-content-fn-1">b\nc</a>\n</code></pre>',
        '{% youtube id="a" %}',
        '{% api-method %}\nx\n{% endapi-method %}',
        '  {% endhint %}',
        '<p>open\n<p>another',
        '<ul><li>a<li>b</ul>',
        '<table>\n<tr><td rowspan="2">\n\n* a\n\n</td></tr>\n</table>',
        '<div align="center">',
        '</div>',
        '<td>',
        '<hr>',
        '<blockquote>q</blockquote>',
        '<iframe src="https://a.b" width="1"></iframe>',
        '{% openapi-operation spec="pets" path="/a" method="get" %}\n[OpenAPI pets](https://a.b/c.json)\n{% endopenapi-operation %}',
        '{% openapi-schemas spec="pets" schemas="A,B" grouped="true" %}\n{% endopenapi-schemas %}',
        '{% openapi-webhook spec="pets" name="n" method="post" %}\n{% endopenapi-webhook %}',
        '{% swagger src="a.yaml" path="/x" method="get" %}\n[a.yaml](a.yaml)\n{% endswagger %}',
      ),
      inner.map((text) => `> ${indent(text, '> ')}`),
      fc
        .array(inner, { minLength: 1, maxLength: 3 })
        .map((items) => items.map((text) => `* ${indent(text, '  ')}`).join('\n')),
      fc
        .array(inner, { minLength: 1, maxLength: 3 })
        .map((items) => items.map((text, index) => `${index + 3}. ${indent(text, '   ')}`).join('\n')),
      fc
        .array(fc.tuple(fc.boolean(), oneLine), { minLength: 1, maxLength: 3 })
        .map((items) => items.map(([done, text]) => `- [${done ? 'x' : ' '}] ${text}`).join('\n')),
      tagged(
        fc
          .tuple(fc.constantFrom('info', 'warning', 'odd'), quoted)
          .map(([style, icon]) => `{% hint style="${style}" icon="${icon}" %}`),
        '{% endhint %}',
      ),
      several(
        'tabs',
        tagged(
          quoted.map((title) => `{% tab title="${title}" %}`),
          '{% endtab %}',
        ),
      ),
      several('stepper', tagged(fc.constant('{% step %}'), '{% endstep %}')),
      several(
        'columns',
        tagged(fc.constantFrom('{% column %}', '{% column width="50%" %}'), '{% endcolumn %}'),
      ),
      several(
        'updates',
        tagged(fc.constant('{% update date="2025-01-31" tags="a, b" %}'), '{% endupdate %}'),
      ),
      tagged(fc.constant('{% if visitor.claims.plan == "pro" %}'), '{% endif %}'),
      tagged(
        quoted.map((text) => `{% prompt description="${text}" %}`),
        '{% endprompt %}',
      ),
      fc
        .tuple(quoted, words)
        .map(
          ([title, code]) =>
            `{% code title="${title}" overflow="wrap" lineNumbers="true" %}\n\`\`\`js\n${code}\n\`\`\`\n{% endcode %}`,
        ),
      fc
        .tuple(oneLine, fc.constantFrom('embed url', 'file src', 'content-ref url'))
        .map(([text, name]) => `{% ${name}="a/b.md" %}\n${text}\n{% end${name.split(' ')[0]} %}`),
      fc
        .tuple(oneLine, inner, fc.boolean())
        .map(
          ([title, text, tight]) =>
            `<details>${tight ? '' : '\n\n'}<summary>${title}</summary>${tight ? '\n' : '\n\n'}${text}\n\n</details>`,
        ),
      oneLine.map(
        (text) =>
          `<figure><img src="a.png" alt="b" width="100"><figcaption><p>${text}</p></figcaption></figure>`,
      ),
      oneLine.map((text) => `<p align="center">${text}</p>`),
      oneLine.map((text) => `<h3 align="right" id="k">${text}</h3>`),
    ),
  };
}).page;
