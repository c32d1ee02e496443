import type {
  GitOrigin,
  ImportedComputed,
  ImportedContent,
  ImportedCover,
  ImportedDocument,
  ImportedGroup,
  ImportedLink,
  ImportedReusableContent,
} from '../types.ts';

/** Something a page points to: an address, or a file of the content by its id. */
export type ExportedReference = { kind: 'url'; url: string } | { kind: 'file'; file: string };

interface ExportedEntry {
  id: string;
}

/** The image on top of a page. */
export interface ExportedCover extends Omit<ImportedCover, 'ref' | 'refDark'> {
  ref: ExportedReference;
  refDark?: ExportedReference;
}

/** A page to write; `git` says where it stood when the content was last in step with the repository. */
export interface ExportedDocument
  extends ExportedEntry,
    Omit<ImportedDocument, 'key' | 'git' | 'cover' | 'pages'> {
  git?: GitOrigin;
  cover?: ExportedCover;
  pages: ExportedPage[];
}

/** A title over pages. */
export interface ExportedGroup extends ExportedEntry, Omit<ImportedGroup, 'key' | 'pages'> {
  pages: ExportedPage[];
}

/** An entry that leads elsewhere. */
export interface ExportedLink extends ExportedEntry, Omit<ImportedLink, 'key' | 'target'> {
  target: ExportedReference;
}

/** An entry whose pages are computed. */
export type ExportedComputed = ExportedEntry & Omit<ImportedComputed, 'key'>;

/** A node of the page tree to write: what the reader reads, with ids in the place of keys. */
export type ExportedPage = ExportedDocument | ExportedGroup | ExportedLink | ExportedComputed;

/** A file to write; its bytes are the caller's. */
export interface ExportedFile extends ExportedEntry {
  name: string;
  /** In bytes. */
  size: number;
  git?: GitOrigin;
}

/** A piece of content that several pages include, to write. */
export interface ExportedReusableContent extends ExportedEntry, Omit<ImportedReusableContent, 'git'> {
  git?: GitOrigin;
}

/** All that a repository is to say. */
export interface ExportedContent extends Pick<ImportedContent, 'variables'> {
  pages: ExportedPage[];
  files: ExportedFile[];
  reusableContents: ExportedReusableContent[];
}

/** The pages of a tree, each before those below it. */
export function* walkExported(pages: readonly ExportedPage[]): Generator<ExportedPage> {
  for (const page of pages) {
    yield page;
    if ('pages' in page) yield* walkExported(page.pages);
  }
}
