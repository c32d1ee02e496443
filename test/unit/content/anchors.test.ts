import { expect, test } from 'vitest';
import { anchorKey, anchorKeysIn } from '../../../server/content/links/anchors.ts';
import { rendered } from '../../support/rendered.ts';

test.each([
  ['## Set up', 'set-up'],
  ['## 1. Set up', '1-set-up'],
  ['> text\n>\n> ### The *first* step\n>\n> text', 'the-first-step'],
  ['>> ## 2. The last', '2-the-last'],
  ['## Title {#own}', 'own'],
  ['## Title <a name="named"></a>', 'named'],
])('the anchors of %j are those of its page', (markdown, id) => {
  expect(anchorKeysIn(markdown)).toContain(anchorKey(id));
  expect(rendered(markdown).all(`[id="${id}"]`)).toHaveLength(1);
});
