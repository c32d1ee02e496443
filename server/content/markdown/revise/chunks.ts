/** Prints the blocks of a change in the form of the text around them. */

import type { AddressOf, AnyBlock } from '../document.ts';
import { type Bullet, type NoteOf, type PrintOptions, printBlocks } from '../print/print.ts';
import { trimEndOf } from '../text-ends.ts';
import type { BlockChange, LocatedBlocks } from './changes.ts';
import type { TextEdit } from './edits.ts';
import { reviseWords } from './words.ts';

type ListItem = Extract<AnyBlock, { type: 'list-item' }>;

/** Markers of list items and quotations before a block on its line. */
const CONTAINER_PREFIX = /^(?:[ \t]|>|(?:[*+-]|\d{1,9}[.)])(?=[ \t])|\[[ xX]\](?=[ \t]))*$/;

const LIST_MARKER = /^(?:([*+-])|(\d{1,9})([.)]))/;

/** Maximum length of the marker of a list item or heading. */
const MAX_MARKER_CHARACTERS = 12;

/** Length of the text around a block that is searched for blank lines. */
const MAX_GAP_CHARACTERS = 1000;

const BULLETS: readonly Bullet[] = ['*', '-', '+'];

/** How the blocks of changes are printed. */
export interface ChunkOptions extends Pick<PrintOptions, 'addressOf' | 'noteOf'> {
  /** Returns the text of an equal block at the top level of the page: a block that was moved. */
  sourceOf(block: AnyBlock): string | undefined;
  /** Formats a reference of the current text like an equal one of the new block. */
  currentAddressOf(next: AnyBlock): AddressOf;
  /** Returns the label of a note of the current text. */
  currentNoteOf: NoteOf;
}

/** Prints a change; returns undefined if blocks cannot be on lines of their own there. */
export function editOf(
  change: BlockChange,
  { text, isSpaced, isByWord }: LocatedBlocks,
  options: ChunkOptions,
): TextEdit | undefined {
  const { start, end, blocks, model, insert } = change;
  if (blocks.length === 0) {
    return { start, end, text: '' };
  }
  const prefix = prefixAt(text, model?.start ?? start);
  if (prefix === undefined) {
    return undefined;
  }
  const lines = bodyOf(change, text, options, prefix);
  const body = indented(lines, prefix);
  if (!model) {
    const gap = text.trim() === '' ? '' : text.endsWith('\n\n') ? '' : text.endsWith('\n') ? '\n' : '\n\n';
    return { start, end, text: `${gap}${body}\n` };
  }
  if (!insert) {
    const words = isByWord && wordsOf(change, { text, prefix, lines }, options);
    if (words) {
      return { start, end, text: words };
    }
    const before =
      isSpaced &&
      !/(?:^|\n)[ \t>]*\n[ \t>]*$|^[ \t>]*$/.test(text.slice(Math.max(0, start - MAX_GAP_CHARACTERS), start));
    const after =
      isSpaced && !/^[ \t]*(?:\n[ \t>]*(?:\n|$)|$)/.test(text.slice(end, end + MAX_GAP_CHARACTERS));
    const blank = `\n${prefix.trimEnd()}`;
    return {
      start,
      end,
      text: `${before ? `\n${prefix}` : ''}${body}${after ? blank : ''}`,
    };
  }
  const isTight = blocks.some(isListItem) && !isLoose(change, text);
  const gap = isTight ? `\n${prefix}` : `\n${prefix.trimEnd()}\n${prefix}`;
  return { start, end, text: insert === 'after' ? gap + body : body + gap };
}

/** Returns the text of a block if only words change in it; undefined if too much of it changes. */
function wordsOf(
  change: BlockChange,
  { text, prefix, lines }: { text: string; prefix: string; lines: string },
  options: ChunkOptions,
): string | undefined {
  const { start, end, model } = change;
  const [only, ...others] = change.blocks;
  const written = text.slice(start, end);
  if (!model || !only || others.length > 0) {
    return undefined;
  }
  const before = bodyOf({ ...change, blocks: [model.block] }, text, {
    ...options,
    addressOf: options.currentAddressOf(only),
    noteOf: options.currentNoteOf,
    sourceOf: () => undefined,
  });
  const bare = unindented(written, prefix);
  if (bare === undefined) {
    return reviseWords({ written, before: indented(before, prefix), after: indented(lines, prefix) });
  }
  const revised = reviseWords({ written: bare, before, after: lines });
  return revised === undefined ? undefined : indented(revised, prefix);
}

const isListItem = (block: AnyBlock): block is ListItem => block.type === 'list-item';

/** Prints the blocks of a change, without the prefix of its lines. */
function bodyOf(change: BlockChange, text: string, options: ChunkOptions, prefix = ''): string {
  const { blocks } = change;
  const items = blocks.filter(isListItem);
  const lines =
    items.length > 0
      ? printItems(items, change, text, options)
      : printed(blocks, prefix, { ...options, bullet: bulletFor(change, text) });
  return withDepth(trimEndOf(lines, '\n'), change, text);
}

/** Prints blocks; those that were moved keep their text. */
function printed(blocks: readonly AnyBlock[], prefix: string, options: ChunkOptions & PrintOptions): string {
  const parts: string[] = [];
  let changed: AnyBlock[] = [];
  const print = () => {
    if (changed.length > 0) {
      parts.push(trimEndOf(printBlocks(changed, options), '\n'));
    }
    changed = [];
  };
  for (const block of blocks) {
    const source = prefix === '' ? options.sourceOf(block) : undefined;
    if (source === undefined) {
      changed.push(block);
    } else {
      print();
      parts.push(source);
    }
  }
  print();
  return parts.join('\n\n');
}

/** Returns what the following lines of a block start with; undefined if other text precedes it on its line. */
function prefixAt(text: string, start: number): string | undefined {
  const line = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  return CONTAINER_PREFIX.test(line)
    ? line.replace(/\[[ xX]\][ \t]+$/, '').replace(/[^\s>]/g, ' ')
    : undefined;
}

const indented = (text: string, prefix: string): string =>
  text.replace(/\n([^\n]?)/g, (_, first: string) => `\n${first === '' ? prefix.trimEnd() : prefix + first}`);

/** Removes the prefix from the following lines of a block; returns undefined if some of them have another one. */
function unindented(text: string, prefix: string): string | undefined {
  const [first = '', ...lines] = text.split('\n');
  const rest = lines.map((line) => (line === prefix.trimEnd() ? '' : line.slice(prefix.length)));
  const result = [first, ...rest].join('\n');
  return indented(result, prefix) === text ? result : undefined;
}

/** Prints list items with the marker of the item that they replace or follow. */
function printItems(
  items: ListItem[],
  { model, insert }: BlockChange,
  text: string,
  options: ChunkOptions,
): string {
  const [, bullet, number, delimiter] =
    LIST_MARKER.exec(text.slice(model?.start ?? 0, (model?.start ?? 0) + MAX_MARKER_CHARACTERS)) ?? [];
  const list = { object: 'block', isVoid: false, nodes: items } as const;
  if (number === undefined) {
    const isBullet = BULLETS.find((candidate) => candidate === bullet);
    return printBlocks([{ ...list, type: 'list-unordered', data: {} }], { ...options, bullet: isBullet });
  }
  const start = Number(number) + (insert === 'after' ? 1 : 0);
  return printBlocks([{ ...list, type: 'list-ordered', data: { start } }], {
    ...options,
    bulletOrdered: delimiter === ')' ? ')' : '.',
  });
}

/** Returns whether there is a blank line between the items of a list. */
function isLoose({ model, neighbors }: BlockChange, text: string): boolean {
  const [first, second] = neighbors.length > 1 ? neighbors : [model, neighbors[0]];
  const between = first && second ? text.slice(first.start, second.start) : '';
  return /\n[ \t>]*\n[ \t>]*$/.test(between);
}

/** Returns the bullet of the list that is replaced, or one that differs from those of adjacent lists. */
function bulletFor({ blocks, model, insert, neighbors }: BlockChange, text: string): Bullet | undefined {
  const markerAt = (start: number) => text.charAt(start);
  if (model && !insert && isBulletList(model.block) && blocks.length === 1) {
    return BULLETS.find((bullet) => bullet === markerAt(model.start));
  }
  const used = neighbors.filter(({ block }) => isBulletList(block)).map(({ start }) => markerAt(start));
  return BULLETS.find((bullet) => !used.includes(bullet));
}

const isBulletList = ({ type }: AnyBlock): boolean => type === 'list-unordered' || type === 'list-tasks';

/** Keeps the written level of a heading: levels of Markdown share types of headings. */
function withDepth(printed: string, { blocks, model, insert }: BlockChange, text: string): string {
  const [only, ...more] = blocks;
  if (
    !model ||
    insert ||
    more.length > 0 ||
    only?.type !== model.block.type ||
    !only.type.startsWith('heading-')
  ) {
    return printed;
  }
  const [marks] = /^#{1,6}(?=[ \t])/.exec(text.slice(model.start, model.start + MAX_MARKER_CHARACTERS)) ?? [];
  return marks === undefined ? printed : printed.replace(/^#{1,6}(?=[ \t])/, marks);
}
