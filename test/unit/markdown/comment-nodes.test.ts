import { describe, expect, test } from 'vitest';
import { parseMarkdown } from '../../../server/content/markdown/markdown.ts';
import { findBlock, keysOf, previewOf } from '../../../server/content/markdown/nodes.ts';

const first = (markdown: string) => {
  const [block] = parseMarkdown(markdown).nodes;
  if (!block) {
    throw new Error(`There is no block in ${markdown}`);
  }
  return block;
};

describe('the preview of a block', () => {
  test.each([
    [
      'marks and links',
      'Some *marked* and [linked](https://example.com) text',
      'Some marked and linked text',
    ],
    ['items', '* One\n* Two\n  * Three\n', 'One\nTwo\nThree'],
    ['code', '```js\nlet a = 1\nlet b = 2\n```', 'let a = 1\nlet b = 2'],
    ['cells', '| A | B |\n| - | - |\n| 1 | 2 |\n', 'A\nB\n1\n2'],
    ['an image', '![What it shows](a.svg)', 'What it shows'],
    ['a formula', '$$\na^2\n$$', 'a^2'],
    ['nothing', '---', ''],
  ])('is its text: %s', (_name, markdown, preview) => {
    expect(previewOf(first(markdown))).toBe(preview);
  });

  test('is the beginning of a long text', () => {
    const preview = previewOf(first('word '.repeat(1000)));
    expect(preview).toHaveLength(1000);
    expect(preview).toMatch(/^word word .*…$/);
  });
});

describe('the keys of a document', () => {
  const document = parseMarkdown('> Quoted\n\n| A |\n| - |\n| Cell |\n\nLast\n\nLast\n');

  test('identify its blocks, also nested ones and those in cells', () => {
    const keys = keysOf(document);
    const previews = [...keys].map((key) => previewOf(findBlock(document, key) ?? first('')));
    expect(previews).toEqual(['Quoted', 'Quoted', 'A\nCell', 'Cell', 'Last', 'Last']);
  });

  test('identify nothing in another document', () => {
    expect(findBlock(document, 'nothing')).toBeUndefined();
  });
});
