/** Markdown with documents that have more than the public properties can represent. */

const table = (attributes: string, head: string, row: string): string =>
  `<table${attributes}><thead><tr>${head}</tr></thead><tbody><tr>${row}</tr></tbody></table>`;

/** Texts by what is particular about them. */
export const CONSTRUCTS: Readonly<Record<string, string>> = {
  'code with a note':
    '<pre class="language-js"><code class="lang-js">run(<a data-footnote-ref="" href="#user-content-fn-1">a</a>);\n</code></pre>\n\n[^1]: A **note**',
  'a column with a formatted title': '| **Bold** | a [link](b.md) |\n| - | - |\n| 1 | 2 |',
  'columns that are aligned to each side': '| a | b | c | d |\n| :- | :-: | -: | - |\n| 1 | 2 | 3 | 4 |',
  'a column of an unknown type': table('', '<th data-type="color">c</th>', '<td>red</td>'),
  'columns of values': table(
    '',
    '<th data-type="number">n</th><th data-type="rating" data-max="3">r</th><th data-type="checkbox">c</th>',
    '<td>-12.50</td><td>2</td><td>true</td>',
  ),
  'columns with what is no value of their types': table(
    '',
    '<th data-type="number">n</th><th data-type="rating">r</th><th data-type="checkbox">c</th><th data-type="select">s</th><th data-type="users">u</th><th data-type="files">f</th><th data-type="image">i</th><th data-type="content-ref">l</th>',
    '<td><strong>12</strong> m</td><td>99</td><td>maybe</td><td>none</td><td>none</td><td>none</td><td>none</td><td>none</td>',
  ),
  'columns of references': table(
    '',
    '<th data-type="users">u</th><th data-type="files">f</th><th data-type="image">i</th><th data-type="content-ref">l</th>',
    '<td><a data-mention href="user:u1">u1</a></td><td><a href="a.pdf">a.pdf</a> <a href="b.pdf">B</a></td><td><img src="a.png" alt="A"></td><td><a href="page.md">A <em>page</em></a></td>',
  ),
  'options with and without colors': table(
    '',
    '<th>k<select><option value="a" label="A" color="default"></option><option value="b" label="B"></option><option value="c" label="C" color="red"></option></select></th><th data-type="text">t<select><option value="a" label="A"></option></select></th>',
    '<td><span data-option="a">A</span> <span data-option="b">B</span></td><td>x</td>',
  ),
  'hidden columns and widths': table(
    '',
    '<th width="50%">a</th><th width="0100" data-hidden>b</th><th width="100">c</th><th valign="top" class="x">d</th>',
    '<td>1</td><td>2</td><td>3</td><td>4</td>',
  ),
  'cards with all roles': table(
    ' data-view="cards" data-card-size="medium"',
    '<th>a</th><th data-hidden data-card-target data-type="content-ref">b</th><th data-hidden data-card-cover data-type="files">c</th><th data-card-cover-dark data-type="image">d</th>',
    '<td>A</td><td><a href="page.md">page.md</a></td><td><a href="a.png">a.png</a></td><td><a href="b.png">b.png</a></td>',
  ),
  'cards with roles of unsuitable columns': table(
    ' data-view="cards" data-header-hidden data-column-title-hidden="true" class="x"',
    '<th data-card-target>a</th><th data-card-target data-type="content-ref">b</th><th data-card-cover data-card-target data-type="image" width="90">c</th>',
    '<td>A</td><td>b</td><td></td>',
  ),
  'a grid with roles and a size of cards': table(
    ' data-card-size="large" data-full-width="true"',
    '<th data-card-cover data-type="image">a</th><th>b</th>',
    '<td></td><td></td>',
  ),
  'a table without titles': '<table><tr><td>a</td><td>b</td></tr></table>',
  'nested tables': table('', '<th>a</th>', `<td>${table('', '<th>b</th>', '<td>c</td>')}</td>`),
  'a table with names of prototypes': table(
    ' __proto__="x" constructor="y"',
    '<th toString="z">a</th>',
    '<td><span __proto__="a" data-option="__proto__">o</span></td>',
  ),
  'an empty list item and hint': '* \n* b\n\n{% hint style="info" %}\n{% endhint %}\n\n1. \n',
  'an empty expandable block': '<details>\n<summary></summary>\n</details>',
  'an expanded block with markup':
    '<details open>\n<summary>A **bold** `code` title</summary>\n\n## Inside\n\n- list\n\n</details>',
  'images with sizes': [
    '<figure><img src="a.png" alt="" width="60%" height="1e3"><figcaption>A *caption*</figcaption></figure>',
    '<div align="right" data-with-frame="true"><figure><img src="a.png" alt="x" width="320" data-size="line"><figcaption></figcaption></figure></div>',
    '<figure><img src="a.png" alt="" width="010px"><figcaption></figcaption></figure>',
    '<figure><img src="a.png" alt="" width="1.5px"><figcaption></figcaption></figure>',
  ].join('\n\n'),
  'captions of files, drawings and embedded content': [
    '{% file src="a.pdf" %}\nA **file**\n{% endfile %}',
    '{% file src="https://example.com/a.pdf" name="x" %}',
    '<figure><img src="plan.svg" alt="a" class="gitbook-drawing"><figcaption><p>A plan</p></figcaption></figure>',
    '{% embed url="https://example.com" fullWidth="true" %}\nA *film*\n{% endembed %}',
  ].join('\n\n'),
  'notes with blocks':
    'A [word](#user-content-fn-1)[^1] and another[^2].\n\n[^1]: One\n\n    * two\n\n[^2]: Two',
  'colors of the palette and of CSS':
    '<mark style="color:red;">a</mark> <mark style="color:#123456;">b</mark> <mark style="background-color:$info;color:default;">c</mark> <i class="fa-bolt" style="color:green;">:bolt:</i> <i class="fa-bolt" style="color:#fff;">:bolt:</i>',
  'emoji with and without a character': ':rocket: :no_such_emoji: :+1: :1f680: 🚀',
  'texts with attributes':
    '<span data-x="1">a **b**</span><span data-x="1">c</span> <span data-y="2">[link](a.md) d</span> <span data-z></span>',
  'buttons with actions':
    '<button type="button" class="button primary" data-action="ask" data-query="Why?">Ask</button> <button type="button" class="button secondary" data-action="other">Other</button> <button type="button" class="button secondary" data-action="select">Select</button> <a href="a.md" class="button primary" data-size="small" data-action="search">Go</a>',
  'known attributes among unknown ones':
    '{% code x="1" expandable="true" y="2" collapsedLineCount="3" %}\n```js\na\n```\n{% endcode %}\n\n{% tabs %}\n{% tab title="" slug="s" z="1" icon="bolt" %}\na\n{% endtab %}\n{% endtabs %}\n\n{% stepper %}\n{% step icon="bolt" x="1" %}\na\n{% endstep %}\n{% endstepper %}\n\n{% columns x="1" fullWidth="true" %}\n{% column width="33.33%" verticalAlignment="middle" %}\na\n{% endcolumn %}\n{% column width="auto" verticalAlignment="odd" %}\nb\n{% endcolumn %}\n{% endcolumns %}',
  'dates of all forms': [
    '{% updates format="odd" %}',
    '{% update date="2026-03-14" tags="a,b" %}\na\n{% endupdate %}',
    '{% update date="2026-03-14T00:00:00.000Z" %}\na\n{% endupdate %}',
    '{% update date="2026-13-99" %}\na\n{% endupdate %}',
    '{% update date="Spring" %}\na\n{% endupdate %}',
    '{% update date="undated" %}\na\n{% endupdate %}',
    '{% update date="" %}\na\n{% endupdate %}',
    '{% update %}\na\n{% endupdate %}',
    '{% endupdates %}',
  ].join('\n'),
  'a changelog with the default format':
    '{% updates format="full" %}\n{% update date="2026-01-01" %}\na\n{% endupdate %}\n{% endupdates %}',
  'prompts of blocks, of code and in prompts': [
    '{% prompt description="" icon="bolt" openInAIProviders="false" x="y" %}\n# Title\n\nSee [a](a.md).[^1]\n\n* b\n{% endprompt %}',
    '{% prompt defaultExpanded="partial" %}\n```markdown\nOnly code\n```\n{% endprompt %}',
    '{% prompt %}\na\n\n{% prompt %}\nb\n{% endprompt %}\n{% endprompt %}',
    '{% prompt %}\n{% endprompt %}',
    '[^1]: Note',
  ].join('\n\n'),
  'incomplete parts of specifications': [
    '{% openapi-operation spec="pets" %}\n{% endopenapi-operation %}',
    '{% openapi-operation path="" method="GET" %}\n[x](https://example.com/x.json)\n{% endopenapi-operation %}',
    '{% openapi-schemas spec="pets" schemas="" title="Pets" %}\n{% endopenapi-schemas %}',
    '{% openapi-webhook name="n" %}\n{% endopenapi-webhook %}',
    '{% swagger src="a.yaml" path="/x" method="get" expanded="true" %}\n[a.yaml](a.yaml)\n{% endswagger %}',
  ].join('\n\n'),
  'headings with the same title and an identifier':
    '# A\n\n## A\n\n### B <a href="#id" id="id"></a>\n\n## A\n\n{% tabs %}\n{% tab title="A" %}\n# In a tab\n{% endtab %}\n{% endtabs %}\n\n# Ünï 漢字 :rocket:\n\n#',
  'conditions and unknown tags':
    '{% if visitor.claims.x %}\na\n{% endif %}\n\n{% unknown a="b" %}\nb\n{% endunknown %}\n\n<!-- note -->\n\na <!-- note --> {% other %} <a id="x"></a>b',
  'an integration with names of prototypes': '{% @x/y __proto__="a" constructor="b" %}',
};
