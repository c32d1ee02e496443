import { expect, test } from 'vitest';
import { parseMarkdown } from '../../../server/content/markdown/markdown.ts';
import { writeDocument } from '../../../server/content/wire/write.ts';
import { EVERY_BLOCK } from '../../support/content/every-block.ts';
import { rendered } from '../../support/sites/rendered.ts';
import { CONSTRUCTS } from './constructs.ts';

/** Lists the anchors of the blocks of a document, those of headings first. */
function anchorsOf(markdown: string): { headings: string[]; others: string[] } {
  const headings: string[] = [];
  const others: string[] = [];
  JSON.stringify(writeDocument(parseMarkdown(markdown)), (_, value: unknown) => {
    if (typeof value === 'object' && value !== null && 'meta' in value && 'type' in value) {
      const { id } = value.meta as { id: string };
      (String(value.type).startsWith('heading') ? headings : others).push(id);
    }
    return value;
  });
  return { headings, others };
}

const IN_CELLS =
  '# A\n\n<table><thead><tr><th>t</th><th data-hidden>h</th></tr></thead><tbody><tr><td><h2>A</h2></td><td><h2>A</h2></td></tr></tbody></table>\n\n# A';

test.each([
  ['every block', EVERY_BLOCK],
  ['headings with the same title and an identifier', ''],
  [
    'headings in containers',
    '# A\n\n<details>\n<summary>A</summary>\n\n# A\n\n</details>\n\n> # A\n\n* # A\n\n# A',
  ],
])('headings have the anchors of the published page: %s', (name, markdown) => {
  const text = markdown || (CONSTRUCTS[name] ?? '');
  const ids = rendered(text)
    .all('h2[id], h3[id], h4[id]')
    .map(({ properties }) => properties.id);
  expect(anchorsOf(text).headings).toEqual(ids);
});

test('headings in cells have those of the published page, where they are displayed', () => {
  const { headings } = anchorsOf(IN_CELLS);
  const ids = rendered(IN_CELLS)
    .all('h2[id], h3[id], h4[id]')
    .map(({ properties }) => properties.id);
  expect(headings).toEqual(expect.arrayContaining(ids));
  expect(ids).toEqual(['a', 'a-1', 'a-2']);
});

test('anchors of expandable blocks and tabs are unique, and do not change those of headings', () => {
  const text =
    '<details>\n<summary>A</summary>\n\nb\n\n</details>\n\n{% tabs %}\n{% tab title="A" %}\nb\n{% endtab %}\n{% tab title="" %}\nb\n{% endtab %}\n{% endtabs %}\n\n# A';
  expect(anchorsOf(text)).toEqual({ headings: ['a'], others: ['a-1', 'a-2', 'section'] });
});
