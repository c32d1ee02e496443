import type { ImportedPage } from '../repository/types.ts';
import type { Dimensions } from '../tree/records.ts';

/** A file that came along with pages. */
export interface ConvertedFile {
  /** What tells it from the others, such as its path or address. */
  key: string;
  name: string;
  contentType: string;
  /** In pixels, of an image. */
  dimensions?: Dimensions;
  /** In bytes. */
  size: number;
  /** Perhaps read each time. */
  readonly content: Uint8Array;
}

/** A file of a source, which is read each time it is asked for. */
export interface SourceFile {
  /** In bytes. */
  size: number;
  read(): Uint8Array;
}

/** The files of a source by their paths, with slashes. */
export type SourceFiles = ReadonlyMap<string, SourceFile>;

/** What an address in a page leads to, by its key. */
export type ConvertedTarget = { kind: 'page' | 'file'; key: string };

/** What a source became. */
export interface Converted {
  /**
   * The pages, nested. What a document says to have come from (`git.path`) is its key and where it stood in the
   * source, an archive or a site, and nothing of Git.
   */
  pages: ImportedPage[];
  files: ConvertedFile[];
  /** Values that expressions in the pages use. */
  variables: Record<string, string>;
  /**
   * What an address leads to that is written in a page; undefined for one that leads elsewhere.
   *
   * @param from the key of the page
   */
  target(address: string, from: string): ConvertedTarget | undefined;
  /** How many pages and files the source has, the ones that were left out included. */
  found: number;
}

/** What a conversion may take and bring. */
export interface ConvertLimits {
  pages: number;
  /** Of everything that is fetched, and of everything when it is unpacked. */
  bytes: number;
  /** For everything that is fetched. */
  milliseconds: number;
}

/** The limits of a server that nobody told otherwise. */
export const DEFAULT_LIMITS: ConvertLimits = { pages: 1_000, bytes: 209_715_200, milliseconds: 60_000 };

/** How many pages and files a conversion brings. Titles over pages and links in the tree are neither. */
export function countTaken({ pages, files }: Pick<Converted, 'pages' | 'files'>): number {
  return countDocuments(pages) + files.length;
}

function countDocuments(pages: readonly ImportedPage[]): number {
  return pages.reduce(
    (count, page) =>
      count + Number(page.type === 'document') + ('pages' in page ? countDocuments(page.pages) : 0),
    0,
  );
}
