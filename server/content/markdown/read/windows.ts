/**
 * Parses a text of any length in windows. The parser processes everything it has read whenever a list or quotation
 * ends, so its time is quadratic in the length of the text. Windows limit this length.
 *
 * A window ends where the parser found the start of a block, at the start of a line, with no preceding block that could
 * continue. The result for the following text does not depend on the preceding text, except for labels.
 */
import type { RootContent } from 'mdast';
import { LimitExceeded, MAX_DOCUMENT_NODES } from '../limits.ts';
import { syntaxTree } from '../syntax.ts';
import { PageLabels } from './labels.ts';

/** Minimum length of a window in characters. Shorter windows would take longer to set up than to parse. */
const WINDOW_CHARACTERS = 4096;

/** Growth factor of a window in which no block ends. */
const WINDOW_GROWTH_FACTOR = 4;

/**
 * Maximum length of a window, multiplied by the number of lists, quotations and notes that end in it. Limits the time
 * for copying to about a second.
 */
const MAX_COPIED_CHARACTERS = 30_000_000;

/** Characters that create nodes: lines, cells, marks. */
const MARKUP = /[\n|*_~`[<$:]/g;

/** Part of every definition of a label. */
const DEFINITION = ']:';

/** Possible ends of a window. The parser determines whether they are real. */
const POSSIBLE_CUT = /\n(?=\n[^\s\ufeff]|[#{`~$*+\-=[\d])/g;

/** Blocks that start with a marker, regardless of the preceding line. Other blocks require a preceding blank line. */
const MARKED: Partial<Record<RootContent['type'], string>> = {
  code: '`~',
  footnoteDefinition: '[',
  heading: '#',
  math: '$',
  tagLine: '{',
};

/** Blocks that consist of one line, so that any block may start on the next one. */
const SINGLE_LINE_BLOCKS = new Set<RootContent['type'] | undefined>(['heading', 'tagLine', 'thematicBreak']);

interface Window {
  start: number;
  end: number;
  /** Start of the next window. */
  cut: number;
  /** Whether the cut is within a list, which continues after it. */
  cutsList: boolean;
  nodes: RootContent[];
  labels: PageLabels | undefined;
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
  const hasLabels = markdown.includes(DEFINITION);
  const all = new PageLabels();
  const windows: Window[] = [];
  let count = 0;
  for (let start = 0; start < markdown.length; start = windows.at(-1)?.cut ?? markdown.length) {
    const window = readWindow(markdown, start, characters, hasLabels);
    windows.push(window);
    count += countNodes(window.nodes).nodes;
    if (count > MAX_DOCUMENT_NODES) {
      throw new LimitExceeded('too-large');
    }
    if (window.labels) {
      all.add(window.labels);
    }
  }
  const nodes: RootContent[] = [];
  let continuesList = false;
  for (const window of windows) {
    const { start, end, cut, cutsList, labels } = window;
    // References to labels of other windows were not recognized.
    const read = labels?.isUnresolved(all)
      ? parse(markdown.slice(start, end), new PageLabels(all))
      : window.nodes;
    const retained = nodesBefore(read, cut - start);
    for (const node of retained) {
      move(node, start);
    }
    append(nodes, retained, continuesList);
    continuesList = cutsList;
  }
  return nodes;
}

function parse(text: string, labels: PageLabels | undefined): RootContent[] {
  return syntaxTree(text, labels?.syntax).children;
}

function readWindow(markdown: string, start: number, characters: number, hasLabels: boolean): Window {
  for (let size = characters; ; size *= WINDOW_GROWTH_FACTOR) {
    const end = windowEnd(markdown, start, size);
    const text = markdown.slice(start, end);
    // A single block of this length: its nodes are limited before they take memory.
    if (
      text.length > characters * WINDOW_GROWTH_FACTOR &&
      (text.match(MARKUP)?.length ?? 0) > 2 * MAX_DOCUMENT_NODES
    ) {
      throw new LimitExceeded('too-large');
    }
    const labels = hasLabels ? new PageLabels() : undefined;
    const nodes = parse(text, labels);
    const cut = end === markdown.length ? { at: text.length, inList: false } : lastCut(nodes, text);
    if (cut) {
      return { start, end, cut: start + cut.at, cutsList: cut.inList, nodes, labels };
    }
    if (
      countNodes(nodes).containers * WINDOW_GROWTH_FACTOR * size * WINDOW_GROWTH_FACTOR >
      MAX_COPIED_CHARACTERS
    ) {
      throw new LimitExceeded('too-complex');
    }
  }
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

/** Returns the end of a line where a window with at least one possible cut may end. */
function windowEnd(markdown: string, start: number, size: number): number {
  POSSIBLE_CUT.lastIndex = start + Math.max(size, 1);
  const possible = POSSIBLE_CUT.exec(markdown);
  const end = possible ? lineEnd(markdown, possible.index + 2) : markdown.length;
  // Lists in a quotation may start and end at excessive cost. Smaller steps detect this in time.
  const isLong = end - start > size * WINDOW_GROWTH_FACTOR && mayNest(markdown.slice(start, end));
  return isLong ? lineEnd(markdown, start + size) : end;
}

const QUOTE = /^[ \t]*>/m;

/** A line that is not in the text of a quotation, or that may start a list, a quotation or a note there. */
const NOT_IN_PLAIN_QUOTE = /^(?=.)(?!> ?(?:[^\s>*+\-\d[]|$))/m;

/** Whether quotations of a text may contain lists, quotations and notes, or end before it ends. */
const mayNest = (text: string): boolean => QUOTE.test(text) && NOT_IN_PLAIN_QUOTE.test(text);

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end + 1;
}

/** Returns the last position in a text where a block or list item starts independently of the preceding text. */
function lastCut(nodes: RootContent[], text: string): { at: number; inList: boolean } | undefined {
  for (let index = nodes.length - 1; index >= 0; index--) {
    const node = nodes[index];
    if (node?.type === 'list') {
      const item = node.children.findLast((item, place) => place > 0 && startsLine(offsetOf(item), text));
      if (item) {
        return { at: offsetOf(item), inList: true };
      }
    }
    const at = node ? offsetOf(node) : 0;
    if (!node || !startsLine(at, text) || isIndented(nodes[index - 1], text)) {
      continue;
    }
    if (text[at - 2] === '\n' || SINGLE_LINE_BLOCKS.has(nodes[index - 1]?.type) || isMarked(node, text[at])) {
      return { at, inList: false };
    }
  }
  return undefined;
}

const offsetOf = ({ position }: Pick<RootContent, 'position'>): number => position?.start.offset ?? 0;

const startsLine = (offset: number, text: string): boolean =>
  text[offset - 1] === '\n' && /[^\s\ufeff]/.test(text.charAt(offset));

/**
 * Returns whether a node is indented code. Content after it is parsed as if it followed directly, where some blocks
 * cannot start.
 */
const isIndented = (before: RootContent | undefined, text: string): boolean =>
  before?.type === 'code' && !/[`~]/.test(text.charAt(offsetOf(before)));

const isMarked = ({ type }: RootContent, first = ''): boolean => MARKED[type]?.includes(first) ?? false;

/** Returns the nodes of a window before its cut. A list that is cut is reduced to its items before the cut. */
function nodesBefore(nodes: RootContent[], cut: number): RootContent[] {
  const retained = nodes.filter((node) => offsetOf(node) < cut);
  const last = retained.at(-1);
  if (last?.type === 'list') {
    last.children = last.children.filter((item) => offsetOf(item) < cut);
  }
  return retained;
}

/** Shifts the positions of blocks to the whole text. Positions within lines are not used. */
function move(node: RootContent, by: number): void {
  if (node.position) {
    node.position.start.offset = offsetOf(node) + by;
    node.position.end.offset = (node.position.end.offset ?? 0) + by;
  }
  if (CONTAINERS.has(node.type) && 'children' in node) {
    for (const child of node.children) {
      move(child, by);
    }
  }
}

const CONTAINERS = new Set<RootContent['type']>(['blockquote', 'footnoteDefinition', 'list', 'listItem']);

/** Appends the nodes of a window. The continuation of a list is joined with its start. */
function append(all: RootContent[], nodes: RootContent[], continuesList: boolean): void {
  const last = all.at(-1);
  const [first] = nodes;
  const joins = continuesList && last?.type === 'list' && first?.type === 'list';
  if (joins) {
    for (const item of first.children) {
      last.children.push(item);
    }
  }
  for (const node of joins ? nodes.slice(1) : nodes) {
    all.push(node);
  }
}
