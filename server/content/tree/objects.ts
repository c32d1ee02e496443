import { hashOf } from './hash.ts';

/** Content of an object: a whole revision, a node of a tree, or a page's Markdown. */
export type ObjectKind = 'content' | 'tree' | 'text';

/** Text with its hash. */
export interface ContentObject {
  hash: string;
  kind: ObjectKind;
  data: string;
}

/** Creates the object that stores a Markdown text. */
export function textObject(text: string): ContentObject {
  return { hash: hashOf(text), kind: 'text', data: text };
}
