import type { Heading, List, ListItem, Paragraph, PhrasingContent, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { blankConditions } from '../../expressions/visible-text.ts';
import { isTooCostly } from '../../markdown/limits.ts';
import { withoutInvisible } from '../invisible.ts';
import type { Steps } from '../steps.ts';
import { collapse, nodeText } from '../text.ts';
import { linksIn, linksInHtml, type WrittenLink } from './summary-links.ts';
import { parseInParts } from './summary-parts.ts';

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
  /** First line of the entry, from 1. */
  line: number;
  entries: SummaryEntry[];
}

/** The context for reading a node. */
interface SummaryReading {
  /** Targets of link definitions (CommonMark, section 4.7). */
  definitions: ReadonlyMap<string, string>;
  /** Number of lines before the parsed text. */
  linesBefore: number;
  /** Whether the text was indented too far, and has been parsed a second time. */
  isReparsed?: true;
}

/** A block outside any other one, in its context. */
interface TopBlock {
  node: RootContent;
  context: SummaryReading;
}

/** Maximum length of a table of contents, enough for tens of thousands of entries. */
export const MAX_SUMMARY_CHARACTERS = 1_048_576;
/** Maximum levels of a table of contents; deeper entries are flattened. */
export const MAX_SUMMARY_DEPTH = 32;
/** The start of another item in a paragraph. */
const NEXT_ITEM = /\n(?:[*+-]|\d{1,9}[.)])[ \t]+/;
const LIST_LIKE = /^\s*(?:[*+-]|\d{1,9}[.)])\s|^\s*\[/;

/**
 * Parses a table of contents, one part of the text per step. Each link is one entry, whether in a list, a paragraph,
 * a heading or HTML.
 *
 * - Nested lists are nested pages. An item without a link is a group.
 * - Headings start groups, in the group of the heading of a lower level before them. A first heading of level 1 before
 *   any entry is the title of the file.
 * - Entries that depend on a condition are omitted: all visitors have the same page tree.
 * - A thematic break ends the groups, and so do links after the last list of the file (the suffix chapters of mdBook).
 *
 * @param linesBefore number of lines of the file before the text
 * @throws {Error} with a message that completes "the table of contents was not used: "
 */
export function* parseSummaryInSteps(text: string, linesBefore = 0): Steps<SummaryEntry[]> {
  if (text.length > MAX_SUMMARY_CHARACTERS) {
    throw new Error(`it exceeds ${MAX_SUMMARY_CHARACTERS} characters`);
  }
  if (isTooCostly(text)) {
    throw new Error('it is nested too deeply, or an entry has too much markup');
  }
  const { parts, definitions } = yield* parseInParts(withoutInvisible(blankConditions(text)));
  const blocks = parts.flatMap((part) => {
    const context = { definitions, linesBefore: linesBefore + part.linesBefore };
    return part.nodes.map((node) => ({ node, context }));
  });
  const top = new TopLevel(blocks.findLastIndex(({ node }) => node.type === 'list'));
  for (const [at, block] of blocks.entries()) {
    yield;
    top.add(block, at);
  }
  return top.entries;
}

/** Arranges the blocks of a table of contents in groups. */
class TopLevel {
  readonly entries: SummaryEntry[] = [];
  /** The groups that contain the next block, outermost first, with the levels of their headings. */
  #groups: { depth: number; entries: SummaryEntry[] }[] = [];
  #isStarted = false;
  #hasListInGroup = false;

  readonly #lastList: number;

  /** @param lastList index of the last list; -1 if there is none */
  constructor(lastList: number) {
    this.#lastList = lastList;
  }

  /** Adds the next block, with its index. */
  add({ node, context }: TopBlock, at: number): void {
    if (node.type === 'heading') {
      this.#addHeading(node, context);
    } else if (node.type === 'thematicBreak') {
      this.#endGroups();
    } else {
      const entries = readBlock(node, context, this.#groups.length + 1);
      if (node.type === 'list') {
        this.#hasListInGroup = true;
      } else if (entries.length > 0 && this.#hasListInGroup && at > this.#lastList) {
        this.#endGroups();
      }
      this.#add(entries);
    }
  }

  #addHeading(node: Heading, context: SummaryReading): void {
    const isTitle = !this.#isStarted && node.depth === 1;
    this.#isStarted = true;
    const group = isTitle ? undefined : readHeading(node, context);
    if (group === undefined) {
      this.#endGroups();
      this.#add(linkEntries(linksIn(node, context.definitions), context));
      return;
    }
    this.#groups = this.#groups.filter(({ depth }) => depth < node.depth);
    this.#add([group]);
    this.#groups.push({ depth: node.depth, entries: group.entries });
    this.#hasListInGroup = false;
  }

  #add(entries: readonly SummaryEntry[]): void {
    const open = this.#groups.at(-1)?.entries ?? this.entries;
    for (const entry of entries) {
      open.push(entry);
    }
    this.#isStarted ||= entries.length > 0;
  }

  #endGroups(): void {
    this.#groups = [];
    this.#hasListInGroup = false;
  }
}

/** Reads a heading. Links in it are the first pages of the group. */
function readHeading(node: Heading, context: SummaryReading): SummaryEntry | undefined {
  const title = collapse(nodeText(node));
  if (title === '') {
    return undefined;
  }
  const anchor = anchorOf(node);
  // A link without a target is the group itself.
  const links = linksIn(node, context.definitions).filter(({ target }) => target !== '');
  return {
    title,
    ...(anchor !== undefined && { anchor }),
    line: lineOf(node, context),
    entries: linkEntries(links, context),
  };
}

function readBlock(node: RootContent, context: SummaryReading, depth: number): SummaryEntry[] {
  switch (node.type) {
    case 'list':
      return readList(node, context, depth);
    case 'paragraph':
    case 'heading':
      return linkEntries(linksIn(node, context.definitions), context);
    case 'html':
      return linkEntries(linksInHtml(node.value, node.position?.start.line ?? 1), context);
    case 'blockquote':
      return node.children.flatMap((child) => readBlock(child, context, depth));
    case 'code': {
      const { start, end } = node.position ?? { start: { line: 1 }, end: { line: 1 } };
      const isIndented = end.line - start.line + 1 === node.value.split('\n').length;
      if (context.isReparsed || !isIndented || !LIST_LIKE.test(node.value)) {
        return [];
      }
      // A list that is indented too far.
      const linesBefore = context.linesBefore + start.line - 1;
      const inner: SummaryReading = { ...context, linesBefore, isReparsed: true };
      const blocks = fromMarkdown(withoutIndentation(node.value)).children;
      return blocks.flatMap((child) => readBlock(child, inner, depth));
    }
    default:
      return [];
  }
}

function readList(list: List, context: SummaryReading, depth: number): SummaryEntry[] {
  return list.children.flatMap((item) => readItem(item, context, depth));
}

/** Reads an item. An item without visible content is replaced by its children. */
function readItem(item: ListItem, context: SummaryReading, depth: number): SummaryEntry[] {
  const content = item.children.find(({ type }) => type !== 'list' && type !== 'html');
  const [entry, ...others] = content === undefined ? [] : readContent(content, item, context);
  const children = item.children
    .filter((child) => entry === undefined || child !== content)
    .flatMap((child) => readBlock(child, context, depth + 1));
  if (entry === undefined) {
    return children;
  }
  // Deeper entries are flattened, which bounds the depth of the tree for readers and programs. Entries remain in the
  // order of their lines.
  const below = [...entry.entries, ...others, ...children];
  const isNested = entry.entries.length + children.length > 0 && depth < MAX_SUMMARY_DEPTH;
  return isNested ? [{ ...entry, entries: below }] : [{ ...entry, entries: [] }, ...below];
}

/** Reads the first visible block of an item: its links, its computed source, or its title. */
function readContent(content: RootContent, item: ListItem, context: SummaryReading): SummaryEntry[] {
  const line = lineOf(item, context);
  if (content.type === 'code' && /^ya?ml$/i.test(content.lang ?? '')) {
    return [{ title: '', computed: content.value, line, entries: [] }];
  }
  if (content.type !== 'paragraph' && content.type !== 'heading') {
    return [];
  }
  const [titleNodes = [], ...below] = itemsIn(content.children);
  const anchor = anchorOf({ children: titleNodes });
  const entries = below.flatMap((children) => entriesOf({ children, position: content.position }, context));
  const [first, ...others] = entriesOf({ children: titleNodes, position: content.position }, context);
  return first === undefined
    ? entries
    : [{ ...first, ...(anchor !== undefined && { anchor }), line, entries }, ...others];
}

/** Returns the links of a text, or else a group with the text as its title. */
function entriesOf(text: Pick<Paragraph, 'children' | 'position'>, context: SummaryReading): SummaryEntry[] {
  const links = linksIn(text, context.definitions);
  const title = collapse(text.children.map(nodeText).join(''));
  if (links.length > 0 || title === '') {
    return linkEntries(links, context);
  }
  const line = text.children[0]?.position?.start.line ?? text.position?.start.line ?? 1;
  return [{ title, line: context.linesBefore + line, entries: [] }];
}

/**
 * Divides the content of a paragraph where a line starts with the marker of an item: such an item is indented so far
 * that it continues the paragraph.
 */
function itemsIn(children: readonly PhrasingContent[]): PhrasingContent[][] {
  const items: PhrasingContent[][] = [[]];
  for (const child of children) {
    const [first = '', ...others] = child.type === 'text' ? child.value.split(NEXT_ITEM) : [];
    if (child.type !== 'text' || others.length === 0) {
      items.at(-1)?.push(child);
      continue;
    }
    items.at(-1)?.push({ ...child, value: first });
    let line = (child.position?.start.line ?? 1) + newlinesIn(first);
    for (const value of others) {
      line += 1;
      const point = { line, column: 1 };
      items.push(value === '' ? [] : [{ type: 'text', value, position: { start: point, end: point } }]);
      line += newlinesIn(value);
    }
  }
  return items;
}

function newlinesIn(text: string): number {
  return text.split('\n').length - 1;
}

function linkEntries(links: readonly WrittenLink[], { linesBefore }: SummaryReading): SummaryEntry[] {
  return links.map(({ title, target, line = 1 }) => ({
    title,
    target,
    line: linesBefore + line,
    entries: [],
  }));
}

/** Removes the indentation of the first line from each line. */
function withoutIndentation(text: string): string {
  const indent = text.search(/\S/);
  return text
    .split('\n')
    .map((line) => line.slice(Math.min(indent, line.search(/\S|$/))))
    .join('\n');
}

/** Returns the ID of a heading or item in its HTML. */
function anchorOf({ children }: { children: readonly PhrasingContent[] }): string | undefined {
  const html = children.filter((child) => child.type === 'html');
  return html.length === 0 ? undefined : /\bid="([^"]+)"/.exec(html.map(({ value }) => value).join(''))?.[1];
}

function lineOf(node: RootContent, { linesBefore }: SummaryReading): number {
  return linesBefore + (node.position?.start.line ?? 1);
}
