/** What is given to be printed. */
import type { Block, Reference } from '../markdown/document.ts';

/** A page of the content, in its place of the contents. */
export interface PrintedPage {
  id: string;
  title: string;
  /** 0 for the top. */
  depth: number;
  description?: string;
  /** Reads what the page says, when its turn comes. */
  read(): Promise<PrintedBody>;
}

/** What a page says. */
export interface PrintedBody {
  nodes: readonly Block[];
  /** What a reference of the page leads to. */
  reach(reference: Reference): Reached;
  /** The blocks of a reusable content that the page includes. */
  included?(reference: Reference): readonly Block[] | undefined;
  /** The bytes of an image of the content; undefined for any other, and for what is none. */
  readImage(reference: Reference): Promise<Uint8Array | undefined>;
}

/** Where a reference leads. */
export interface Reached {
  /** The name of what is there: a page's title, a file's name, or the address itself. */
  name: string;
  /** Where readers find it; left out for what has no address. */
  url?: string;
  /** The page of the content that it is, by its id, perhaps among those that are printed. */
  page?: string;
  /** The place within that page. */
  anchor?: string;
}
