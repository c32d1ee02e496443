/** The start of the text of a page, for descriptions and previews. */

import type { AnyBlock } from '../markdown/document.ts';
import { type MentionText, visibleText } from '../markdown/slug.ts';

/** Maximum length of an excerpt, in UTF-16 units. */
export const MAX_EXCERPT_CHARACTERS = 200;

/**
 * Returns the first paragraphs of a page, cut between words.
 *
 * @param mentionText returns the titles that mentions show
 */
export function excerptOf(blocks: readonly AnyBlock[], mentionText?: MentionText): string {
  const parts: string[] = [];
  let length = 0;
  const visit = (nodes: readonly AnyBlock[]): void => {
    for (const block of nodes) {
      if (length > MAX_EXCERPT_CHARACTERS) {
        return;
      }
      if (block.type === 'paragraph') {
        const part = visibleText(block.nodes, mentionText).replace(/\s+/g, ' ').trim();
        if (part !== '' && block.data.problem === undefined) {
          parts.push(part);
          length += part.length + 1;
        }
      } else if (CONTAINERS.has(block.type)) {
        // Blocks of these types contain blocks.
        visit(block.nodes as readonly AnyBlock[]);
      }
    }
  };
  visit(blocks);
  const text = parts.join(' ');
  if (text.length <= MAX_EXCERPT_CHARACTERS) {
    return text;
  }
  const cut = text.slice(0, MAX_EXCERPT_CHARACTERS - 1).toWellFormed();
  const space = cut.lastIndexOf(' ');
  return `${(space > MAX_EXCERPT_CHARACTERS / 2 ? cut.slice(0, space) : cut).replace(/[\s,;:–—-]+$/, '')}…`;
}

const CONTAINERS: ReadonlySet<AnyBlock['type']> = new Set<AnyBlock['type']>([
  'blockquote',
  'hint',
  'columns',
  'column',
  'stepper',
  'stepper-step',
  'list-ordered',
  'list-unordered',
  'list-item',
  'if',
]);
