/** Compares blocks by content: whatever their keys, the order of properties, and the form of references. */
import { type AnyBlock, REFERENCE_KINDS, type Reference } from '../document.ts';

/** Properties that are not content of a block. */
const IGNORED = new Set(['key', 'problem']);

/** Assigns equal identities to equal blocks. */
export class Identities {
  readonly #targetOf: (ref: Reference) => string;
  readonly #ids = new Map<string, string>();
  readonly #cache = new WeakMap<object, string>();

  /** @param targetOf formats the targets of references; those with the same target are equal */
  constructor(targetOf: (ref: Reference) => string) {
    this.#targetOf = targetOf;
  }

  /** Returns the identity of a block with its descendants. */
  of(block: AnyBlock): string {
    const cached = this.#cache.get(block);
    if (cached !== undefined) {
      return cached;
    }
    const id = this.#idOf(`${block.type} ${this.#text(block.data)} ${this.#text(block.nodes)}`);
    this.#cache.set(block, id);
    return id;
  }

  /** Returns the identities of blocks. */
  all(blocks: readonly AnyBlock[]): string[] {
    return blocks.map((block) => this.of(block));
  }

  /** Returns the identity of blocks in order. */
  ofList(blocks: readonly AnyBlock[]): string {
    return this.#idOf(this.all(blocks).join());
  }

  /** Returns the identity of a block without its child blocks. */
  ofOwn(block: AnyBlock): string {
    const data = block.type === 'expandable' ? { ...block.data, body: [] } : block.data;
    return this.#idOf(`${block.type} ${this.#text(data)}`);
  }

  #idOf(text: string): string {
    const id = this.#ids.get(text) ?? String(this.#ids.size);
    this.#ids.set(text, id);
    return id;
  }

  #text(value: unknown): string {
    if (Array.isArray(value)) {
      return `[${value.map((item) => this.#text(item)).join()}]`;
    }
    if (typeof value !== 'object' || value === null) {
      return JSON.stringify(value) ?? '';
    }
    if (isBlock(value)) {
      return `#${this.of(value)}`;
    }
    if (isReference(value)) {
      return `@${JSON.stringify(this.#targetOf(value))}`;
    }
    const entries = Object.entries(value).filter(
      ([name, entry]) => entry !== undefined && !IGNORED.has(name),
    );
    entries.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([name, entry]) => `${JSON.stringify(name)}:${this.#text(entry)}`).join()}}`;
  }
}

const isBlock = (value: object): value is AnyBlock => 'object' in value && value.object === 'block';

const isReference = (value: object): value is Reference =>
  'kind' in value && !('object' in value) && REFERENCE_KINDS.has(value.kind);

/** Lists the references in a value. */
export function refsIn(value: unknown): Reference[] {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  return isReference(value) ? [value] : Object.values(value).flatMap(refsIn);
}
