import { countDocuments } from '../repository/count.ts';
import type { ContentProblem, ImportedPage } from '../repository/types.ts';
import type { Dimensions } from '../tree/records.ts';

/** A file that pages use. */
export interface ConvertedFile {
  /** Unique key, such as its path or URL. */
  key: string;
  name: string;
  contentType: string;
  /** Dimensions of an image in pixels. */
  dimensions?: Dimensions;
  /** Size in bytes. */
  size: number;
  /** May be read on each access. */
  readonly content: Uint8Array;
}

/** A file of a source, read on each access. */
export interface SourceFile {
  /** Size in bytes. */
  size: number;
  read(): Uint8Array;
}

/** The files of a source by path, with slashes. */
export type SourceFiles = ReadonlyMap<string, SourceFile>;

/** The target of a URL in a page, by its key. */
export type ConvertedTarget = { kind: 'page' | 'file'; key: string };

/** A converted source. */
export interface Converted {
  /**
   * The pages, nested. `git.path` of a document is its key and its path in the source (an archive or site); it does
   * not refer to Git.
   */
  pages: ImportedPage[];
  files: ConvertedFile[];
  /** Values that expressions in the pages use. */
  variables: Record<string, string>;
  /**
   * Resolves a URL in a page; undefined if it leads outside the source.
   *
   * @param from key of the page
   */
  target(address: string, from: string): ConvertedTarget | undefined;
  /** Number of pages and files of the source, including omitted ones. */
  sourceEntries: number;
  /** What was omitted or could not be used as written. A path is that of a file of an archive, or a URL. */
  problems: ContentProblem[];
}

/** Limits of a conversion. */
export interface ConvertLimits {
  pages: number;
  /** Maximum size of everything fetched, and of everything unpacked. */
  bytes: number;
  /** Time limit for all fetches. */
  milliseconds: number;
}

/** Limits of an import if none are configured. */
export const DEFAULT_LIMITS: ConvertLimits = { pages: 1_000, bytes: 209_715_200, milliseconds: 60_000 };

/** Counts the imported pages and files. Groups and links in the tree are not counted. */
export function countConverted({ pages, files }: Pick<Converted, 'pages' | 'files'>): number {
  return countDocuments(pages) + files.length;
}
