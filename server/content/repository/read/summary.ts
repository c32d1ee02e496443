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
import { allSteps, type Steps } from '../steps.ts';
import { collapse, nodeText, withoutZeroWidth } from '../text.ts';
import { readPlainLines } from './plain-lines.ts';

/** An entry of a table of contents as it is written; targets are not looked up yet. */
export interface SummaryEntry {
  /** May be empty. */
  title: string;
  /** Where a link leads, as written. An entry without it and without `computed` is a group. */
  target?: string;
  /** The YAML of a computed entry. */
  computed?: string;
  /** The last part of a group's path, when an anchor names it. */
  anchor?: string;
  /** Where the entry starts, from 1. */
  line: number;
  entries: SummaryEntry[];
}

/** A piece of the text, parsed. */
interface Part {
  nodes: RootContent[];
  /** The lines before the piece. */
  linesBefore: number;
}

/** What reading a node takes from around it. */
interface Context {
  /** Where link definitions lead (CommonMark, section 4.7). */
  definitions: ReadonlyMap<string, string>;
  linesBefore: number;
}

const partLines = 60;
const cutPattern = /^(?:#{1,6} |[*+-] \S)/;
// Behind a blank line a paragraph starts here, too, and closes the list before it.
const paragraphPattern = /^\S/;
// HTML may go on where other blocks cannot, and link definitions hold everywhere.
const wholePattern = /^[ \t>*+-]*<|\]:/m;

/** The longest table of contents that is read: tens of thousands of entries. */
export const MAX_SUMMARY_CHARACTERS = 1_048_576;
/** Levels of a table of contents; deeper entries are lifted. */
export const MAX_SUMMARY_DEPTH = 32;
// A target with spaces is no link to CommonMark without angle brackets, but a link to everybody who writes it.
const looseLink = /^\[([^\]]*)\]\(([^()]*(?:\([^()]*\)[^()]*)*)\)$/;

/**
 * Reads a table of contents. Headings open groups, except the first one when it is of level 1 and stands
 * before any list: it is the file's own title. A thematic break closes the group. Lists nest pages.
 *
 * @throws {Error} whose message fits behind "the table of contents was not used: ".
 */
export function parseSummary(text: string): SummaryEntry[] {
  return allSteps(parseSummaryInSteps(text));
}

/** Reads a table of contents like {@link parseSummary}, in steps: a piece of the text at a time. */
export function* parseSummaryInSteps(text: string): Steps<SummaryEntry[]> {
  if (text.length > MAX_SUMMARY_CHARACTERS)
    throw new Error(`it is longer than ${MAX_SUMMARY_CHARACTERS} characters`);
  if (isTooCostly(text)) throw new Error('it is nested too deeply, or an entry has too much markup');
  const parts = yield* parseInParts(withoutZeroWidth(text));
  const definitions = new Map(
    parts
      .flatMap(({ nodes }) => nodes)
      .filter((node): node is Definition => node.type === 'definition')
      .map((node) => [node.identifier, node.url]),
  );
  const entries: SummaryEntry[] = [];
  let open = entries;
  let begun = false;
  for (const { nodes, linesBefore } of parts) {
    const context = { definitions, linesBefore };
    for (const node of nodes) {
      if (node.type === 'heading') {
        const group = readHeading(node, context);
        const isTitle = !begun && node.depth === 1;
        if (!isTitle && group !== undefined) entries.push(group);
        open = isTitle || group === undefined ? entries : group.entries;
        begun = true;
      } else if (node.type === 'thematicBreak') {
        open = entries;
      } else if (node.type === 'list') {
        open.push(...readList(node, context, 1));
        begun = true;
      }
    }
  }
  return entries;
}

/**
 * Parses a text. The parser takes several times as long for a thousand entries at once as for the same in
 * pieces, so a long text is parsed in pieces where that cannot make a difference; and a piece with nothing
 * unusual in it needs no parser.
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
 * The first lines of the pieces: headings, items and paragraphs at the start of a line, where no block but fenced
 * code can go on. There is one piece alone where a line of code stands before its fence, which may end the code or not.
 */
function cutLines(lines: readonly string[]): number[] {
  const cuts = [0];
  let fence: string | undefined;
  let column = 0;
  for (const [at, line] of lines.entries()) {
    if (fence !== undefined) {
      if (line.trim() !== '' && line.search(/\S/) < column) return [0];
      if (fenceEnds(line, fence)) fence = undefined;
      continue;
    }
    const isCut = cutPattern.test(line) || (lines[at - 1]?.trim() === '' && paragraphPattern.test(line));
    if (at - (cuts.at(-1) ?? 0) >= partLines && isCut) cuts.push(at);
    fence = fenceStart(line);
    column = fence === undefined ? 0 : line.indexOf(fence);
  }
  return cuts;
}

/** A heading that is a link opens a group whose first page is where the link leads. */
function readHeading(node: Heading, context: Context): SummaryEntry | undefined {
  const title = collapse(nodeText(node));
  if (title === '') return undefined;
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

/** An item without anything to show gives its place to the items below it. */
function readItem(item: ListItem, context: Context, depth: number): SummaryEntry[] {
  const below = item.children
    .filter((child): child is List => child.type === 'list')
    .flatMap((list) => readList(list, context, depth + 1));
  const entry = readContent(item, context);
  if (entry === undefined) return below;
  // Deeper ones are lifted: no reader follows them, and no program should have to.
  return depth >= MAX_SUMMARY_DEPTH ? [entry, ...below] : [{ ...entry, entries: below }];
}

function readContent(item: ListItem, context: Context): SummaryEntry | undefined {
  const line = lineOf(item, context);
  const first = item.children.find((child) => child.type !== 'list' && child.type !== 'html');
  if (first?.type === 'code' && /^ya?ml$/i.test(first.lang ?? '')) {
    return { title: '', computed: first.value, line, entries: [] };
  }
  if (first?.type !== 'paragraph' && first?.type !== 'heading') return undefined;
  const anchor = anchorOf(first);
  const known = { ...(anchor !== undefined && { anchor }), line, entries: [] };
  const link = first.children.find(isLink);
  if (link !== undefined) {
    const target = targetOf(link, context);
    return { title: collapse(nodeText(link)), ...(target !== undefined && { target }), ...known };
  }
  const title = collapse(nodeText(first));
  const loose = looseLink.exec(title);
  if (loose !== null) return { title: loose[1] ?? '', target: loose[2] ?? '', ...known };
  return title === '' ? undefined : { title, ...known };
}

/** What the HTML in a heading or an item gives it for an id. */
function anchorOf({ children }: Heading | Paragraph): string | undefined {
  const html = children.map((child) => (child.type === 'html' ? child.value : '')).join('');
  return /\bid="([^"]+)"/.exec(html)?.[1];
}

function isLink(node: PhrasingContent): boolean {
  return node.type === 'link' || node.type === 'linkReference';
}

function targetOf(node: Nodes, { definitions }: Context): string | undefined {
  if (node.type === 'link') return node.url;
  return node.type === 'linkReference' ? definitions.get(node.identifier) : undefined;
}

function lineOf(node: Nodes, { linesBefore }: Context): number {
  return linesBefore + (node.position?.start.line ?? 1);
}
