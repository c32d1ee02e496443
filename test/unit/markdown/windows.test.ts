import fc from 'fast-check';
import type { RootContent } from 'mdast';
import { describe, expect, test } from 'vitest';
import { syntaxNodes } from '../../../server/content/markdown/read/windows.ts';
import { syntaxTree } from '../../../server/content/markdown/syntax.ts';
import { ORDINARY_SHAPES } from '../../support/markdown-shapes.ts';
import { runs } from '../../support/seed.ts';
import { page } from './arbitrary.ts';

/** Returns the nodes relevant to a document: positions of blocks, without the spread of lists. */
function essence(nodes: readonly RootContent[]): unknown {
  return nodes.map((node) => {
    const { position, ...rest } = node;
    const isBlock = ['list', 'listItem', 'blockquote', 'footnoteDefinition', 'paragraph'].includes(node.type);
    return {
      ...rest,
      spread: undefined,
      start: isBlock ? position?.start.offset : undefined,
      ...('children' in node && { children: essence(node.children) }),
    };
  });
}

const expectSame = (markdown: string, characters: number) =>
  expect(essence(syntaxNodes(markdown, characters))).toEqual(essence(syntaxTree(markdown).children));

/** Lines that start, continue or end blocks, or look like it. */
const line = fc.constantFrom(
  '',
  '',
  '',
  'text',
  'see [a], [b][a], ![a] and [^n]',
  '# heading [a]',
  '===',
  '---',
  '***',
  '* item',
  '- item',
  '- [ ] task',
  '*',
  '1. one',
  '2. two',
  '3) three',
  '  indented by two',
  '    indented by four',
  '\tindented by a tab',
  '  * nested',
  '   1. nested',
  '> quote',
  '> * quoted item',
  '>',
  '```',
  '~~~ js',
  '  ```',
  '$$',
  '<div>',
  '<!-- a',
  '-->',
  '<b>inline</b>',
  '| a | b |',
  '| - | - |',
  '[a]: /a',
  '[A]: /other "title"',
  "'title'",
  '[^n]: note',
  '[^n]:',
  '[^m]: - in a note',
  '{% hint style="info" %}',
  '{% endhint %}',
  '\ufeffmark',
  'a\\',
);

describe('parsing in windows', () => {
  test('returns the same as parsing at once, for lines in any order', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), fc.integer({ min: 1, max: 80 }), (lines, characters) => {
        expectSame(lines.join('\n'), characters);
      }),
      { numRuns: runs(400) },
    );
  });

  test('does not end a window after indented code, which has no closing mark', () => {
    expectSame('    code\n\n2. no list\n\n<b>\n', 1);
  });

  test('returns the same as parsing at once, for pages of all constructs', { timeout: 60_000 }, () => {
    const pages = fc.array(page, { minLength: 1, maxLength: 2 }).map((parts) => parts.join('\n\n'));
    fc.assert(
      fc.property(pages, fc.integer({ min: 50, max: 500 }), (markdown, characters) => {
        expectSame(markdown, characters);
      }),
      { numRuns: 30 },
    );
  });

  test.each(Object.entries(ORDINARY_SHAPES))('returns the same as parsing at once, for %s', (_, shape) => {
    expectSame(shape(6000), 500);
  });
});
