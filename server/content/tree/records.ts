import type { components } from '../../../generated/schema.d.ts';

type Schemas = components['schemas'];

/*
 * Records of a revision, in terms of the contract. Fields with a default (layout, visibility flags) are stored only if
 * they were set. URLs depend on the server and are not stored.
 */

/** Fields of all pages. */
interface PageFields {
  id: string;
  /** Parent page; null at the top level. */
  parent: string | null;
  title: string;
  emoji?: string;
  icon?: string;
  /** Both are absent until the first edit. */
  createdAt?: string;
  updatedAt?: string;
  git?: Schemas['GitObject'];
  /** Identifies an entry without a file of its own among those of the same repository, across imports. */
  origin?: string;
}

interface VisibilityFields {
  hidden?: boolean;
  noIndex?: boolean;
  noRobotsIndex?: boolean;
}

/** A page with its own or a computed text. */
export interface DocumentRecord extends PageFields, VisibilityFields {
  type: 'document';
  slug: string;
  description?: string;
  layout?: Partial<Schemas['PageLayout']>;
  cover?: Schemas['PageCover'];
  variables?: Record<string, string>;
  /** ID of the body. Unchanged when the text changes. */
  documentId: string;
  /** Folder of the repository that is the root of its absolute paths, if the page belongs to one of several books. */
  linksRoot?: string;
  /** Hash of the Markdown. Absent if the body is computed. */
  body?: string;
  computed?: Schemas['ComputedPageSource'];
  computedSeed?: string;
}

/** A heading in the tree. */
export interface GroupRecord extends PageFields, VisibilityFields {
  type: 'group';
  slug: string;
}

/** A link in the tree. */
export interface LinkRecord extends PageFields {
  type: 'link';
  target: Schemas['ContentRef'];
  href?: string;
  hidden?: boolean;
}

/** An entry that is replaced by computed pages. */
export interface ComputedRecord extends PageFields {
  type: 'computed';
  computed: Schemas['ComputedRevisionSource'];
}

/** A page as stored in a revision. */
export type PageRecord = DocumentRecord | GroupRecord | LinkRecord | ComputedRecord;

/** Size of an image in pixels. */
export interface Dimensions {
  width: number;
  height: number;
}

/** Stored content of a file. */
export interface StoredFile {
  /** Hash of the bytes. */
  blob: string;
  /** Size in bytes. */
  size: number;
  dimensions?: Dimensions;
}

/** A file as stored in a revision. */
export interface FileRecord extends StoredFile {
  id: string;
  name: string;
  contentType: string;
  /** Time of addition to the space. Determines the order of lists. */
  createdAt: string;
  git?: Schemas['GitObject'];
}

/** Content that several pages can include, as stored in a revision. */
export interface ReusableRecord {
  id: string;
  title: string;
  /** Hash of the Markdown. */
  body: string;
  /** Path of the file that its links are relative to, if it is not its own. */
  linksFrom?: string;
  /** Folder of the repository that is the root of its absolute paths, if it belongs to one of several books. */
  linksRoot?: string;
  git?: Schemas['GitObject'];
}

/** Default layout of a page. */
export const DEFAULT_LAYOUT: Schemas['PageLayout'] = {
  width: 'default',
  cover: true,
  coverSize: 'hero',
  coverMask: 'none',
  title: true,
  description: true,
  tableOfContents: true,
  outline: true,
  pagination: true,
  metadata: true,
  tags: true,
  actions: true,
  anchors: true,
};

/** An earlier path of the space that leads to a page, as stored in a revision. */
export interface RedirectRecord {
  /** Decoded segments, separated by slashes. */
  from: string;
  /** ID of the page, which may no longer exist. */
  page: string;
  anchor?: string;
}

/** Variables of expressions by name. */
export type Variables = Record<string, string>;

/** A node of the page tree: a record, its path in the space, and its children in order. */
export interface PageNode {
  record: PageRecord;
  path: string;
  pages: PageNode[];
}

/** Returns the key of a page among the entries of a revision. */
export const pageKey = (id: string): string => `p:${id}`;
/** Returns the key of the ordered IDs of a page's children; null for the top level. */
export const childrenKey = (parent: string | null): string => `c:${parent ?? ''}`;
/** Returns the key of a file among the entries of a revision. */
export const fileKey = (id: string): string => `f:${id}`;

/** Returns the last segment of a page's path; undefined for links and computed entries. */
export function slugOf(record: PageRecord): string | undefined {
  return record.type === 'document' || record.type === 'group' ? record.slug : undefined;
}

/** Returns the path of a page under a parent path. An entry without a slug adds no segment. */
export function pathWithin(path: string, record: PageRecord): string {
  return [path, slugOf(record) ?? ''].filter((part) => part !== '').join('/');
}

/** Lists the pages of a tree, each before its descendants. */
export function* walk(nodes: readonly PageNode[]): Generator<PageNode> {
  for (const node of nodes) {
    yield node;
    yield* walk(node.pages);
  }
}
