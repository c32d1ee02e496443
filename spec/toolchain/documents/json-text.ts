/** Names and indexes from the root of a document. */
export type Path = readonly (string | number)[];

/** Member of an object that occurs twice. */
export interface DuplicateMember {
  name: string;
  /** Offset of the second occurrence in the text. */
  offset: number;
}

/** Paths that are searched for, as a tree. */
interface Wanted {
  /** Path that ends here. */
  path?: Path;
  children: Map<string, Wanted>;
}

/** Object or list that contains the current value. */
interface Container {
  /** Names of its members so far; undefined for a list. */
  names: Set<string> | undefined;
  /** Number of its items so far. */
  items: number;
  wanted: Wanted | undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Finds what `JSON.parse` does not report: members that occur twice, and the offsets of values. Members have the offset
 * of their name.
 * @param text valid JSON
 */
export function scanJson(
  text: string,
  paths: readonly Path[] = [],
): { duplicate: DuplicateMember | undefined; offsets: Map<Path, number> } {
  const root = wantedTree(paths);
  const offsets = new Map<Path, number>();
  const open: Container[] = [];
  let duplicate: DuplicateMember | undefined;
  /** Tree below the value that follows. */
  let next: Wanted | undefined = root;
  let isName = false;

  const found = (wanted: Wanted | undefined, offset: number) => {
    if (wanted?.path) {
      offsets.set(wanted.path, offset);
    }
  };
  /** Starts an item if the value that starts here is in a list. */
  const enterItem = (offset: number) => {
    const list = open.at(-1);
    if (list && list.names === undefined) {
      next = list.wanted?.children.get(String(list.items));
      found(next, offset);
      list.items += 1;
    }
  };

  for (let offset = 0; offset < text.length; offset += 1) {
    const character = text[offset];
    if (character === '{' || character === '[') {
      enterItem(offset);
      const isObject = character === '{';
      open.push({ names: isObject ? new Set() : undefined, items: 0, wanted: next });
      isName = isObject;
    } else if (character === '}' || character === ']') {
      open.pop();
      isName = false;
    } else if (character === ',') {
      isName = open.at(-1)?.names !== undefined;
    } else if (character === '"') {
      const end = endOfString(text, offset);
      const object = open.at(-1);
      if (isName && object?.names) {
        const name = memberNameOf(text.slice(offset, end + 1));
        if (object.names.has(name)) {
          duplicate ??= { name, offset };
        }
        object.names.add(name);
        next = object.wanted?.children.get(name);
        found(next, offset);
        isName = false;
      } else {
        enterItem(offset);
      }
      offset = end;
    } else if (/[-\dtfn]/.test(character ?? '')) {
      enterItem(offset);
      while (/[\w+.-]/.test(text[offset + 1] ?? '')) {
        offset += 1;
      }
    }
  }
  return { duplicate, offsets };
}

function wantedTree(paths: readonly Path[]): Wanted {
  const root: Wanted = { children: new Map() };
  for (const path of paths) {
    let node = root;
    for (const step of path) {
      const child: Wanted = node.children.get(String(step)) ?? { children: new Map() };
      node.children.set(String(step), child);
      node = child;
    }
    node.path = path;
  }
  return root;
}

function endOfString(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && text.charCodeAt(end) !== QUOTE) {
    end += text.charCodeAt(end) === BACKSLASH ? 2 : 1;
  }
  return end;
}

function memberNameOf(literal: string): string {
  return literal.includes('\\') ? JSON.parse(literal) : literal.slice(1, -1);
}
