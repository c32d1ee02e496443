import type { Dimensions } from '../tree/records.ts';

/** The origin of an entity in the repository. */
export interface GitOrigin {
  /** Object ID of the content. */
  oid: string;
  /** Path from the repository's root. Identifies the entity across imports. */
  path: string;
}

/** The target of a reference: a URL, or a file of the repository by path. */
export type ImportedReference = { kind: 'url'; url: string } | { kind: 'file'; path: string };

/** The target of a link in the tree: a reference, or a page of the repository by the path of its file. */
export type ImportedTarget = ImportedReference | { kind: 'page'; path: string; anchor?: string };

/** Layout of a page. */
export interface ImportedLayout {
  width: 'default' | 'wide';
  cover: boolean;
  coverSize: 'hero' | 'full' | 'background';
  coverMask: 'none' | 'radial';
  title: boolean;
  description: boolean;
  tableOfContents: boolean;
  outline: boolean;
  pagination: boolean;
  metadata: boolean;
  tags: boolean;
  actions: boolean;
  anchors: boolean;
}

/** The cover image of a page. */
export interface ImportedCover {
  ref: ImportedReference;
  /** Replaces `ref` in dark mode. */
  refDark?: ImportedReference;
  /** Vertical offset of the image in pixels. */
  yPos: number;
}

/** The source of computed content. */
export interface ImportedComputedSource {
  type: string;
  props: Record<string, unknown>;
  dependencies: Record<string, { ref: Record<string, unknown> & { kind: string } }>;
}

interface ImportedEntry {
  /**
   * Unique in the content and equal in each import of the same structure: the repository path of a page's file,
   * otherwise a name of the variant, a colon, and a part that distinguishes the entry from its siblings.
   */
  key: string;
  title: string;
}

/** A page with its own body. */
export interface ImportedDocument extends ImportedEntry {
  type: 'document';
  slug: string;
  path: string;
  description?: string;
  emoji?: string;
  icon?: string;
  /** The body, without front matter and the heading that is the title. May be read on each access. */
  readonly markdown: string;
  /** How `markdown` was derived from its object, and its hash if an earlier import recorded it. */
  reading?: { variant: string; hash: string | undefined };
  layout: ImportedLayout;
  cover?: ImportedCover;
  variables: Record<string, string>;
  hidden: boolean;
  noIndex: boolean;
  noRobotsIndex: boolean;
  git: GitOrigin;
  /** Root folder of its absolute paths, if the page belongs to one of several books. */
  linksRoot?: string;
  pages: ImportedPage[];
}

/** A group of pages. */
export interface ImportedGroup extends ImportedEntry {
  type: 'group';
  slug: string;
  path: string;
  pages: ImportedPage[];
}

/** An entry of the tree that links to another target. */
export interface ImportedLink extends ImportedEntry {
  type: 'link';
  target: ImportedTarget;
}

/** An entry of the tree with computed pages. */
export interface ImportedComputed extends ImportedEntry {
  type: 'computed';
  computed: ImportedComputedSource;
}

/** A node of the page tree: a page of the contract without IDs, dates and URLs. */
export type ImportedPage = ImportedDocument | ImportedGroup | ImportedLink | ImportedComputed;

/** A file that pages use. Its content is read by `git.oid`. */
export interface ImportedFile {
  name: string;
  contentType: string;
  /** Size in bytes. */
  size: number;
  /** Dimensions in pixels of an image with loaded content; otherwise see `imageDimensions`. */
  dimensions?: Dimensions;
  git: GitOrigin;
}

/** Content that several pages include. */
export interface ImportedReusableContent {
  title: string;
  /** May be read on each access. */
  readonly markdown: string;
  /** Path of the file that its links are relative to, if it is not its own. */
  linksFrom?: string;
  /** Root folder of its absolute paths, if it belongs to one of several books. */
  linksRoot?: string;
  git: GitOrigin;
}

/**
 * Why a part of a repository could not be used as written.
 *
 * - `invalid_syntax`: YAML or a table of contents cannot be parsed.
 * - `invalid_value`: a setting has an unknown value, which was replaced or ignored.
 * - `not_found`: a file that is referred to does not exist in the repository.
 * - `duplicate`: an entry repeats another one.
 * - `unsupported`: a kind of file, entry or URL that the platform does not support.
 * - `too_large`: a limit was exceeded.
 * - `unreadable`: the content could not be read.
 * - `conflict`: the space has other changes of the same lines or settings.
 */
export type ProblemReason =
  | 'invalid_syntax'
  | 'invalid_value'
  | 'not_found'
  | 'duplicate'
  | 'unsupported'
  | 'too_large'
  | 'unreadable'
  | 'conflict';

/** A part of the repository that could not be used as written, described for its author. */
export interface ContentProblem {
  /** Path of the invalid file, from the repository's root. */
  path: string;
  /** Line in the file, from 1, if the problem is in a particular line. */
  line?: number;
  reason: ProblemReason;
  /** What happened, and how to fix it. */
  message: string;
}

/** An earlier path that leads to a page. */
export interface ImportedRedirect {
  /** Path in the space: decoded segments, separated by slashes. */
  from: string;
  /** Path of the page's file. */
  page: string;
  anchor?: string;
}

/** The content of a space in a repository. */
export interface ImportedContent {
  pages: ImportedPage[];
  files: ImportedFile[];
  reusableContents: ImportedReusableContent[];
  redirects: ImportedRedirect[];
  variables: Record<string, string>;
  /** Language that the repository declares, as a tag (BCP 47). */
  language?: string;
  /** Samples of the prose of pages, for a guess of the language. */
  samples: string[];
  problems: ContentProblem[];
}
