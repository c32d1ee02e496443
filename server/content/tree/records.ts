import type { components } from '../../../generated/schema.d.ts';

type Schemas = components['schemas'];

/*
 * What a revision stores, in the words of the contract. What has a default there (layout, the flags of reach) is
 * stored only where it was set, and addresses, which depend on where a server runs, are not stored at all.
 */

/** What every page has. */
interface PageFacts {
  id: string;
  /** The page above it; null at the top. */
  parent: string | null;
  title: string;
  emoji?: string;
  icon?: string;
  /** Both are absent until the first edit. */
  createdAt?: string;
  updatedAt?: string;
  git?: Schemas['GitObject'];
  /** What tells an entry without a file of its own from others of the same repository, across imports. */
  origin?: string;
}

interface Reach {
  hidden?: boolean;
  noIndex?: boolean;
  noRobotsIndex?: boolean;
}

/** A page with a text of its own, or with a computed one. */
export interface DocumentRecord extends PageFacts, Reach {
  type: 'document';
  slug: string;
  description?: string;
  layout?: Partial<Schemas['PageLayout']>;
  cover?: Schemas['PageCover'];
  variables?: Record<string, string>;
  /** The id of the body; it stays when the text changes. */
  documentId: string;
  /** Hash of the markdown; absent where the body is computed. */
  body?: string;
  computed?: Schemas['ComputedPageSource'];
  computedSeed?: string;
}

/** A heading in the tree. */
export interface GroupRecord extends PageFacts, Reach {
  type: 'group';
  slug: string;
}

/** An entry that leads elsewhere. */
export interface LinkRecord extends PageFacts {
  type: 'link';
  target: Schemas['ContentRef'];
  href?: string;
  hidden?: boolean;
}

/** An entry in whose place computed pages come. */
export interface ComputedRecord extends PageFacts {
  type: 'computed';
  computed: Schemas['ComputedRevisionSource'];
}

/** A page as a revision stores it. */
export type PageRecord = DocumentRecord | GroupRecord | LinkRecord | ComputedRecord;

/** Size of an image in pixels. */
export interface Dimensions {
  width: number;
  height: number;
}

/** Stored bytes of a file. */
export interface StoredFile {
  /** Hash of the bytes. */
  blob: string;
  /** Size in bytes. */
  size: number;
  dimensions?: Dimensions;
}

/** A file as a revision stores it. */
export interface FileRecord extends StoredFile {
  id: string;
  name: string;
  contentType: string;
  /** When it came into the space; orders lists. */
  createdAt: string;
  git?: Schemas['GitObject'];
}

/** A piece of content that several pages include, as a revision stores it. */
export interface ReusableRecord {
  id: string;
  title: string;
  /** Hash of the markdown. */
  body: string;
  git?: Schemas['GitObject'];
}

/** How a page is laid out where nothing else was set. */
export const DEFAULT_LAYOUT: Schemas['PageLayout'] = {
  width: 'default',
  cover: true,
  coverSize: 'hero',
  title: true,
  description: true,
  tableOfContents: true,
  outline: true,
  pagination: true,
  metadata: true,
};

/** Values that expressions may use, by name. */
export type Variables = Record<string, string>;

/** A page in its place: what it stores, its path in the space, and the pages below it in order. */
export interface PageNode {
  record: PageRecord;
  path: string;
  pages: PageNode[];
}

/** The keys of the entries of a revision's pages and files. */
export const pageKey = (id: string): string => `p:${id}`;
/** The ids of the pages below a page, in order; of those at the top for null. */
export const childrenKey = (parent: string | null): string => `c:${parent ?? ''}`;
export const fileKey = (id: string): string => `f:${id}`;

/** The last part of a page's path; links and computed entries have none. */
export function slugOf(record: PageRecord): string | undefined {
  return record.type === 'document' || record.type === 'group' ? record.slug : undefined;
}

/** The path below a path: an entry without a slug adds nothing. */
export function pathBelow(path: string, record: PageRecord): string {
  return [path, slugOf(record) ?? ''].filter((part) => part !== '').join('/');
}

/** The pages of a tree, each before those below it. */
export function* walk(nodes: readonly PageNode[]): Generator<PageNode> {
  for (const node of nodes) {
    yield node;
    yield* walk(node.pages);
  }
}
