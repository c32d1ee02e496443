/** Finds blocks in documents by key, and creates previews of them. */
import type { AnyBlock, Document } from './document.ts';

/** Maximum length of the block preview that is stored with a comment, in characters. */
export const MAX_PREVIEW_CHARACTERS = 1000;

/** Returns the blocks that a block contains as its content; undefined for one without such content. */
export function blocksOf(block: AnyBlock): readonly AnyBlock[] | undefined {
  switch (block.type) {
    case 'expandable':
      return block.data.body;
    case 'blockquote':
    case 'list-ordered':
    case 'list-unordered':
    case 'list-tasks':
    case 'list-item':
    case 'hint':
    case 'tabs':
    case 'tabs-item':
    case 'stepper':
    case 'stepper-step':
    case 'columns':
    case 'column':
    case 'updates':
    case 'update':
    case 'prompt':
    case 'if':
    case 'tag':
      return block.nodes;
    default:
      return undefined;
  }
}

/** Returns the block of a document with a key, at any depth. */
export function findBlock(document: Document, key: string): AnyBlock | undefined {
  for (const block of blocksIn(document.nodes)) {
    if (block.key === key) {
      return block;
    }
  }
  return undefined;
}

/** Returns the keys of all blocks of a document. */
export function keysOf(document: Document): Set<string> {
  const keys = new Set<string>();
  for (const { key } of blocksIn(document.nodes)) {
    if (key !== undefined) {
      keys.add(key);
    }
  }
  return keys;
}

/** Returns whether a block is a table with this row and column. */
export function hasCell(block: AnyBlock, { record, definition }: { record: string; definition: string }) {
  if (block.type !== 'table') {
    return false;
  }
  const { data } = block;
  return Object.hasOwn(data.records, record) && Object.hasOwn(data.definition, definition);
}

/** Returns the start of a block's text, with its parts on separate lines. */
export function previewOf(block: AnyBlock): string {
  const lines: string[] = [];
  let line = '';
  const end = () => {
    if (line.trim() !== '') {
      lines.push(line.trim());
    }
    line = '';
  };
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) {
      return;
    }
    if (Array.isArray(value)) {
      for (const item of value) {
        visit(item);
      }
      return;
    }
    if (isBlock(value)) {
      end();
      for (const [name, text] of Object.entries(value.data)) {
        if (TEXT_FIELDS.has(name) && typeof text === 'string') {
          lines.push(text);
        }
      }
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
    } else if ('text' in value) {
      line += String(value.text);
    } else if ('leaves' in value) {
      visit(value.leaves);
    } else if ('nodes' in value) {
      visit(value.nodes);
    }
  };
  visit(block);
  const text = lines.join('\n');
  return text.length > MAX_PREVIEW_CHARACTERS
    ? `${text.slice(0, MAX_PREVIEW_CHARACTERS - 1).toWellFormed()}…`
    : text;
}

/** Names of data fields with text that is not in the block's nodes. */
const TEXT_FIELDS = new Set(['title', 'alt', 'formula', 'url']);

/** Returns whether a block is or contains one that depends on a condition. */
export function hasCondition(block: AnyBlock): boolean {
  return blocksIn(block).some(({ type }) => type === 'if');
}

/** Lists the blocks in nodes or data, each before its descendants. */
function* blocksIn(value: unknown): Generator<AnyBlock> {
  if (typeof value !== 'object' || value === null) {
    return;
  }
  if (Array.isArray(value)) {
    for (const item of value) {
      yield* blocksIn(item);
    }
    return;
  }
  if (isBlock(value)) {
    yield value;
  }
  for (const inner of Object.values(value)) {
    yield* blocksIn(inner);
  }
}

function isBlock(value: object): value is AnyBlock {
  return 'object' in value && value.object === 'block';
}
