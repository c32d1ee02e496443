import type { ComputedSource } from './content-root.ts';
import type { ContentObject } from './objects.ts';
import type { FileRecord, PageRecord, RedirectRecord, ReusableRecord, Variables } from './records.ts';

/** Changes to a revision's content. Omitted fields are unchanged; an entry with the value undefined is removed. */
export interface ContentChange {
  pages?: ReadonlyMap<string, PageRecord | undefined>;
  /** All IDs of the children of a page (null for the top level), in order. */
  children?: ReadonlyMap<string | null, readonly string[] | undefined>;
  files?: ReadonlyMap<string, FileRecord | undefined>;
  reusableContents?: readonly ReusableRecord[];
  variables?: Readonly<Variables>;
  redirects?: readonly RedirectRecord[];
  /** null: no longer computed. */
  computed?: ComputedSource | null;
  /** Markdown that records reference by the hash of {@link textObject}. */
  texts?: Iterable<ContentObject>;
}

/** Content that is ready to be stored. */
export interface PlannedContent {
  /** Hash of the root object. */
  root: string;
  objects: ContentObject[];
  /** Set if the objects are already stored: the number of preceding sweeps, see `storeAhead`. */
  storedAfterSweeps?: number;
}
