import { hashOf } from './hash.ts';

/** Part of the content that an object stores: a whole revision, a node of a tree, or a page's markdown. */
export type ObjectKind = 'content' | 'tree' | 'text';

/** Text with its hash. */
export interface ContentObject {
  hash: string;
  kind: ObjectKind;
  data: string;
}

/** Markdown as an object to store. */
export function textObject(text: string): ContentObject {
  return { hash: hashOf(text), kind: 'text', data: text };
}
