/** The input of the PDF renderer. */

import type { Block, Reference } from '../markdown/document.ts';
import type { PrintableImage } from './images.ts';

/** An entry of the content, in the order of the tree: a page, or an entry that has no page of its own. */
export type PrintedEntry = PrintedPage | ListedEntry;

/** Fields of all entries. */
interface EntryFields {
  id: string;
  title: string;
  /** 0 for the top level. */
  depth: number;
}

/** An entry that has no page of its own, but a line in the table of contents. */
export interface ListedEntry extends EntryFields {
  /** Target of the line; undefined for a group: its line leads to the first page in it. */
  target: ReferenceLink | undefined;
}

/** A page with a text. */
export interface PrintedPage extends EntryFields {
  description?: string;
  emoji?: string;
  icon?: string;
  /** Reads the body of the page when it is about to be printed. */
  read(): Promise<PrintedBody>;
}

/** The body of a page. */
export interface PrintedBody {
  nodes: readonly Block[];
  /** Returns the target of a reference of the page. */
  reach(reference: Reference): ReferenceLink;
  /** Returns the blocks of a reusable content that the page includes. */
  included?(reference: Reference): readonly Block[] | undefined;
  /** Returns an image of the content; undefined for other images, and for files that are no image. */
  readImage(reference: Reference): Promise<PrintableImage | undefined>;
}

/** The target of a reference. */
export interface ReferenceLink {
  /** A page's title, a file's name, or the URL itself. */
  name: string;
  /** Whether the name is a title, and not how the reference is written. */
  isTitled?: boolean;
  /** Title of the section that the reference leads to. */
  section?: string;
  icon?: string;
  emoji?: string;
  /** URL for readers; undefined if there is none. */
  url?: string;
  /** ID of the target page of the content, which may be part of the document. */
  page?: string;
  /** Anchor in that page. */
  anchor?: string;
}
