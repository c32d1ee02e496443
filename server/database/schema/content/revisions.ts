import type { JsonText } from '../../json.ts';

/** The commit that a revision was imported from or exported to. */
export interface RevisionGit {
  oid: string;
  message: string;
  createdByService: boolean;
  url?: string;
  ref?: string;
}

/** An immutable version of a space's content. */
export interface RevisionsTable {
  id: string;
  organization: string;
  space: string;
  type: 'edits' | 'merge' | 'rollback' | 'update' | 'computed';
  /** Hash of the root object of the content. */
  root: string;
  parents: JsonText<string[]>;
  git: JsonText<RevisionGit> | null;
  createdAt: string;
  createdBy: string | null;
  /** The change request that the revision belongs to; null for the primary content. */
  changeRequest: string | null;
}
