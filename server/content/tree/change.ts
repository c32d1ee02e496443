import type { ComputedSource } from './content-root.ts';
import type { ContentObject } from './objects.ts';
import type { FileRecord, PageRecord, ReusableRecord, Variables } from './records.ts';

/** What to change in a revision's content; what is not named stays. undefined removes an entry. */
export interface ContentChange {
  pages?: ReadonlyMap<string, PageRecord | undefined>;
  /** The ids of the pages below a page (null: at the top), all of them, in order. */
  children?: ReadonlyMap<string | null, readonly string[] | undefined>;
  files?: ReadonlyMap<string, FileRecord | undefined>;
  reusableContents?: readonly ReusableRecord[];
  variables?: Readonly<Variables>;
  /** null: no longer computed. */
  computed?: ComputedSource | null;
  /** Markdown that records name by the hash that {@link textObject} gives it. */
  texts?: Iterable<ContentObject>;
}

/** Content that is ready to be stored. */
export interface PlannedContent {
  /** Hash of the root object. */
  root: string;
  objects: ContentObject[];
  /** Set where the objects are stored already: how many sweeps there were before, see `storeAhead`. */
  storedAfterSweeps?: number;
}
