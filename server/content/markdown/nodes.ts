/** Finding a block in a document by its key, and what it says. */
import type { AnyBlock, Document } from './document.ts';

/** The most characters of a block's text that are kept with a comment on it. */
export const MAX_PREVIEW_CHARACTERS = 1000;

/** The block of a document that has a key, however deep it stands. */
export function findBlock(document: Document, key: string): AnyBlock | undefined {
  for (const block of blocksIn(document.nodes)) if (block.key === key) return block;
  return undefined;
}

/** The keys of all blocks of a document. */
export function keysOf(document: Document): Set<string> {
  const keys = new Set<string>();
  for (const { key } of blocksIn(document.nodes)) if (key !== undefined) keys.add(key);
  return keys;
}

/** Whether a block is a table with a row and a column of these ids. */
export function hasCell(block: AnyBlock, { record, definition }: { record: string; definition: string }) {
  if (block.type !== 'table') return false;
  const { data } = block;
  return Object.hasOwn(data.records, record) && Object.hasOwn(data.definition, definition);
}

/** The start of what a block says, its parts on lines of their own. */
export function previewOf(block: AnyBlock): string {
  const lines: string[] = [];
  let line = '';
  const end = () => {
    if (line.trim() !== '') lines.push(line.trim());
    line = '';
  };
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      for (const one of value) visit(one);
      return;
    }
    if (isBlock(value)) {
      end();
      for (const [name, said] of Object.entries(value.data))
        if (SAYING.has(name) && typeof said === 'string') lines.push(said);
      visit(value.data);
      visit(value.nodes);
      end();
      return;
    }
    if (!('object' in value)) {
      // Data: a title, a caption, the cells of a row.
      for (const inner of Object.values(value)) {
        visit(inner);
        end();
      }
    } else if ('text' in value) line += String(value.text);
    else if ('leaves' in value) visit(value.leaves);
    else if ('nodes' in value) visit(value.nodes);
  };
  visit(block);
  const text = lines.join('\n');
  return text.length > MAX_PREVIEW_CHARACTERS
    ? `${text.slice(0, MAX_PREVIEW_CHARACTERS - 1).toWellFormed()}…`
    : text;
}

/** The data by which blocks say something that is not among their nodes. */
const SAYING = new Set(['title', 'alt', 'formula', 'url']);

/** Every block in nodes or data, each before those inside it. */
function* blocksIn(value: unknown): Generator<AnyBlock> {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const one of value) yield* blocksIn(one);
    return;
  }
  if (isBlock(value)) yield value;
  for (const inner of Object.values(value)) yield* blocksIn(inner);
}

function isBlock(value: object): value is AnyBlock {
  return 'object' in value && value.object === 'block';
}
