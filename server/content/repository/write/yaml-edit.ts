import { isMap, isScalar, isSeq, type Pair, parseDocument, Scalar, stringify, type YAMLMap } from 'yaml';

/** A change of one value in a YAML map. */
export interface YamlEdit {
  /** Keys from the top. */
  path: readonly string[];
  /** The new value; undefined to remove the key. */
  value: unknown;
}

const printing = {
  lineWidth: 0,
  blockQuote: false,
  doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
} as const;

/** A block map that contains the edited key, and its own pair in the map above it. */
interface Level {
  map: YAMLMap;
  pair: Pair | undefined;
}

/**
 * Edits values of a YAML map in its text. All other lines, with their comments, quotes and order, are unchanged.
 *
 * @returns undefined if the text cannot be edited in place
 */
export function editYaml(text: string, edits: readonly YamlEdit[]): string | undefined {
  let result: string | undefined = text;
  for (const edit of edits) {
    result = result === undefined ? undefined : editValue(result, edit);
  }
  return result;
}

function editValue(text: string, { path, value }: YamlEdit): string | undefined {
  const document = parseDocument(text, { uniqueKeys: false, prettyErrors: false, logLevel: 'silent' });
  if (document.errors.length > 0) {
    return undefined;
  }
  const root = document.contents;
  if (root === null || (isScalar(root) && root.value === null)) {
    return value === undefined ? text : `${closed(text)}${print(nested(path, value))}`;
  }
  if (!isBlockMap(root)) {
    return undefined;
  }
  const levels: Level[] = [{ map: root, pair: undefined }];
  for (const [at, key] of path.entries()) {
    const map = levels.at(-1)?.map ?? root;
    const pair = map.items.findLast((item) => isScalar(item.key) && String(item.key.value) === key);
    const rest = path.slice(at + 1);
    if (pair === undefined) {
      return value === undefined ? text : insert(text, map, nested(path.slice(at), value));
    }
    if (rest.length === 0) {
      return value === undefined ? remove(text, levels, pair) : replace(text, map, pair, value);
    }
    if (isBlockMap(pair.value)) {
      levels.push({ map: pair.value, pair });
      continue;
    }
    return editInside(text, map, pair, { path: rest, value });
  }
  return undefined;
}

/** Edits a value that is not a block map: a map in braces keeps its form, anything else is replaced. */
function editInside(text: string, map: YAMLMap, pair: Pair, { path, value }: YamlEdit): string | undefined {
  if (!isMap(pair.value)) {
    return value === undefined ? text : replace(text, map, pair, nested(path, value));
  }
  const inner = pair.value;
  if (value === undefined) {
    inner.deleteIn(path);
  } else {
    inner.setIn(path, value);
  }
  return replacePair(text, map, pair, inner);
}

function isBlockMap(node: unknown): node is YAMLMap {
  return isMap(node) && !node.flow && node.items.length > 0;
}

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner, key) => ({ [key]: inner }), value);
}

function print(value: unknown): string {
  return stringify(value, printing);
}

function closed(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

/** Replaces a value; a text keeps its quotes. */
function replace(text: string, map: YAMLMap, pair: Pair, value: unknown): string | undefined {
  const before = pair.value;
  const isPlainNode = isScalar(before) && before.anchor === undefined && before.tag === undefined;
  if (!isPlainNode || typeof value === 'object' || before.value === null || !before.range) {
    return replacePair(text, map, pair, value);
  }
  const isBlock = before.type === 'BLOCK_FOLDED' || before.type === 'BLOCK_LITERAL';
  const scalar = new Scalar(value);
  if (typeof value === 'string' && before.type !== undefined && (!isBlock || isFoldable(value))) {
    scalar.type = before.type;
  }
  if (isBlock) {
    return replacePair(text, map, pair, scalar);
  }
  const printed = print({ k: scalar }).slice('k: '.length).trimEnd();
  return printed.includes('\n')
    ? replacePair(text, map, pair, value)
    : text.slice(0, before.range[0]) + printed + text.slice(before.range[1]);
}

/** Whether a text can be a block scalar: lines would otherwise change when it is read. */
function isFoldable(value: string): boolean {
  return value !== '' && !/^\s|\s$|\n/.test(value);
}

/** Replaces the lines of a pair. */
function replacePair(text: string, map: YAMLMap, pair: Pair, value: unknown): string | undefined {
  const range = linesOf(text, pair);
  const column = columnOf(text, map);
  if (range === undefined || column === undefined || !isScalar(pair.key)) {
    return undefined;
  }
  const isBlock = value instanceof Scalar && value.type?.startsWith('BLOCK');
  const options = isBlock ? { lineWidth: 80 } : printing;
  const printed = stringify({ [String(pair.key.value)]: value }, options);
  const isClosed = text[range.end - 1] === '\n';
  const lines = indented(printed, column);
  return text.slice(0, range.start) + (isClosed ? lines : lines.trimEnd()) + text.slice(range.end);
}

/** Inserts a pair after the last one of a map. */
function insert(text: string, map: YAMLMap, value: unknown): string | undefined {
  const last = map.items.at(-1);
  const range = last && linesOf(text, last);
  const column = columnOf(text, map);
  if (range === undefined || column === undefined) {
    return undefined;
  }
  return closed(text.slice(0, range.end)) + indented(print(value), column) + text.slice(range.end);
}

/** Removes the lines of a pair, and those of the maps that it was the last pair of. */
function remove(text: string, levels: readonly Level[], pair: Pair): string | undefined {
  let removed = pair;
  for (const level of levels.toReversed()) {
    if (level.map.items.length > 1 || level.pair === undefined) {
      break;
    }
    removed = level.pair;
  }
  const range = linesOf(text, removed);
  return range && text.slice(0, range.start) + text.slice(range.end);
}

function indented(text: string, column: number): string {
  return text.replace(/^(?=.)/gm, ' '.repeat(column));
}

/** Returns the column of the keys of a block map; undefined if they do not start a line. */
function columnOf(text: string, map: YAMLMap): number | undefined {
  const [first] = map.items;
  const start = first && isScalar(first.key) ? first.key.range?.[0] : undefined;
  if (start === undefined) {
    return undefined;
  }
  const lead = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  return /^ *$/.test(lead) ? lead.length : undefined;
}

/** Returns the range of the lines of a pair; undefined if other values are on them. */
function linesOf(text: string, pair: Pair): { start: number; end: number } | undefined {
  const keyStart = isScalar(pair.key) ? pair.key.range?.[0] : undefined;
  const contentEnd = endOf(pair);
  if (keyStart === undefined || contentEnd === undefined) {
    return undefined;
  }
  const start = text.lastIndexOf('\n', keyStart - 1) + 1;
  if (text.slice(start, keyStart).trim() !== '') {
    return undefined;
  }
  const content = text.slice(0, contentEnd).trimEnd().length;
  const newline = text.indexOf('\n', Math.max(content, keyStart));
  return { start, end: newline === -1 ? text.length : newline + 1 };
}

/** Returns the end of the content of a pair, without comments after it. */
function endOf({ key, value }: { key: unknown; value?: unknown }): number | undefined {
  if (isMap(value) && !value.flow) {
    const last = value.items.at(-1);
    return last && endOf(last);
  }
  if (isSeq(value) && !value.flow) {
    const last = value.items.at(-1);
    return isMap(last) && !last.flow ? endOf({ key, value: last }) : rangeEnd(last);
  }
  return rangeEnd(value) ?? rangeEnd(key);
}

function rangeEnd(node: unknown): number | undefined {
  return typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range)
    ? node.range[1]
    : undefined;
}
