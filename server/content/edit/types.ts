import type { components } from '../../../generated/schema.d.ts';
import type { CreateId } from '../../database/seams.ts';
import type { ContentChange } from '../tree/change.ts';
import type { Content } from '../tree/content.ts';
import type { DocumentRecord, StoredFile } from '../tree/records.ts';

type Schemas = components['schemas'];

/** Adds a page. The text is already converted to Markdown, whatever the format in the request. */
export type InsertPage = Omit<Schemas['InsertPage'], 'document'> & {
  markdown: string;
  /** Settings other than title and text. */
  settings?: Pick<DocumentRecord, 'description' | 'emoji' | 'icon'>;
};

/** Adds an entry for computed pages at the end of the tree. Not available in requests. */
export interface InsertComputed {
  operation: 'insert_computed';
  title: string;
  computed: Schemas['ComputedRevisionSource'];
}

/** Updates or moves a page. Omitted fields are unchanged. */
export type UpdatePage = Omit<Schemas['UpdatePage'], 'document'> & {
  /** Markdown, or a function that returns it for the current text of the page. */
  markdown?: string | ((current: CurrentText) => Promise<string>);
};

/** The text of a page before an edit. */
export interface CurrentText {
  markdown: string;
  page: string;
  /** The content before all edits, which may not yet contain the page. */
  content: Content;
}

export type DeletePage = Schemas['DeletePage'];
export type RevertPage = Schemas['RevertPage'];

/** A file to add: its bytes, or the stored file. */
export type NewFile = {
  name: string;
  ref?: string;
  /** Derived from the name by default. */
  contentType?: string;
} & ({ bytes: Uint8Array } | { stored: StoredFile });

/** Adds files. */
export interface InsertFiles {
  operation: 'insert_files';
  files: readonly NewFile[];
}

/** An edit of content. */
export type Edit = InsertPage | InsertComputed | UpdatePage | DeletePage | RevertPage | InsertFiles;

/** Context of edits. */
export interface EditContext {
  now: Date;
  createId: CreateId;
  /** Path of the edits in the request, for errors. Defaults to `changes`. */
  at?: string;
  /**
   * Returns the content of a revision of the space by the ID in an edit, or of the default one without an ID;
   * undefined if it does not exist. Without this function, nothing can be reverted.
   */
  revision?: (id: string | undefined) => Promise<Content | undefined>;
}

/** The changes of edits, with the bytes of added files that are not stored yet. */
export type PlannedEdits = ContentChange & { bytes: Uint8Array[] };
