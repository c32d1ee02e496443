/**
 * The syntax of a text of any length, read window by window. The parser goes over all that it has read whenever a
 * list or quotation ends, so that its time grows with the square of a long text. A window keeps that small.
 *
 * A window ends where the parser itself found that a block starts, at the start of a line, with nothing before it
 * that could go on. What it reads from there on does not depend on what stands before, but for labels.
 */
import type { RootContent } from 'mdast';
import { LimitExceeded, MAX_DOCUMENT_NODES } from '../limits.ts';
import { syntaxTree } from '../syntax.ts';
import { PageLabels } from './labels.ts';

/** Characters that a window has at least. With less, setting the parser up would take longer than parsing. */
const WINDOW_CHARACTERS = 4096;

/** How many times longer a window gets in which nothing ends. */
const GROWTH = 4;

/** How long a window may get for each list, quotation or note that ends in it; about a second of copying in all. */
const MAX_COPIES = 30_000_000;

/** Characters that nodes come from: lines, cells, marks. */
const MARKUP = /[\n|*_~`[<$:]/g;

/** What every definition of a label has. */
const DEFINITION = ']:';

/** Where a window might end. Whether it may, the parser decides. */
const POSSIBLE_CUT = /\n(?=\n[^\s\ufeff]|[#{`~$*+\-=[\d])/g;

/** Blocks that a marker starts, whatever stands on the line before. Other blocks start after a blank line. */
const MARKED: Partial<Record<RootContent['type'], string>> = {
  code: '`~',
  footnoteDefinition: '[',
  heading: '#',
  math: '$',
  tagLine: '{',
};

/** Blocks that end with their line, so that any block may start on the next. */
const LINES = new Set<RootContent['type'] | undefined>(['heading', 'tagLine', 'thematicBreak']);

interface Window {
  start: number;
  end: number;
  /** Where the next window starts. */
  cut: number;
  /** Whether that is within a list, which goes on there. */
  cutsList: boolean;
  nodes: RootContent[];
  labels: PageLabels | undefined;
}

/**
 * The nodes of a text, with positions that count in it: what `syntaxTree` gives, in linear time.
 *
 * @param characters how long a window is at least
 * @throws LimitExceeded when there are more nodes than a document may have, or some block would take too long
 */
export function syntaxNodes(markdown: string, characters = WINDOW_CHARACTERS): RootContent[] {
  if (markdown.length <= characters) return syntaxTree(markdown).children;
  const hasLabels = markdown.includes(DEFINITION);
  const all = new PageLabels();
  const windows: Window[] = [];
  let count = 0;
  for (let start = 0; start < markdown.length; start = windows.at(-1)?.cut ?? markdown.length) {
    const window = readWindow(markdown, start, characters, hasLabels);
    windows.push(window);
    count += countNodes(window.nodes).nodes;
    if (count > MAX_DOCUMENT_NODES) throw new LimitExceeded('too-large');
    if (window.labels) all.add(window.labels);
  }
  const nodes: RootContent[] = [];
  let continuesList = false;
  for (const window of windows) {
    const { start, end, cut, cutsList, labels } = window;
    // What refers to labels of other windows was not known to be a reference.
    const read = labels?.lacks(all) ? parse(markdown.slice(start, end), new PageLabels(all)) : window.nodes;
    const kept = nodesBefore(read, cut - start);
    for (const node of kept) move(node, start);
    append(nodes, kept, continuesList);
    continuesList = cutsList;
  }
  return nodes;
}

function parse(text: string, labels: PageLabels | undefined): RootContent[] {
  return syntaxTree(text, labels?.syntax).children;
}

function readWindow(markdown: string, start: number, characters: number, hasLabels: boolean): Window {
  for (let size = characters; ; size *= GROWTH) {
    const end = windowEnd(markdown, start, size);
    const text = markdown.slice(start, end);
    // One block as long as that: its nodes are bounded before they take their memory.
    if (text.length > characters * GROWTH && (text.match(MARKUP)?.length ?? 0) > 2 * MAX_DOCUMENT_NODES)
      throw new LimitExceeded('too-large');
    const labels = hasLabels ? new PageLabels() : undefined;
    const nodes = parse(text, labels);
    const cut = end === markdown.length ? { at: text.length, inList: false } : lastCut(nodes, text);
    if (cut) return { start, end, cut: start + cut.at, cutsList: cut.inList, nodes, labels };
    if (countNodes(nodes).containers * GROWTH * size * GROWTH > MAX_COPIES)
      throw new LimitExceeded('too-complex');
  }
}

/** How many nodes there are at any depth, each line of code counted as one, and how many of them hold blocks. */
function countNodes(nodes: RootContent[]): { nodes: number; containers: number } {
  const count = { nodes: 0, containers: 0 };
  const left: RootContent[] = [...nodes];
  for (let node = left.pop(); node; node = left.pop()) {
    count.nodes++;
    if (node.type === 'code') count.nodes += node.value.split('\n').length;
    if (CONTAINERS.has(node.type)) count.containers++;
    if ('children' in node) for (const child of node.children) left.push(child);
  }
  return count;
}

/** The end of a line at which a window may end that has some cut in it. */
function windowEnd(markdown: string, start: number, size: number): number {
  POSSIBLE_CUT.lastIndex = start + Math.max(size, 1);
  const possible = POSSIBLE_CUT.exec(markdown);
  const end = possible ? lineEnd(markdown, possible.index + 2) : markdown.length;
  // In a quotation, lists may start and end that cost too much: step by step, that shows in time.
  const isLong = end - start > size * GROWTH && QUOTE.test(markdown.slice(start, end));
  return isLong ? lineEnd(markdown, start + size) : end;
}

const QUOTE = /^[ \t]*>/m;

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end + 1;
}

/** The last place in a text that is the start of a block, or of an item of a list, as if nothing stood before it. */
function lastCut(nodes: RootContent[], text: string): { at: number; inList: boolean } | undefined {
  for (let index = nodes.length - 1; index >= 0; index--) {
    const node = nodes[index];
    if (node?.type === 'list') {
      const item = node.children.findLast((item, place) => place > 0 && startsLine(offsetOf(item), text));
      if (item) return { at: offsetOf(item), inList: true };
    }
    const at = node ? offsetOf(node) : 0;
    if (!node || !startsLine(at, text) || isIndented(nodes[index - 1], text)) continue;
    if (text[at - 2] === '\n' || LINES.has(nodes[index - 1]?.type) || isMarked(node, text[at]))
      return { at, inList: false };
  }
  return undefined;
}

const offsetOf = ({ position }: Pick<RootContent, 'position'>): number => position?.start.offset ?? 0;

const startsLine = (offset: number, text: string): boolean =>
  text[offset - 1] === '\n' && /[^\s\ufeff]/.test(text.charAt(offset));

/** What follows indented code is read as if it stood right below it, where not every block may start. */
const isIndented = (before: RootContent | undefined, text: string): boolean =>
  before?.type === 'code' && !/[`~]/.test(text.charAt(offsetOf(before)));

const isMarked = ({ type }: RootContent, first = ''): boolean => MARKED[type]?.includes(first) ?? false;

/** The nodes of a window before its cut; of a list that is cut, its items. */
function nodesBefore(nodes: RootContent[], cut: number): RootContent[] {
  const kept = nodes.filter((node) => offsetOf(node) < cut);
  const last = kept.at(-1);
  if (last?.type === 'list') last.children = last.children.filter((item) => offsetOf(item) < cut);
  return kept;
}

/** Has the positions of blocks count in the whole text. Nobody asks for those of what stands in lines. */
function move(node: RootContent, by: number): void {
  if (node.position) {
    node.position.start.offset = offsetOf(node) + by;
    node.position.end.offset = (node.position.end.offset ?? 0) + by;
  }
  if (CONTAINERS.has(node.type) && 'children' in node) for (const child of node.children) move(child, by);
}

const CONTAINERS = new Set<RootContent['type']>(['blockquote', 'footnoteDefinition', 'list', 'listItem']);

/** Adds the nodes of a window. The rest of a list joins its start. */
function append(all: RootContent[], nodes: RootContent[], continuesList: boolean): void {
  const last = all.at(-1);
  const [first] = nodes;
  const joins = continuesList && last?.type === 'list' && first?.type === 'list';
  if (joins) for (const item of first.children) last.children.push(item);
  for (const node of joins ? nodes.slice(1) : nodes) all.push(node);
}
