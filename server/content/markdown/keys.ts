/** Creates the keys of blocks from their content, so that they remain stable while other blocks change. */
import type { AnyBlock, Block, Document } from './document.ts';

/** Sets the keys of all blocks of a document, replacing existing ones. */
export function withKeys(document: Document): Document {
  const hashCounts = new Map<string, number>();
  const nodes = document.nodes.map((block) => keyed(block, hashCounts).block);
  return { ...document, nodes };
}

interface Keyed<B> {
  block: B;
  hash: string;
}

function keyed<B extends AnyBlock>(block: B, hashCounts: Map<string, number>): Keyed<B> {
  const hashes: string[] = [];
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      return value.map(visit);
    }
    if (typeof value !== 'object' || value === null) {
      hashes.push(JSON.stringify(value));
      return value;
    }
    if (isBlock(value)) {
      const inner = keyed(value, hashCounts);
      hashes.push(inner.hash);
      return inner.block;
    }
    const entries = Object.entries(value).map(([name, entry]) => {
      hashes.push(name);
      return [name, visit(entry)];
    });
    return Object.fromEntries(entries);
  };
  // `visit` preserves the shape of its argument, with keys on the blocks inside.
  const data = visit(block.data) as B['data'];
  const nodes = visit(block.nodes) as B['nodes'];
  const hash = digest(`${block.type} ${hashes.join(' ')}`);
  const count = (hashCounts.get(hash) ?? 0) + 1;
  hashCounts.set(hash, count);
  const key = count === 1 ? hash : `${hash}-${count}`;
  return { block: { ...block, key, data, nodes }, hash };
}

function isBlock(value: object): value is Block {
  return 'object' in value && value.object === 'block';
}

/** Computes 64 bits of FNV-1a, as two interleaved halves, in base 36. */
function digest(text: string): string {
  let low = 0x811c9dc5;
  let high = 0xcbf29ce4;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ (code + index), 0x01000193);
  }
  return `b${(low >>> 0).toString(36)}${(high >>> 0).toString(36)}`;
}
