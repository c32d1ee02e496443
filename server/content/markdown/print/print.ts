/** Prints documents as Markdown. */
import { gfmToMarkdown } from 'mdast-util-gfm';
import { mathToMarkdown } from 'mdast-util-math';
import { type Join, type Options, toMarkdown } from 'mdast-util-to-markdown';
import type { AddressOf, AnyBlock, Block, Document, Reference } from '../document.ts';
import { platformPrinting } from '../syntax.ts';
import { verbatimText } from '../verbatim.ts';
import { noteNode, pageNodes } from './blocks.ts';
import type { NoteOf } from './lines.ts';

export type { NoteLabel, NoteOf } from './lines.ts';

/** Marker of the items of an unordered list. */
export type Bullet = '*' | '-' | '+';

/** Form of printed blocks. */
export interface PrintOptions {
  /** Formats references. */
  addressOf: AddressOf;
  /** Returns the label of a note. By default, notes are numbered from 1. */
  noteOf?: NoteOf | undefined;
  bullet?: Bullet | undefined;
  bulletOrdered?: '.' | ')' | undefined;
}

/** Prints blocks, followed by the definitions of their notes. */
export function printBlocks(
  blocks: readonly AnyBlock[],
  { addressOf, noteOf, bullet = '*', bulletOrdered = '.' }: PrintOptions,
): string {
  return toMarkdown(
    { type: 'root', children: pageNodes(blocks, addressOf, noteOf) },
    styleOf(bullet, bulletOrdered),
  );
}

/** Prints the definition of a note. */
export function printNote(label: string, body: Block[], { addressOf, noteOf }: PrintOptions): string {
  return toMarkdown({ type: 'root', children: [noteNode(label, body, addressOf, noteOf)] }, STYLE);
}

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
  return printBlocks(document.nodes, { addressOf });
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

/** Styles with other markers of lists. */
const styles = new Map<string, Options>();

function styleOf(bullet: Bullet, bulletOrdered: '.' | ')'): Options {
  if (bullet === STYLE.bullet && bulletOrdered === '.') {
    return STYLE;
  }
  const key = bullet + bulletOrdered;
  const style = styles.get(key) ?? {
    ...STYLE,
    bullet,
    bulletOther: bullet === '-' ? '*' : '-',
    bulletOrdered,
  };
  styles.set(key, style);
  return style;
}
