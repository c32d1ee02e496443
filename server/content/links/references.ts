/** Lists the references of documents and records. */
import type { components } from '../../../generated/schema.d.ts';
import {
  type Document,
  type Image,
  type Inline,
  REFERENCE_KINDS,
  type Reference,
} from '../markdown/document.ts';
import type { ComputedSource } from '../tree/content-root.ts';
import type { PageRecord } from '../tree/records.ts';

type TranslationRef = components['schemas']['TranslationRef'];
type AnyRef = Reference | TranslationRef;

/** Kind of a link between two resources. */
export type Relation = components['schemas']['LinkRelation'];

/** Lists the references of a page outside its text: its cover, its link target, and its dependencies. */
export function* refsOfRecord(record: PageRecord): Generator<{ relation: Relation; ref: AnyRef }> {
  if (record.type === 'link') {
    yield { relation: 'reference', ref: record.target };
  }
  if (record.type === 'document') {
    const { cover } = record;
    for (const ref of [cover?.ref, cover?.refDark]) {
      if (ref) {
        yield { relation: 'reference', ref };
      }
    }
  }
  if ((record.type === 'document' || record.type === 'computed') && record.computed) {
    yield* dependencies(record.computed);
  }
}

/** Lists the dependencies of computed content. */
export function* dependencies({
  dependencies,
}: ComputedSource | components['schemas']['ComputedPageSource']): Generator<{
  relation: Relation;
  ref: AnyRef;
}> {
  for (const { ref } of Object.values(dependencies ?? {})) {
    yield { relation: 'dependsOn', ref };
  }
}

/** A node with text that names its target. */
export type Labeled = Inline | Image;

/** A reference in a document. */
export interface DocumentReference {
  /** Key of the innermost block that contains the reference. */
  node: string;
  ref: Reference;
  /** The innermost inline node or image that contains the reference. */
  labeled?: Labeled | undefined;
}

/** Lists the references of a document. */
export function refsOfDocument(document: Document): DocumentReference[] {
  const references: DocumentReference[] = [];
  const visit = (value: unknown, node: string, labeled?: Labeled): void => {
    if (Array.isArray(value)) {
      for (const item of value) {
        visit(item, node, labeled);
      }
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return;
    }
    if (isRef(value)) {
      references.push({ node, ref: value, labeled });
      return;
    }
    const isBlock = 'object' in value && value.object === 'block';
    const key = isBlock && 'key' in value && typeof value.key === 'string' ? value.key : node;
    if (isBlock && 'data' in value) {
      references.push(...refsOfData(value.data, key));
    }
    for (const inner of Object.values(value)) {
      visit(inner, key, isLabeled(value) ? value : isBlock ? undefined : labeled);
    }
  };
  visit(document.nodes, '');
  return references;
}

/** Returns the references of a block that are stored as a plain URL or ID. */
function refsOfData(data: unknown, node: string): Array<{ node: string; ref: Reference }> {
  if (typeof data !== 'object' || data === null) {
    return [];
  }
  const refs: Array<{ node: string; ref: Reference }> = [];
  if ('url' in data && typeof data.url === 'string') {
    refs.push({ node, ref: { kind: 'url', url: data.url } });
  }
  if ('spec' in data && typeof data.spec === 'string') {
    refs.push({ node, ref: { kind: 'openapi', spec: data.spec } });
  }
  return refs;
}

const isLabeled = (value: object): value is Labeled =>
  'object' in value && (value.object === 'inline' || ('type' in value && value.type === 'image'));

/** Nodes have an `object`; only references have one of these kinds. */
function isRef(value: object): value is Reference {
  return 'kind' in value && REFERENCE_KINDS.has(value.kind) && !('object' in value);
}
