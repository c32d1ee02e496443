import type {
  GitOrigin,
  ImportedComputed,
  ImportedContent,
  ImportedCover,
  ImportedDocument,
  ImportedGroup,
  ImportedLink,
  ImportedRedirect,
  ImportedReusableContent,
} from '../types.ts';

/** The target of a reference: a URL, or a file of the content by ID. */
export type ExportedReference = { kind: 'url'; url: string } | { kind: 'file'; file: string };

/** The target of a link in the tree: a reference, or a page by ID. */
export type ExportedTarget = ExportedReference | { kind: 'page'; page: string; anchor?: string };

interface ExportedEntry {
  id: string;
}

/** The cover image of a page. */
export interface ExportedCover extends Omit<ImportedCover, 'ref' | 'refDark'> {
  ref: ExportedReference;
  refDark?: ExportedReference;
}

/** A page to write. `git` is its origin at the last synchronization with the repository. */
export interface ExportedDocument
  extends ExportedEntry,
    Omit<ImportedDocument, 'key' | 'git' | 'cover' | 'pages'> {
  git?: GitOrigin;
  cover?: ExportedCover;
  pages: ExportedPage[];
}

/** A group of pages. */
export interface ExportedGroup extends ExportedEntry, Omit<ImportedGroup, 'key' | 'pages'> {
  pages: ExportedPage[];
}

/** An entry that links to another target. */
export interface ExportedLink extends ExportedEntry, Omit<ImportedLink, 'key' | 'target'> {
  target: ExportedTarget;
}

/** An entry with computed pages. */
export type ExportedComputed = ExportedEntry & Omit<ImportedComputed, 'key'>;

/** A node of the page tree to write, equal to that of the reader except for IDs instead of keys. */
export type ExportedPage = ExportedDocument | ExportedGroup | ExportedLink | ExportedComputed;

/** A file to write. Its bytes are supplied by the calling function. */
export interface ExportedFile extends ExportedEntry {
  name: string;
  /** Size in bytes. */
  size: number;
  git?: GitOrigin;
}

/** A reusable content to write. */
export interface ExportedReusableContent extends ExportedEntry, Omit<ImportedReusableContent, 'git'> {
  git?: GitOrigin;
}

/** An earlier path that leads to a page by ID. */
export type ExportedRedirect = ImportedRedirect;

/** The content of a space to write to a repository. */
export interface ExportedContent extends Pick<ImportedContent, 'variables'> {
  pages: ExportedPage[];
  files: ExportedFile[];
  reusableContents: ExportedReusableContent[];
  redirects: ExportedRedirect[];
}

/** Yields the pages of a tree, each before its descendants. */
export function* walkExported(pages: readonly ExportedPage[]): Generator<ExportedPage> {
  for (const page of pages) {
    yield page;
    if ('pages' in page) {
      yield* walkExported(page.pages);
    }
  }
}
