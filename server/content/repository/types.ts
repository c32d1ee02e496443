import type { Dimensions } from '../tree/records.ts';

/** Where a piece of content comes from in the repository. */
export interface GitOrigin {
  /** The id of the content. */
  oid: string;
  /** From the repository's root. Identifies the piece across imports. */
  path: string;
}

/** Something a page points to: an address, or a file of the repository by its path. */
export type ImportedReference = { kind: 'url'; url: string } | { kind: 'file'; path: string };

/** How a page is laid out. */
export interface ImportedLayout {
  width: 'default' | 'wide';
  cover: boolean;
  coverSize: 'hero' | 'full';
  title: boolean;
  description: boolean;
  tableOfContents: boolean;
  outline: boolean;
  pagination: boolean;
  metadata: boolean;
}

/** The image on top of a page. */
export interface ImportedCover {
  ref: ImportedReference;
  /** Instead of `ref` in dark mode. */
  refDark?: ImportedReference;
  /** Pixels by which the image is moved. */
  yPos: number;
}

/** Content that something else computes. */
export interface ImportedComputedSource {
  type: string;
  props: Record<string, unknown>;
  dependencies: Record<string, { ref: Record<string, unknown> & { kind: string } }>;
}

interface ImportedEntry {
  /**
   * Unique in the content and the same in each import of the same structure: the repository path of a page's
   * file, else a word for the variant, a colon, and what tells the entry from its siblings.
   */
  key: string;
  title: string;
}

/** A page with a body of its own. */
export interface ImportedDocument extends ImportedEntry {
  type: 'document';
  slug: string;
  path: string;
  description?: string;
  emoji?: string;
  icon?: string;
  /** The body, without front matter and without the heading that is the title. Perhaps read each time. */
  readonly markdown: string;
  layout: ImportedLayout;
  cover?: ImportedCover;
  variables: Record<string, string>;
  hidden: boolean;
  noIndex: boolean;
  noRobotsIndex: boolean;
  git: GitOrigin;
  pages: ImportedPage[];
}

/** A title over pages. */
export interface ImportedGroup extends ImportedEntry {
  type: 'group';
  slug: string;
  path: string;
  pages: ImportedPage[];
}

/** An entry of the tree that leads elsewhere. */
export interface ImportedLink extends ImportedEntry {
  type: 'link';
  target: ImportedReference;
}

/** An entry of the tree whose pages are computed. */
export interface ImportedComputed extends ImportedEntry {
  type: 'computed';
  computed: ImportedComputedSource;
}

/** A node of the page tree: a contract's page without ids, dates and addresses. */
export type ImportedPage = ImportedDocument | ImportedGroup | ImportedLink | ImportedComputed;

/** A file that pages use. Its content is read by `git.oid`. */
export interface ImportedFile {
  name: string;
  contentType: string;
  /** In bytes. */
  size: number;
  /** In pixels, of an image whose content was at hand; else see `imageDimensions`. */
  dimensions?: Dimensions;
  git: GitOrigin;
}

/** A piece of content that several pages include. */
export interface ImportedReusableContent {
  title: string;
  /** Perhaps read each time. */
  readonly markdown: string;
  git: GitOrigin;
}

/** Something in the repository that could not be used as written, in words for its author. */
export interface ContentProblem {
  /** The file at fault, from the repository's root. */
  path: string;
  message: string;
}

/** All that a repository says about a space's content. */
export interface ImportedContent {
  pages: ImportedPage[];
  files: ImportedFile[];
  reusableContents: ImportedReusableContent[];
  variables: Record<string, string>;
  problems: ContentProblem[];
}
