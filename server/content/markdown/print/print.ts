/** Prints documents as Markdown. */
import { gfmToMarkdown } from 'mdast-util-gfm';
import { mathToMarkdown } from 'mdast-util-math';
import { type Join, type Options, toMarkdown } from 'mdast-util-to-markdown';
import type { Document, Reference } from '../document.ts';
import { platformPrinting } from '../syntax.ts';
import { verbatimText } from '../verbatim.ts';
import { pageNodes } from './blocks.ts';
import type { AddressOf } from './html.ts';

/**
 * Prints a document as Markdown.
 *
 * `addressOf` formats references. By default, references by ID are written as their kind and ID, such as `page:pg_1`.
 */
export function printDocument(document: Document, addressOf: AddressOf = defaultAddress): string {
  const verbatim = verbatimText(document);
  if (verbatim !== undefined) {
    return verbatim;
  }
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

/** Nodes that may precede an end tag directly. Other nodes would absorb its line. */
const TIGHT_BEFORE_END = new Set([
  'paragraph',
  'code',
  'heading',
  'list',
  'blockquote',
  'math',
  'thematicBreak',
]);

/** Omits the blank line between a tag and its content where this cannot change the content. */
const joinTags: Join = (left, right) => {
  if (left.type === 'tagLine' && left.role === 'start') {
    return 0;
  }
  if (right.type !== 'tagLine' || right.role !== 'end') {
    return undefined;
  }
  const isInner = left.type === 'tagLine' && left.role === 'end';
  return isInner || TIGHT_BEFORE_END.has(left.type) ? 0 : 1;
};

/** Style of the Markdown. Shared, because its patterns are compiled on first use. */
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
