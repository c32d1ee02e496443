import { describe, expect, test } from 'vitest';
import { searchSections } from '../../../server/content/markdown/sections.ts';

const body = (markdown: string) => searchSections(markdown)[0]?.body;

describe('sections for search', () => {
  test('splits a page at its headings and makes unique anchors', () => {
    const page =
      'Intro\n\n## Set up\n\none\n\n## Set up\n\ntwo\n\nOlder\n-----\n\n<h2 align="center" id="own">Last</h2>\n\n### Title with `code` <a href="#x" id="x"></a>\n\n## 1. First\n\n## - [ ] a > b\n\n## [x]: y\n';
    expect(searchSections(page)).toEqual([
      { id: '', title: '', path: '', body: 'Intro' },
      { id: 'set-up', title: 'Set up', path: '#set-up', body: 'one' },
      { id: 'set-up-1', title: 'Set up', path: '#set-up-1', body: 'two' },
      { id: 'older', title: 'Older', path: '#older', body: '' },
      { id: 'own', title: 'Last', path: '#own', body: '' },
      { id: 'x', title: 'Title with code', path: '#x', body: '' },
      { id: 'id-1.-first', title: '1. First', path: '#id-1.-first', body: '' },
      { id: 'a-greater-than-b', title: '- [ ] a > b', path: '#a-greater-than-b', body: '' },
      { id: 'x-y', title: '[x]: y', path: '#x-y', body: '' },
    ]);
  });

  test('reads no heading, tag or markup from code', () => {
    expect(body('a\n\n```md\n# no heading\n**x**\n{% hint %}\n```\n\nb')).toBe(
      'a\n# no heading\n**x**\n{% hint %}\nb',
    );
    expect(body('`**not bold**` but **bold**')).toBe('**not bold** but bold');
  });

  test.each([
    ['**bold** _it_ ~~gone~~ snake_case', 'bold it gone snake_case'],
    ['* [x] done [link](a_(b).md "t") ![alt](i.png)', 'done link alt'],
    ['[![badge](b.svg)](https://ci)', 'badge'],
    ['| a | `b` |\n| - | :-: |\n| 1 | 2 |', 'a b\n1 2'],
    ['{% tab title="macOS \\"x\\"" %}\ntext\n{% endtab %}', 'macOS "x"\ntext'],
    ['{% hint style="info" %}\ntext\n{% endhint %}', 'text'],
    ['<td>a</td><td>b &amp; <em>c</em></td>', 'a b & c'],
    ['<td>&alpha;&frac12; &valueOf;</td>', 'α½ &valueOf;'],
    ['a < b and x > y \\* z', 'a < b and x > y * z'],
    ['see[^1] <kbd>Ctrl</kbd> $$a^2$$\n\n[^1]: note\n\n[ref]: https://x', 'see Ctrl a^2\nnote'],
    ['***\n\ntext\n\n---', 'text'],
  ])('reads %j as text', (markdown, text) => {
    expect(body(markdown)).toBe(text);
  });
});
