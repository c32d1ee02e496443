import type { Flag } from '../../json.ts';

type StoredReviewStatus = 'approved' | 'changes-requested';

/** A review of a change request. */
export interface ReviewsTable {
  id: string;
  organization: string;
  space: string;
  changeRequest: string;
  /** The revision of the change request that was reviewed. */
  revision: string;
  reviewer: string;
  /** The user who requested it; null if nobody did. */
  requestedBy: string | null;
  status: StoredReviewStatus;
  /** Whether a later review by the reviewer, or a later request to them, replaces it. */
  outdated: Flag;
  createdAt: string;
  updatedAt: string;
}

/** A user who was requested to review a change request, also after their review. */
export interface RequestedReviewersTable {
  organization: string;
  space: string;
  changeRequest: string;
  reviewer: string;
  requestedBy: string;
  /** The revision of the change request at the time of the request. */
  revision: string;
  createdAt: string;
}
