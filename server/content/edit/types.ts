import type { components } from '../../../generated/schema.d.ts';
import type { MakeId } from '../../database/seams.ts';
import type { ContentChange } from '../tree/change.ts';
import type { Content } from '../tree/content.ts';
import type { DocumentRecord, StoredFile } from '../tree/records.ts';

type Schemas = components['schemas'];

/** Adds a page. The text is markdown already, whatever form a request gave it in. */
export type InsertPage = Omit<Schemas['InsertPage'], 'document'> & {
  markdown: string;
  /** What a new page has beside its title and its text. */
  settings?: Pick<DocumentRecord, 'description' | 'emoji' | 'icon'>;
};

/** Adds an entry at the end of the tree in whose place computed pages come. No request can ask for it. */
export interface InsertComputed {
  operation: 'insert_computed';
  title: string;
  computed: Schemas['ComputedRevisionSource'];
}

/** Changes a page, or moves it; what is left out stays. */
export type UpdatePage = Omit<Schemas['UpdatePage'], 'document'> & { markdown?: string };

export type DeletePage = Schemas['DeletePage'];
export type RevertPage = Schemas['RevertPage'];

/** A file to add: its bytes, or what was stored of it. */
export type NewFile = {
  name: string;
  ref?: string;
  /** Told from the name when left out. */
  contentType?: string;
} & ({ bytes: Uint8Array } | { stored: StoredFile });

/** Adds files. */
export interface InsertFiles {
  operation: 'insert_files';
  files: readonly NewFile[];
}

/** One edit. */
export type Edit = InsertPage | InsertComputed | UpdatePage | DeletePage | RevertPage | InsertFiles;

/** What edits are made with. */
export interface EditFacts {
  now: Date;
  makeId: MakeId;
  /** Where the edits stand in the request, for what errors name: `changes` when left out. */
  at?: string;
  /**
   * The content of a revision of the space to revert to, by the id that an edit names, or by none; undefined for
   * one that is not there. Without it, nothing can be reverted.
   */
  revision?: (id: string | undefined) => Promise<Content | undefined>;
}

/** What edits change, with the bytes of the files that they add and that are not stored yet. */
export type PlannedEdits = ContentChange & { bytes: Uint8Array[] };
