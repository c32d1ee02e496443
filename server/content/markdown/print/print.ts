/** From a document to the markdown that says the same. */
import { gfmToMarkdown } from 'mdast-util-gfm';
import { mathToMarkdown } from 'mdast-util-math';
import { type Join, type Options, toMarkdown } from 'mdast-util-to-markdown';
import { readTag } from '../attributes.ts';
import type { Document, Reference } from '../document.ts';
import { platformPrinting, type TagLine } from '../syntax.ts';
import { endedBy, tagReader } from '../tags.ts';
import { verbatimText } from '../verbatim.ts';
import { pageNodes } from './blocks.ts';
import type { AddressOf } from './html.ts';

/**
 * The markdown of a document.
 *
 * `addressOf` says how references are written. Without it, what is referred to by id is written as its kind
 * and id, such as `page:pg_1`.
 */
export function printDocument(document: Document, addressOf: AddressOf = defaultAddress): string {
  const verbatim = verbatimText(document);
  if (verbatim !== undefined) return verbatim;
  return toMarkdown({ type: 'root', children: pageNodes(document.nodes, addressOf) }, STYLE);
}

function defaultAddress(ref: Reference): string {
  switch (ref.kind) {
    case 'url':
      return ref.url;
    case 'file':
      return `file:${ref.file}`;
    case 'page':
      return `page:${ref.page}`;
    case 'anchor':
      return ref.page === undefined ? `#${ref.anchor}` : `page:${ref.page}#${ref.anchor}`;
    case 'user':
      return `user:${ref.user}`;
    case 'collection':
      return `collection:${ref.collection}`;
    case 'space':
      return `space:${ref.space}`;
    case 'reusable-content':
      return `reusable-content:${ref.reusableContent}`;
    case 'openapi':
      return `openapi:${ref.spec}`;
  }
}

/** How a tag line stands to what is around it: at the start or end of what it holds, or alone. */
function tagPlace({ value }: TagLine): 'start' | 'end' | 'alone' {
  const { name } = readTag(value);
  if (endedBy(name) !== undefined) return 'end';
  return tagReader(name)?.end === 'never' ? 'alone' : 'start';
}

/** What may stand right before an end: all else would go on into its line. */
const ENDS_BY_ITSELF = new Set([
  'paragraph',
  'code',
  'heading',
  'list',
  'blockquote',
  'math',
  'thematicBreak',
]);

/** No blank line between a tag and what it holds, where that cannot change what is held. */
const joinTags: Join = (left, right) => {
  if (left.type === 'tagLine' && tagPlace(left) === 'start') return 0;
  if (right.type !== 'tagLine' || tagPlace(right) !== 'end') return undefined;
  const isInner = left.type === 'tagLine' && tagPlace(left) === 'end';
  return isInner || ENDS_BY_ITSELF.has(left.type) ? 0 : 1;
};

/** How markdown is written. Made once: its patterns are compiled when they are first used. */
const STYLE: Options = {
  bullet: '*',
  bulletOther: '-',
  emphasis: '_',
  fences: true,
  incrementListMarker: true,
  listItemIndent: 'one',
  resourceLink: true,
  rule: '*',
  join: [joinTags],
  extensions: [
    gfmToMarkdown({ tablePipeAlign: false }),
    mathToMarkdown({ singleDollarTextMath: false }),
    platformPrinting,
  ],
};
