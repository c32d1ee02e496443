import type {
  Definition,
  Heading,
  List,
  ListItem,
  Nodes,
  Paragraph,
  PhrasingContent,
  RootContent,
} from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { fenceEnds, fenceStart } from '../../markdown/fences.ts';
import { isTooCostly } from '../../markdown/limits.ts';
import { withoutInvisible } from '../invisible.ts';
import { allSteps, type Steps } from '../steps.ts';
import { collapse, nodeText } from '../text.ts';
import { readPlainLines } from './plain-lines.ts';

/** An entry of a table of contents as written; its target is not resolved yet. */
export interface SummaryEntry {
  /** May be empty. */
  title: string;
  /** Target of a link, as written. An entry without `target` and `computed` is a group. */
  target?: string;
  /** The YAML of a computed entry. */
  computed?: string;
  /** The last part of a group's path, if specified by an anchor. */
  anchor?: string;
  /** Line on which the entry starts, from 1. */
  line: number;
  entries: SummaryEntry[];
}

/** A parsed part of the text. */
interface Part {
  nodes: RootContent[];
  /** Number of lines before the part. */
  linesBefore: number;
}

/** The context for reading a node. */
interface Context {
  /** Targets of link definitions (CommonMark, section 4.7). */
  definitions: ReadonlyMap<string, string>;
  linesBefore: number;
}

const MAX_PART_LINES = 60;
const cutPattern = /^(?:#{1,6} |[*+-] \S)/;
// After a blank line, such a line also starts a paragraph and ends the list before it.
const paragraphPattern = /^\S/;
// HTML may continue where other blocks cannot, and link definitions apply everywhere.
const wholePattern = /^[ \t>*+-]*<|\]:/m;

/** Maximum length of a table of contents, enough for tens of thousands of entries. */
export const MAX_SUMMARY_CHARACTERS = 1_048_576;
/** Maximum levels of a table of contents; deeper entries are flattened. */
export const MAX_SUMMARY_DEPTH = 32;
// CommonMark requires angle brackets around a link target with spaces, but authors commonly omit them.
const looseLink = /^\[([^\]]*)\]\(([^()]*(?:\([^()]*\)[^()]*)*)\)$/;

/**
 * Parses a table of contents. Headings start groups, except that a first heading of level 1 before any list is the
 * title of the file. A thematic break ends the group. Nested lists are nested pages.
 *
 * @throws {Error} whose message completes "the table of contents was not used: "
 */
export function parseSummary(text: string): SummaryEntry[] {
  return allSteps(parseSummaryInSteps(text));
}

/** Parses a table of contents like {@link parseSummary}, in steps: one part of the text at a time. */
export function* parseSummaryInSteps(text: string): Steps<SummaryEntry[]> {
  if (text.length > MAX_SUMMARY_CHARACTERS) {
    throw new Error(`it exceeds ${MAX_SUMMARY_CHARACTERS} characters`);
  }
  if (isTooCostly(text)) {
    throw new Error('it is nested too deeply, or an entry has too much markup');
  }
  const parts = yield* parseInParts(withoutInvisible(text));
  const definitions = new Map(
    parts
      .flatMap(({ nodes }) => nodes)
      .filter((node): node is Definition => node.type === 'definition')
      .map((node) => [node.identifier, node.url]),
  );
  const entries: SummaryEntry[] = [];
  let open = entries;
  let isStarted = false;
  for (const { nodes, linesBefore } of parts) {
    const context = { definitions, linesBefore };
    for (const node of nodes) {
      if (node.type === 'heading') {
        const group = readHeading(node, context);
        const isTitle = !isStarted && node.depth === 1;
        if (!isTitle && group !== undefined) {
          entries.push(group);
        }
        open = isTitle || group === undefined ? entries : group.entries;
        isStarted = true;
      } else if (node.type === 'thematicBreak') {
        open = entries;
      } else if (node.type === 'list') {
        open.push(...readList(node, context, 1));
        isStarted = true;
      }
    }
  }
  return entries;
}

/**
 * Parses a text in parts where the result is the same, because the parser is several times slower on a thousand
 * entries at once. A part that contains only common lines does not need the parser.
 */
function* parseInParts(text: string): Steps<Part[]> {
  const lines = text.split('\n');
  const cuts = wholePattern.test(text) ? [0] : cutLines(lines);
  const parts: Part[] = [];
  for (const [at, linesBefore] of cuts.entries()) {
    yield;
    const part = lines.slice(linesBefore, cuts[at + 1]);
    parts.push({ nodes: readPlainLines(part) ?? fromMarkdown(part.join('\n')).children, linesBefore });
  }
  return parts;
}

/**
 * Returns the first lines of the parts: headings, items and paragraphs at the start of a line, where only fenced code
 * can continue. The text is a single part if indented code precedes a fence, as it may or may not end the code.
 */
function cutLines(lines: readonly string[]): number[] {
  const cuts = [0];
  let fence: string | undefined;
  let column = 0;
  for (const [at, line] of lines.entries()) {
    if (fence !== undefined) {
      if (line.trim() !== '' && line.search(/\S/) < column) {
        return [0];
      }
      if (fenceEnds(line, fence)) {
        fence = undefined;
      }
      continue;
    }
    const isCut = cutPattern.test(line) || (lines[at - 1]?.trim() === '' && paragraphPattern.test(line));
    if (at - (cuts.at(-1) ?? 0) >= MAX_PART_LINES && isCut) {
      cuts.push(at);
    }
    fence = fenceStart(line);
    column = fence === undefined ? 0 : line.indexOf(fence);
  }
  return cuts;
}

/** Reads a heading. A link in it is the first page of the group. */
function readHeading(node: Heading, context: Context): SummaryEntry | undefined {
  const title = collapse(nodeText(node));
  if (title === '') {
    return undefined;
  }
  const line = lineOf(node, context);
  const link = node.children.find(isLink);
  const target = link && targetOf(link, context);
  const anchor = anchorOf(node);
  return {
    title,
    ...(anchor !== undefined && { anchor }),
    line,
    entries: target === undefined ? [] : [{ title, target, line, entries: [] }],
  };
}

function readList(list: List, context: Context, depth: number): SummaryEntry[] {
  return list.children.flatMap((item) => readItem(item, context, depth));
}

/** Reads an item. An item without visible content is replaced by its children. */
function readItem(item: ListItem, context: Context, depth: number): SummaryEntry[] {
  const children = item.children
    .filter((child): child is List => child.type === 'list')
    .flatMap((list) => readList(list, context, depth + 1));
  const entry = readContent(item, context);
  if (entry === undefined) {
    return children;
  }
  // Deeper entries are flattened, which bounds the depth of the tree for readers and programs.
  return depth >= MAX_SUMMARY_DEPTH ? [entry, ...children] : [{ ...entry, entries: children }];
}

function readContent(item: ListItem, context: Context): SummaryEntry | undefined {
  const line = lineOf(item, context);
  const first = item.children.find((child) => child.type !== 'list' && child.type !== 'html');
  if (first?.type === 'code' && /^ya?ml$/i.test(first.lang ?? '')) {
    return { title: '', computed: first.value, line, entries: [] };
  }
  if (first?.type !== 'paragraph' && first?.type !== 'heading') {
    return undefined;
  }
  const anchor = anchorOf(first);
  const common = { ...(anchor !== undefined && { anchor }), line, entries: [] };
  const link = first.children.find(isLink);
  if (link !== undefined) {
    const target = targetOf(link, context);
    return { title: collapse(nodeText(link)), ...(target !== undefined && { target }), ...common };
  }
  const title = collapse(nodeText(first));
  const looseMatch = looseLink.exec(title);
  if (looseMatch !== null) {
    return { title: looseMatch[1] ?? '', target: looseMatch[2] ?? '', ...common };
  }
  return title === '' ? undefined : { title, ...common };
}

/** Returns the ID of a heading or item in its HTML. */
function anchorOf({ children }: Heading | Paragraph): string | undefined {
  const html = children.map((child) => (child.type === 'html' ? child.value : '')).join('');
  return /\bid="([^"]+)"/.exec(html)?.[1];
}

function isLink(node: PhrasingContent): boolean {
  return node.type === 'link' || node.type === 'linkReference';
}

function targetOf(node: Nodes, { definitions }: Context): string | undefined {
  if (node.type === 'link') {
    return node.url;
  }
  return node.type === 'linkReference' ? definitions.get(node.identifier) : undefined;
}

function lineOf(node: Nodes, { linesBefore }: Context): number {
  return linesBefore + (node.position?.start.line ?? 1);
}
