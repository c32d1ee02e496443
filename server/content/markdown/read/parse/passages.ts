/**
 * Passages: parts of a page that are parsed independently of their context. A page is read, printed and read again.
 * Passages that were printed unchanged are reused from the first reading, because parsing is the most expensive step.
 */
import type { RootContent } from 'mdast';
import { syntaxNodes } from './windows.ts';

/** A part of a page's syntax tree. */
export interface Passage {
  /** The text that the positions of the nodes refer to. */
  source: string;
  nodes: RootContent[];
}

/** A passage with its text, split wherever another passage may start. */
interface PassageCut extends Passage {
  parts: string[];
}

/**
 * Possible starts of passages: after a blank line, with text that neither starts nor continues a list, quotation or
 * indented code. The parser determines whether a passage really starts there, and not, for example, within a fence.
 */
const START = /(?<=\n\n)(?=[^\s>*+\-\d])/;

/** Part of every definition. If a text contains one, links in a passage depend on other passages. */
const DEFINITION = ']:';

/** Reads the successive texts of one page, reusing the passages of earlier ones. */
export class PassageReader {
  /** Completely parsed passages by their first part. */
  readonly #cache = new Map<string, PassageCut>();

  /** Reads the passages of a text in order. */
  read(markdown: string): Passage[] {
    if (markdown.includes(DEFINITION)) {
      return [{ source: markdown, nodes: syntaxNodes(markdown) }];
    }
    const parts = markdown.split(START);
    return this.#readChanged(parts) ?? this.#readAll(parts);
  }

  #readAll(parts: string[]): Passage[] {
    const source = parts.join('');
    const nodes = syntaxNodes(source);
    const starts = startsOf(nodes);
    const passages: PassageCut[] = [];
    let offset = 0;
    for (const part of parts) {
      const last = passages.at(-1);
      if (last && !starts.has(offset)) {
        last.parts.push(part);
      } else {
        passages.push({ parts: [part], source, nodes: [] });
      }
      offset += part.length;
    }
    assignNodes(nodes, passages);
    // The last passage is not reused, because only the start of another one shows that a passage has ended.
    for (const passage of passages.slice(0, -1)) {
      this.#cache.set(passage.parts[0] ?? '', passage);
    }
    return passages;
  }

  /** Parses only new parts; returns undefined if one of them does not end before the next reused passage. */
  #readChanged(parts: string[]): Passage[] | undefined {
    if (this.#cache.size === 0) {
      return undefined;
    }
    const passages: PassageCut[] = [];
    const changed: PassageCut[] = [];
    for (let index = 0; index < parts.length; ) {
      const cached = this.#cachedAt(parts, index);
      if (cached) {
        passages.push(cached);
        index += cached.parts.length;
        continue;
      }
      let last = passages.at(-1);
      if (!last || last !== changed.at(-1)) {
        last = { parts: [], source: '', nodes: [] };
        passages.push(last);
        changed.push(last);
      }
      last.parts.push(...parts.slice(index, ++index));
    }
    const source = changed.flatMap((passage) => passage.parts).join('');
    const nodes = syntaxNodes(source);
    const starts = startsOf(nodes);
    let offset = 0;
    for (const passage of changed) {
      if (offset > 0 && !starts.has(offset)) {
        return undefined;
      }
      passage.source = source;
      offset += lengthOf(passage);
    }
    assignNodes(nodes, changed);
    return passages;
  }

  /**
   * Returns the known passage that starts with a part. Never includes the last part of a text, which must be parsed.
   */
  #cachedAt(parts: string[], index: number): PassageCut | undefined {
    const cached = this.#cache.get(parts[index] ?? '');
    if (!cached || index + cached.parts.length >= parts.length) {
      return undefined;
    }
    return cached.parts.every((part, place) => part === parts[index + place]) ? cached : undefined;
  }
}

const startsOf = (nodes: RootContent[]) => new Set(nodes.map(({ position }) => position?.start.offset));

const lengthOf = ({ parts }: PassageCut): number => parts.reduce((length, part) => length + part.length, 0);

/** Assigns the nodes to the passages that they start in. The passages are contiguous from the start of the text. */
function assignNodes(nodes: RootContent[], passages: PassageCut[]): void {
  let index = 0;
  let end = 0;
  for (const passage of passages) {
    end += lengthOf(passage);
    for (let node = nodes[index]; node && (node.position?.start.offset ?? 0) < end; node = nodes[index]) {
      passage.nodes.push(node);
      index++;
    }
  }
}
