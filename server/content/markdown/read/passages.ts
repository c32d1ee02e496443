/**
 * Passages: stretches of a page that read the same wherever they stand. A page is read, printed and read again;
 * what was printed just as it was written is taken from the first reading, as nothing takes longer than parsing.
 */
import type { RootContent } from 'mdast';
import { syntaxNodes } from './windows.ts';

/** A part of a page's syntax tree. */
export interface Passage {
  /** The text that the positions of the nodes count in. */
  source: string;
  nodes: RootContent[];
}

/** A passage with its text, cut at every place where another may start. */
interface Cut extends Passage {
  parts: string[];
}

/**
 * Where a passage may start: after a blank line, and with what neither starts nor goes on with a list, a
 * quotation or indented code. Whether it does, or stands in the middle of a fence, say, the parser tells.
 */
const START = /(?<=\n\n)(?=[^\s>*+\-\d])/;

/** What every definition has. Where there is one, what is a link in one passage depends on the others. */
const DEFINITION = ']:';

/** Reads the texts that one page goes through, each with what is known from those before. */
export class PassageReader {
  /** By their first parts, passages that were read and have ended. */
  readonly #known = new Map<string, Cut>();

  /** The passages of a text, in their order. */
  read(markdown: string): Passage[] {
    if (markdown.includes(DEFINITION)) return [{ source: markdown, nodes: syntaxNodes(markdown) }];
    const parts = markdown.split(START);
    return this.#again(parts) ?? this.#anew(parts);
  }

  #anew(parts: string[]): Passage[] {
    const source = parts.join('');
    const nodes = syntaxNodes(source);
    const starts = startsOf(nodes);
    const passages: Cut[] = [];
    let offset = 0;
    for (const part of parts) {
      const last = passages.at(-1);
      if (last && !starts.has(offset)) last.parts.push(part);
      else passages.push({ parts: [part], source, nodes: [] });
      offset += part.length;
    }
    share(nodes, passages);
    // That a passage has ended shows only where another starts, so the last one does not count.
    for (const passage of passages.slice(0, -1)) this.#known.set(passage.parts[0] ?? '', passage);
    return passages;
  }

  /** Parses what is not known; undefined where some of that does not end before what is known goes on. */
  #again(parts: string[]): Passage[] | undefined {
    if (this.#known.size === 0) return undefined;
    const passages: Cut[] = [];
    const changed: Cut[] = [];
    for (let index = 0; index < parts.length; ) {
      const known = this.#knownAt(parts, index);
      if (known) {
        passages.push(known);
        index += known.parts.length;
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
      if (offset > 0 && !starts.has(offset)) return undefined;
      passage.source = source;
      offset += lengthOf(passage);
    }
    share(nodes, changed);
    return passages;
  }

  /** The known passage that starts with a part. The end of a text is parsed in any case: it shows what ended. */
  #knownAt(parts: string[], index: number): Cut | undefined {
    const known = this.#known.get(parts[index] ?? '');
    if (!known || index + known.parts.length >= parts.length) return undefined;
    return known.parts.every((part, place) => part === parts[index + place]) ? known : undefined;
  }
}

const startsOf = (nodes: RootContent[]) => new Set(nodes.map(({ position }) => position?.start.offset));

const lengthOf = ({ parts }: Cut): number => parts.reduce((length, part) => length + part.length, 0);

/** Gives each passage the nodes that start in it. The passages follow one another from the start of the text. */
function share(nodes: RootContent[], passages: Cut[]): void {
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
