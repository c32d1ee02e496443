/** Replaces inclusions of reusable content in documents with the blocks of the contents. */
import { MAX_INCLUDED_DEPTH } from '../markdown/document.ts';

/** Documents as JSON in UTF-8, by the ID of the reusable content. */
export type IncludedDocuments = ReadonlyMap<string, Uint8Array>;

/** Maximum size of a document with the contents that it includes, in bytes. Further inclusions remain blocks. */
export const MAX_DEREFERENCED_BYTES = 32 * 1024 * 1024;

interface Node {
  type?: unknown;
  data?: { ref?: { kind?: unknown; reusableContent?: unknown; space?: unknown } };
  [property: string]: unknown;
}

/** Returns a document as JSON in UTF-8 with the blocks of included documents in place of their inclusions. */
export function includeDocuments({
  document,
  included,
}: {
  document: Uint8Array;
  included: IncludedDocuments;
}): Uint8Array {
  let bytes = document.byteLength;
  const decoder = new TextDecoder();
  const parse = (json: Uint8Array): Node => JSON.parse(decoder.decode(json));
  const expand = (value: unknown, depth: number): unknown => {
    if (Array.isArray(value)) {
      return value.flatMap((item) => contentOf(item, depth) ?? [expand(item, depth)]);
    }
    if (typeof value !== 'object' || value === null) {
      return value;
    }
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, expand(item, depth)]));
  };
  /** Returns the blocks of the content that a block includes; undefined if it includes none. */
  const contentOf = (item: unknown, depth: number): unknown[] | undefined => {
    const id = includedBy(item);
    const json = id === undefined ? undefined : included.get(id);
    if (!json || depth >= MAX_INCLUDED_DEPTH || bytes + json.byteLength > MAX_DEREFERENCED_BYTES) {
      return undefined;
    }
    bytes += json.byteLength;
    const nodes = expand(parse(json).nodes, depth + 1);
    return Array.isArray(nodes) ? nodes : undefined;
  };
  return new TextEncoder().encode(JSON.stringify(expand(parse(document), 0)));
}

/** Returns the ID of the reusable content of the same space that a node of a document includes. */
function includedBy(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null || !('type' in item) || item.type !== 'reusable-content') {
    return undefined;
  }
  const { data }: Node = item;
  const ref = data?.ref;
  return ref?.kind === 'reusable-content' &&
    ref.space === undefined &&
    typeof ref.reusableContent === 'string'
    ? ref.reusableContent
    : undefined;
}
