type StoredChangeRequestStatus = 'draft' | 'open' | 'archived' | 'merged';

/** A branch of a space's content. */
export interface ChangeRequestsTable {
  id: string;
  organization: string;
  space: string;
  /** Sequence number within the space, starting at 1. */
  number: number;
  status: StoredChangeRequestStatus;
  subject: string;
  createdBy: string;
  createdAt: string;
  updatedAt: string;
  /** The current revision. */
  revision: string;
  /** The revision of the space that it is based on. */
  revisionInitial: string;
  /** The revision of the space that was last merged into it; null if none was. */
  revisionMergedAncestor: string | null;
  /** The revision of the space created by merging it. */
  revisionMerged: string | null;
  agentTaskId: string | null;
}
