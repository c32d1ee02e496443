import type { components } from '../../../../generated/schema.d.ts';
import { presentUser } from '../../accounts/users/present.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';
import { ancestorOf, type ChangeRequestRow } from './queries.ts';

/** Converts a change request to its representation in the API. */
export function presentChangeRequest(
  row: ChangeRequestRow,
  resourceUrls: ResourceUrls,
): components['schemas']['ChangeRequest'] {
  const creator = {
    id: row.createdBy,
    email: row.creatorEmail,
    displayName: row.creatorDisplayName,
    photoURL: row.creatorPhotoURL,
    createdAt: row.creatorCreatedAt,
  };
  return {
    object: 'change-request',
    id: row.id,
    space: row.space,
    number: row.number,
    status: row.status,
    subject: row.subject,
    createdBy: presentUser(creator, resourceUrls),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    revision: row.revision,
    revisionInitial: row.revisionInitial,
    ...(row.revisionMergedAncestor !== null && { revisionMergedAncestor: row.revisionMergedAncestor }),
    ...(row.revisionMerged !== null && { revisionMerged: row.revisionMerged }),
    comments: row.comments,
    outdated: isOutdated(row),
    urls: resourceUrls.changeRequest(row.space, row.id),
  };
}

/** Returns whether the primary content has changed since the change request was last updated to it. False if merged. */
const isOutdated = (row: ChangeRequestRow): boolean =>
  row.status !== 'merged' && ancestorOf(row) !== row.spaceRevision;
