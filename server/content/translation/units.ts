/** Finds the translatable texts of documents, and describes what a translation must not change. */
import type { AnyBlock, Document, InlineNode } from '../markdown/document.ts';
import { fixedParts } from './segments.ts';

/** A translatable text of a document, which can be replaced in place. */
export type Unit =
  | { kind: 'inline'; nodes: InlineNode[]; replace(nodes: InlineNode[]): void }
  | { kind: 'text'; text: string; replace(text: string): void };

/** Texts in the data of blocks and inline nodes, by their type. */
const TEXT_FIELDS: Readonly<Record<string, readonly string[]>> = {
  'tabs-item': ['title'],
  image: ['alt'],
  prompt: ['description'],
  button: ['label'],
  'inline-image': ['alt', 'title'],
  link: ['title'],
};

/** Blocks without translatable text. */
const FIXED_BLOCKS: ReadonlySet<string> = new Set(['code', 'math', 'comment']);

/** Lists the translatable texts of blocks, in order. */
export function* unitsIn(blocks: readonly AnyBlock[]): Generator<Unit> {
  for (const block of blocks) {
    yield* unitsOf(block);
  }
}

function* unitsOf(value: unknown): Generator<Unit> {
  if (!isObjectOrList(value)) {
    return;
  }
  if (Array.isArray(value)) {
    for (const item of value) {
      yield* unitsOf(item);
    }
    return;
  }
  if ('object' in value && typeof value.type === 'string') {
    if (FIXED_BLOCKS.has(value.type)) {
      return;
    }
    yield* textsOf(value.type, value.data);
    if (value.type === 'table') {
      yield* unitsOfTable(value.data);
      return;
    }
  }
  for (const [name, inner] of Object.entries(value)) {
    if (!isInlineList(inner)) {
      yield* unitsOf(inner);
      continue;
    }
    if (!('object' in value && value.object === 'inline')) {
      yield {
        kind: 'inline',
        nodes: inner,
        replace: (nodes) => {
          value[name] = nodes;
        },
      };
    }
    // The texts in the data of inline nodes, such as labels and notes.
    yield* unitsOf(inner.filter((node) => node.object === 'inline'));
  }
}

function* textsOf(type: string, data: unknown): Generator<Unit> {
  for (const name of TEXT_FIELDS[type] ?? []) {
    const text = isObjectOrList(data) ? data[name] : undefined;
    if (isObjectOrList(data) && typeof text === 'string') {
      yield {
        kind: 'text',
        text,
        replace: (translated) => {
          data[name] = translated;
        },
      };
    }
  }
}

/** Titles of all columns, and cells of columns with text. */
function* unitsOfTable(data: unknown): Generator<Unit> {
  if (!isObjectOrList(data) || !isObjectOrList(data.definition) || !isObjectOrList(data.records)) {
    return;
  }
  const ofText = new Set<string>();
  for (const [id, column] of Object.entries(data.definition)) {
    if (isObjectOrList(column)) {
      yield* unitsOf(column);
      if (column.type === 'text') {
        ofText.add(id);
      }
    }
  }
  for (const record of Object.values(data.records)) {
    for (const [id, cell] of isObjectOrList(record) && isObjectOrList(record.values)
      ? Object.entries(record.values)
      : []) {
      if (ofText.has(id)) {
        yield* unitsOf(cell);
      }
    }
  }
}

/**
 * Describes a block without its translatable texts. A block and its translation have the same description: the order
 * of formatting and links within a text may differ.
 */
export const structureOf = (block: AnyBlock): string => JSON.stringify(structure(block));

function structure(value: unknown): unknown {
  if (!isObjectOrList(value)) {
    return value;
  }
  if (isInlineList(value)) {
    return structureOfInlines(value);
  }
  if (Array.isArray(value)) {
    return value.map(structure);
  }
  const type = 'object' in value && typeof value.type === 'string' ? value.type : '';
  if (FIXED_BLOCKS.has(type)) {
    return JSON.stringify(value, (name, inner) => (name === 'key' ? undefined : inner));
  }
  const entries = Object.entries(value).filter(([name]) => name !== 'key');
  return Object.fromEntries(
    entries.map(([name, inner]) => [name, name === 'data' ? structureOfData(type, inner) : structure(inner)]),
  );
}

function structureOfData(type: string, data: unknown): unknown {
  const described = structure(data);
  if (!isObjectOrList(described)) {
    return described;
  }
  const texts = TEXT_FIELDS[type] ?? [];
  return Object.fromEntries(
    Object.entries(described)
      // A translated heading keeps its anchor.
      .filter(([name]) => !(name === 'id' && type.startsWith('heading-')))
      .map(([name, inner]) => [
        name,
        texts.includes(name) && typeof inner === 'string' ? fixedParts(inner) : inner,
      ]),
  );
}

function structureOfInlines(nodes: readonly InlineNode[]): unknown {
  const items: string[] = [];
  const marks = new Set<string>();
  for (const node of nodes) {
    if (node.object === 'inline') {
      items.push(JSON.stringify(structure(node)));
      continue;
    }
    for (const leaf of node.leaves) {
      if (leaf.raw || leaf.marks.some(({ type }) => type === 'code' || type === 'keyboard')) {
        items.push(JSON.stringify(leaf));
        continue;
      }
      items.push(...fixedParts(leaf.text));
      if (leaf.text.trim() !== '' && leaf.marks.length > 0) {
        marks.add(JSON.stringify(leaf.marks));
      }
    }
  }
  return [items.sort(), [...marks].sort()];
}

/** Returns the headings of a document, in order. */
export function* headingsIn(value: unknown): Generator<Heading> {
  if (!isObjectOrList(value)) {
    return;
  }
  if (isHeading(value)) {
    yield value;
    return;
  }
  for (const inner of Object.values(value)) {
    yield* headingsIn(inner);
  }
}

type Heading = Extract<Document['nodes'][number], { type: 'heading-1' | 'heading-2' | 'heading-3' }>;

const isHeading = (value: object): value is Heading =>
  'type' in value && typeof value.type === 'string' && value.type.startsWith('heading-');

const isObjectOrList = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Returns whether a value is a list of inline nodes, which are the only nodes with these types. */
function isInlineList(value: unknown): value is InlineNode[] {
  const first: unknown = Array.isArray(value) ? value[0] : undefined;
  return isObjectOrList(first) && (first.object === 'text' || first.object === 'inline');
}
