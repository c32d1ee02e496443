/** The definitions of a page: of the links and images by reference, and of its notes. */
import type { Definition, RootContent } from 'mdast';
import type { Block } from '../document.ts';
import { MAX_BLOCK_DEPTH } from './blocks.ts';
import type { Passage } from './parse/passages.ts';
import { type BlockRange, offsetsOf } from './ranges.ts';

/** Maximum number of times that a note is shown in full; further references to it are text. */
export const MAX_NOTE_REFERENCES = 50;

/** A note of a page: its body as read, and the range of its definition in the text. */
export interface NoteSource {
  label: string;
  body: Block[];
  range: BlockRange;
}

interface Note extends Passage {
  label: string;
  range: BlockRange;
}

/** Collects the definitions of a page at any depth, and reads its notes. */
export class PageDefinitions {
  readonly definitions = new Map<string, Definition>();
  /** The notes that were read. */
  readonly notes: NoteSource[] = [];
  readonly #notes = new Map<string, Note>();
  readonly #uses = new Map<string, number>();
  readonly #read: (note: Passage) => Block[];
  #isReading = false;

  /** @param read reads the blocks of a note */
  constructor(passages: readonly Passage[], read: (note: Passage) => Block[]) {
    this.#read = read;
    for (const { nodes, source } of passages) {
      this.#collect(nodes, source, 0);
    }
  }

  /** Returns the body of a note. Notes within notes are text, to prevent cycles. */
  note(id: string): Block[] | undefined {
    const note = this.#notes.get(id);
    const uses = this.#uses.get(id) ?? 0;
    if (!note || this.#isReading || uses === MAX_NOTE_REFERENCES) {
      return undefined;
    }
    this.#uses.set(id, uses + 1);
    this.#isReading = true;
    const body = this.#read(note);
    this.#isReading = false;
    if (uses === 0) {
      this.notes.push({ label: note.label, body, range: note.range });
    }
    return body;
  }

  #collect(nodes: RootContent[], source: string, depth: number): void {
    const collect = ({ children }: { children: RootContent[] }) => {
      if (depth < MAX_BLOCK_DEPTH) {
        this.#collect(children, source, depth + 1);
      }
    };
    for (const node of nodes) {
      if (node.type === 'definition') {
        if (!this.definitions.has(node.identifier)) {
          this.definitions.set(node.identifier, node);
        }
      } else if (node.type === 'footnoteDefinition') {
        if (!this.#notes.has(node.identifier)) {
          const { label, identifier, children } = node;
          const range = offsetsOf(node) ?? { start: 0, end: 0 };
          this.#notes.set(identifier, { source, nodes: children, label: label ?? identifier, range });
        }
        collect(node);
      } else if (node.type === 'list') {
        node.children.forEach(collect);
      } else if (node.type === 'blockquote') {
        collect(node);
      }
    }
  }
}
