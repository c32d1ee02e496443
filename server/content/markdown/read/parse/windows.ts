/**
 * Parses a text of any length in windows. The parser processes everything it has read whenever a list or quotation
 * ends, so its time is quadratic in the length of the text. It also keeps all events of a text in memory until its end.
 * Windows limit this length.
 *
 * A window ends where the parser found the start of a block, at the start of a line, with no preceding block that could
 * continue. The result for the following text does not depend on the preceding text, except for labels. Windows also
 * end in lists and tables, which continue in the next window. Long quotations are windows, and their content is parsed
 * in windows.
 */
import type { Blockquote, RootContent } from 'mdast';
import { LimitExceeded, MAX_DOCUMENT_NODES, MAX_LINE_NESTING } from '../../limits.ts';
import { syntaxTree } from '../../syntax.ts';
import { type Cut, type CutBlock, lastCut, nodesBefore, WINDOW_GROWTH_FACTOR, windowEnd } from './cuts.ts';
import { PageLabels } from './labels.ts';
import { plainQuote } from './quotes.ts';

/** Minimum length of a window in characters. Shorter windows would take longer to set up than to parse. */
const WINDOW_CHARACTERS = 4096;

/**
 * Maximum length of a window, multiplied by the number of lists, quotations and notes that end in it. Limits the time
 * for copying to about a second.
 */
const MAX_COPIED_CHARACTERS = 30_000_000;

/** Characters that create nodes: lines, cells, marks. */
const MARKUP = /[\n|*_~`[<$:]/g;

/** Part of every definition of a label. */
const DEFINITION = ']:';

/** Makes the parser read the following lines as rows of a table. */
const TABLE_START = '|a|\n|-|\n';

/** A parsed part of a text. */
interface Window {
  /** End of the window in its text. */
  end: number;
  /** The block that continues after the end. */
  inside: CutBlock | undefined;
  /**
   * Returns the nodes with their positions in the text. Resolves references to labels that were found in other windows.
   * To be called once.
   */
  nodes(labels: PageLabels): RootContent[];
}

/**
 * Parses a text like `syntaxTree`, in linear time. Positions refer to the whole text.
 *
 * @param characters minimum length of a window
 * @throws LimitExceeded if there are more nodes than a document may have, or a block would take too long
 */
export function syntaxNodes(markdown: string, characters = WINDOW_CHARACTERS): RootContent[] {
  if (markdown.length <= characters) {
    return syntaxTree(markdown).children;
  }
  const parser = new WindowParser(characters, markdown.includes(DEFINITION));
  const windows = parser.windows(markdown);
  return joined(windows, parser.labels);
}

/** Parses the windows of a text and of its quotations. */
class WindowParser {
  /** The labels of all windows. */
  readonly labels = new PageLabels();
  readonly #characters: number;
  readonly #hasLabels: boolean;
  #nodes = 0;
  #quoteDepth = 0;

  constructor(characters: number, hasLabels: boolean) {
    this.#characters = characters;
    this.#hasLabels = hasLabels;
  }

  windows(markdown: string): Window[] {
    const windows: Window[] = [];
    for (let last: Window | undefined; (last?.end ?? 0) < markdown.length; last = windows.at(-1)) {
      const start = last?.end ?? 0;
      windows.push(this.#quote(markdown, start) ?? this.#window(markdown, start, last?.inside));
    }
    return windows;
  }

  /** Parses a long quotation, if one starts here. */
  #quote(markdown: string, start: number): Window | undefined {
    const quote =
      this.#quoteDepth < MAX_LINE_NESTING ? plainQuote(markdown, start, this.#characters) : undefined;
    if (!quote) {
      return undefined;
    }
    const { content, end, startAt, endAt } = quote;
    this.#count(1);
    this.#quoteDepth++;
    const windows = this.windows(content);
    this.#quoteDepth--;
    const nodes = (labels: PageLabels): RootContent[] => {
      // The content of a quotation is parsed like a text, so that its nodes are those of a text.
      const children = joined(windows, labels) as Blockquote['children'];
      move(children, startAt, endAt);
      // Lines and columns are not used.
      const point = (offset: number) => ({ line: 1, column: 1, offset });
      return [{ type: 'blockquote', children, position: { start: point(start), end: point(end) } }];
    };
    return { end, inside: undefined, nodes };
  }

  #window(markdown: string, start: number, inside: CutBlock | undefined): Window {
    for (let size = this.#characters; ; size *= WINDOW_GROWTH_FACTOR) {
      const isFirst = size === this.#characters;
      const end = windowEnd(markdown, start, { characters: size, isFirst });
      const before = inside === 'table' ? TABLE_START : '';
      const text = before + markdown.slice(start, end);
      // A single block of this length: its nodes are limited before they take memory.
      if (
        text.length > this.#characters * WINDOW_GROWTH_FACTOR &&
        (text.match(MARKUP)?.length ?? 0) > 2 * MAX_DOCUMENT_NODES
      ) {
        throw new LimitExceeded('too-large');
      }
      const windowLabels = this.#hasLabels ? new PageLabels() : undefined;
      const parsed = parse(text, inside, windowLabels);
      const cut: Cut | undefined = end === markdown.length ? { at: text.length } : lastCut(parsed, text);
      if (cut) {
        const first = nodesBefore(parsed, cut);
        this.#count(countNodes(first).nodes);
        if (windowLabels) {
          this.labels.add(windowLabels);
        }
        const offset = start - before.length;
        const nodes = (labels: PageLabels): RootContent[] => {
          const isUnresolved = windowLabels?.isUnresolved(labels) ?? false;
          const nodes = isUnresolved ? nodesBefore(parse(text, inside, new PageLabels(labels)), cut) : first;
          const moved = (at: number): number => at + offset;
          move(nodes, moved, moved);
          return nodes;
        };
        return { end: offset + cut.at, inside: cut.inside, nodes };
      }
      if (
        countNodes(parsed).containers * WINDOW_GROWTH_FACTOR * size * WINDOW_GROWTH_FACTOR >
        MAX_COPIED_CHARACTERS
      ) {
        throw new LimitExceeded('too-complex');
      }
    }
  }

  #count(nodes: number): void {
    this.#nodes += nodes;
    if (this.#nodes > MAX_DOCUMENT_NODES) {
      throw new LimitExceeded('too-large');
    }
  }
}

/** Parses the text of a window. Of a table that continues in it, returns the rows in the window. */
function parse(text: string, inside: CutBlock | undefined, labels: PageLabels | undefined): RootContent[] {
  const nodes = syntaxTree(text, labels?.syntax).children;
  const [first] = nodes;
  if (inside === 'table' && first?.type === 'table') {
    first.children.shift();
  }
  return nodes;
}

/** Counts the nodes at any depth, each line of code as one, and those that contain blocks. */
function countNodes(nodes: RootContent[]): { nodes: number; containers: number } {
  const count = { nodes: 0, containers: 0 };
  const open: RootContent[] = [...nodes];
  for (let node = open.pop(); node; node = open.pop()) {
    count.nodes++;
    if (node.type === 'code') {
      count.nodes += node.value.split('\n').length;
    }
    if (CONTAINERS.has(node.type)) {
      count.containers++;
    }
    if ('children' in node) {
      for (const child of node.children) {
        open.push(child);
      }
    }
  }
  return count;
}

/** Changes the offsets of blocks. Positions within lines and tables are not used. */
function move(
  nodes: RootContent[],
  startAt: (offset: number) => number,
  endAt: (offset: number) => number,
): void {
  for (const { position } of nodes) {
    if (position) {
      position.start.offset = startAt(position.start.offset ?? 0);
      position.end.offset = endAt(position.end.offset ?? 0);
    }
  }
  for (const node of nodes) {
    if (CONTAINERS.has(node.type) && 'children' in node) {
      move(node.children, startAt, endAt);
    }
  }
}

const CONTAINERS = new Set<RootContent['type']>(['blockquote', 'footnoteDefinition', 'list', 'listItem']);

/** Returns the nodes of windows. A list or table that continues in the next window is joined with its start. */
function joined(windows: readonly Window[], labels: PageLabels): RootContent[] {
  const all: RootContent[] = [];
  let inside: CutBlock | undefined;
  for (const window of windows) {
    const nodes = window.nodes(labels);
    const isJoined = inside !== undefined && extend(all.at(-1), nodes[0]);
    append(all, isJoined ? nodes.slice(1) : nodes);
    inside = window.inside;
  }
  return all;
}

/** Appends the items or rows of a block that continues another; returns whether it does. */
function extend(last: RootContent | undefined, next: RootContent | undefined): boolean {
  if (last?.type === 'list' && next?.type === 'list') {
    append(last.children, next.children);
  } else if (last?.type === 'table' && next?.type === 'table') {
    append(last.children, next.children);
  } else {
    return false;
  }
  last.position = last.position && next.position && { start: last.position.start, end: next.position.end };
  return true;
}

function append<T>(all: T[], more: readonly T[]): void {
  for (const one of more) {
    all.push(one);
  }
}
