import type { Definition, Heading, List, ListItem, Nodes, PhrasingContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { isTooCostly } from '../markdown/limits.ts';
import { collapse, nodeText, withoutZeroWidth } from './text.ts';

/** An entry of a table of contents as it is written; targets are not looked up yet. */
export interface SummaryEntry {
  /** May be empty. */
  title: string;
  /** Where a link leads, as written. An entry without it and without `computed` is a group. */
  target?: string;
  /** The YAML of a computed entry. */
  computed?: string;
  /** The last part of a group's path, when a heading names it by an anchor. */
  anchor?: string;
  /** Where the entry starts, from 1. */
  line: number;
  entries: SummaryEntry[];
}

type Definitions = ReadonlyMap<string, string>;

// Tens of thousands of entries.
const longest = 1_048_576;
const deepest = 32;
// A target with spaces is no link to CommonMark without angle brackets, but a link to everybody who writes it.
const looseLink = /^\[([^\]]*)\]\(([^()]*(?:\([^()]*\)[^()]*)*)\)$/;

/**
 * Reads a table of contents. Headings open groups, except the first one when it is of level 1 and stands
 * before any list: it is the file's own title. A thematic break closes the group. Lists nest pages.
 *
 * @throws {Error} whose message fits behind "the table of contents was not used: ".
 */
export function parseSummary(text: string): SummaryEntry[] {
  if (text.length > longest) throw new Error(`it is longer than ${longest} characters`);
  if (isTooCostly(text)) throw new Error('it is nested too deeply, or an entry has too much markup');
  const tree = fromMarkdown(withoutZeroWidth(text));
  const definitions: Definitions = new Map(
    tree.children
      .filter((node): node is Definition => node.type === 'definition')
      .map((node) => [node.identifier, node.url]),
  );
  const entries: SummaryEntry[] = [];
  let open = entries;
  let begun = false;
  for (const node of tree.children) {
    if (node.type === 'heading') {
      const group = readHeading(node, definitions);
      const isTitle = !begun && node.depth === 1;
      if (!isTitle && group !== undefined) entries.push(group);
      open = isTitle || group === undefined ? entries : group.entries;
      begun = true;
    } else if (node.type === 'thematicBreak') {
      open = entries;
    } else if (node.type === 'list') {
      open.push(...readList(node, definitions, 1));
      begun = true;
    }
  }
  return entries;
}

/** A heading that is a link opens a group whose first page is where the link leads. */
function readHeading(node: Heading, definitions: Definitions): SummaryEntry | undefined {
  const title = collapse(nodeText(node));
  if (title === '') return undefined;
  const line = lineOf(node);
  const link = node.children.find(isLink);
  const target = link && targetOf(link, definitions);
  const html = node.children.map((child) => (child.type === 'html' ? child.value : '')).join('');
  const anchor = /\bid="([^"]+)"/.exec(html)?.[1];
  return {
    title,
    ...(anchor !== undefined && { anchor }),
    line,
    entries: target === undefined ? [] : [{ title, target, line, entries: [] }],
  };
}

function readList(list: List, definitions: Definitions, depth: number): SummaryEntry[] {
  return list.children.flatMap((item) => readItem(item, definitions, depth));
}

/** An item without anything to show gives its place to the items below it. */
function readItem(item: ListItem, definitions: Definitions, depth: number): SummaryEntry[] {
  const below = item.children
    .filter((child): child is List => child.type === 'list')
    .flatMap((list) => readList(list, definitions, depth + 1));
  const entry = readContent(item, definitions);
  if (entry === undefined) return below;
  // Deeper ones are lifted: no reader follows them, and no program should have to.
  return depth >= deepest ? [entry, ...below] : [{ ...entry, entries: below }];
}

function readContent(item: ListItem, definitions: Definitions): SummaryEntry | undefined {
  const line = lineOf(item);
  const first = item.children.find((child) => child.type !== 'list' && child.type !== 'html');
  if (first?.type === 'code' && /^ya?ml$/i.test(first.lang ?? '')) {
    return { title: '', computed: first.value, line, entries: [] };
  }
  if (first?.type !== 'paragraph' && first?.type !== 'heading') return undefined;
  const link = first.children.find(isLink);
  if (link !== undefined) {
    const target = targetOf(link, definitions);
    return { title: collapse(nodeText(link)), ...(target !== undefined && { target }), line, entries: [] };
  }
  const title = collapse(nodeText(first));
  const loose = looseLink.exec(title);
  if (loose !== null) return { title: loose[1] ?? '', target: loose[2] ?? '', line, entries: [] };
  return title === '' ? undefined : { title, line, entries: [] };
}

function isLink(node: PhrasingContent): boolean {
  return node.type === 'link' || node.type === 'linkReference';
}

function targetOf(node: Nodes, definitions: Definitions): string | undefined {
  if (node.type === 'link') return node.url;
  return node.type === 'linkReference' ? definitions.get(node.identifier) : undefined;
}

function lineOf(node: Nodes): number {
  return node.position?.start.line ?? 1;
}
