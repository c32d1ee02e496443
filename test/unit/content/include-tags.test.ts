import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { partOf, readPart } from '../../../server/content/includes/parts.ts';
import { includeTagsIn } from '../../../server/content/includes/tags.ts';
import { runs } from '../../support/seed.ts';

/** Returns the tags of a text with their sources. */
const tagsIn = (markdown: string) =>
  includeTagsIn(markdown).map(({ start, end, ...tag }) => ({ ...tag, source: markdown.slice(start, end) }));

describe('tags that include files', () => {
  test.each([
    ['{% include "/parts/a.md" %}', '/parts/a.md', 'block'],
    ["> {%- include '../b.md' -%}", '../b.md', 'block'],
    ['Before {% include "c.txt" %} after', 'c.txt', 'inline'],
    ['```js\n{% include "./d.js" %}\n```', './d.js', 'code'],
    ['{% include head.html %}', 'head.html', 'block'],
  ])('are found in %j', (markdown, path, place) => {
    expect(tagsIn(markdown)).toMatchObject([{ path, place, syntax: 'gitbook' }]);
  });

  test.each([
    ['{{#include a.rs}}', { path: 'a.rs', place: 'block' }],
    ['{{ #include a b.rs:setup }}', { path: 'a b.rs', part: { anchor: 'setup' } }],
    ['{{#rustdoc_include ../src/main.rs:3:}}', { path: '../src/main.rs', part: { from: 2 } }],
    ['{{#playground x.rs editable hide}}', { path: 'x.rs', code: 'rust,editable,hide' }],
    ['```\n\\{{#include a.rs}}\n```', { path: 'a.rs', place: 'code', isEscaped: true }],
    ['{{#title Another title}}', { path: '' }],
  ])('of mdBook are found in %j', (markdown, tag) => {
    expect(tagsIn(markdown)).toMatchObject([{ ...tag, syntax: 'mdbook' }]);
  });

  test.each([
    ['[import](src/a.js)', { path: 'src/a.js', code: 'js' }],
    ['> [include](../b.PY)', { path: '../b.PY', code: 'py' }],
    ['  [import:3-5](c.ts)', { part: { from: 2, to: 5 }, code: 'ts' }],
    ['[import:3-, c.ts](c.ts)', { part: { from: 2 } }],
    ['[import:-4, lang-c_cpp](c.h)', { part: { from: 0, to: 4 }, code: 'c_cpp' }],
    ['[import:7](c.ts)', { part: { from: 6, to: 7 } }],
    ["[import:'a mark'](c.ts)", { part: { snippet: 'a mark' } }],
    [
      '[import:"mark",unindent:"true", lang:"ruby"](c)',
      { part: { snippet: 'mark' }, unindented: true, code: 'ruby' },
    ],
    ['[include, lang-html](page.html)', { path: 'page.html', code: 'html' }],
    ['[import:1-2](page.md)', { path: 'page.md', code: 'md' }],
  ])('of include-codeblock are found in %j', (markdown, tag) => {
    expect(tagsIn(markdown)).toMatchObject([{ ...tag, syntax: 'link', place: 'block' }]);
  });

  test.each([
    'See [import](src/a.js)',
    '[import](src/a.js) does it.',
    '![import](a.png)',
    '[import](page.md)',
    '[include](index.html#top)',
    '[import](https://example.com/a.js)',
    '[imports](a.js)',
    '[import](a.js "Title")',
    '`[import](a.js)`',
    '```\n[import](a.js)\n```',
    '<!--\n[import](a.js)\n-->',
    '`{% include "a.md" %}`',
    '<!-- {% include "a.md" %} {{#include b.md}} -->',
    '{% raw %}\n{% include "a.md" %}\n{{#include b.md}}\n{% endraw %}',
    '{% include-block "a.md" %}',
    '{% include %}',
    '{{#if condition}} {{/if}} {{ include }}',
    '{% include "a.md" with="b" %}',
  ])('are not found in %j', (markdown) => {
    expect(includeTagsIn(markdown)).toEqual([]);
  });

  test('are ranges of any text, in order', () => {
    const words = [
      '{%',
      '%}',
      '[import',
      ':1-',
      ',lang-',
      '](a.js)',
      '{{#',
      '}}',
      ' ',
      'include',
      'raw',
      '"',
      '`',
      '```',
      '\n',
      '<!--',
      '-->',
      '\\',
      'a.md',
    ];
    assert(
      property(array(constantFrom(...words), { maxLength: 60 }), (parts) => {
        let last = 0;
        for (const { start, end } of includeTagsIn(parts.join(''))) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          last = end;
        }
      }),
      { numRuns: runs(300) },
    );
  });
});

const CODE = [
  'use std::io;',
  '// ANCHOR: all',
  '// ANCHOR: input',
  'let x = 1;',
  '// ANCHOR_END: input',
  'let y = 2;',
  '// ANCHOR_END: all',
  'end',
  '',
].join('\n');

describe('a part of a file', () => {
  test.each([
    ['1', 'use std::io;'],
    ['4:5', 'let x = 1;\n// ANCHOR_END: input'],
    ['8:', 'end'],
    ['8:100', 'end'],
    [':1', 'use std::io;'],
    ['0', 'use std::io;'],
    ['input', 'let x = 1;'],
    ['all', 'let x = 1;\nlet y = 2;'],
    ['', CODE.slice(0, -1)],
    [':', CODE.slice(0, -1)],
  ])('is selected by %j', (written, expected) => {
    expect(partOf(CODE, readPart(written))).toBe(expected);
  });

  test.each(['9', '100:200', '5:4', 'inp', 'constructor', '__proto__'])(
    'does not exist for %j',
    (written) => {
      expect(partOf(CODE, readPart(written))).toBeUndefined();
    },
  );
});
