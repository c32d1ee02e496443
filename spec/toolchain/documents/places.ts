import { type Document, isAlias, isMap, isPair, isScalar, isSeq, type Node, parseDocument } from 'yaml';
import { type Path, scanJson } from './json-text.ts';

/** Place in a text, from 1. */
export interface Place {
  line: number;
  column: number;
}

/** Largest YAML text to determine places in: it is parsed again for them, at some 1 MB a second. */
const MAX_YAML_CHARACTERS = 8_000_000;

/** Returns the line and column of an offset. */
export function placeAt(text: string, offset: number): Place {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  let line = 1;
  for (let end = text.indexOf('\n'); end !== -1 && end < offset; end = text.indexOf('\n', end + 1)) {
    line += 1;
  }
  return { line, column: offset - start + 1 };
}

/**
 * Finds values in a text, members by their name. A value that is not in the text, such as one of a merge key, has the
 * place of the closest object around it.
 * @param text JSON or YAML without errors
 */
export function locate(text: string, paths: readonly Path[]): Map<Path, Place> {
  const offsets = isJson(text) ? scanJson(text, paths).offsets : offsetsInYaml(text, paths);
  const places = new Map<Path, Place>();
  // Sorted, so that each line is counted once.
  let line = 1;
  let counted = 0;
  for (const [path, offset] of [...offsets].sort(([, one], [, other]) => one - other)) {
    for (
      let end = text.indexOf('\n', counted);
      end !== -1 && end < offset;
      end = text.indexOf('\n', counted)
    ) {
      line += 1;
      counted = end + 1;
    }
    places.set(path, { line, column: offset - text.lastIndexOf('\n', offset - 1) });
  }
  return places;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function offsetsInYaml(text: string, paths: readonly Path[]): Map<Path, number> {
  const offsets = new Map<Path, number>();
  if (text.length > MAX_YAML_CHARACTERS) {
    return offsets;
  }
  const document = parseDocument(text, { merge: true });
  for (const path of paths) {
    const offset = offsetInYaml(document, path);
    if (offset !== undefined) {
      offsets.set(path, offset);
    }
  }
  return offsets;
}

function offsetInYaml(document: Document.Parsed, path: Path): number | undefined {
  let node: unknown = document.contents;
  let offset: number | undefined;
  for (const step of path) {
    const parent = isAlias(node) ? node.resolve(document) : node;
    if (isMap(parent)) {
      const pair = parent.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (!isPair(pair)) {
        return offset;
      }
      offset = startOf(pair.key) ?? offset;
      node = pair.value;
    } else if (isSeq(parent)) {
      node = parent.items[Number(step)];
      offset = startOf(node) ?? offset;
    } else {
      return offset;
    }
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  // Members of collections are nodes, if the text was parsed.
  return (node as Node | null | undefined)?.range?.[0];
}
