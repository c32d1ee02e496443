import type { Selectable } from 'kysely';
import type { components } from '../../../../generated/schema.d.ts';
import type { LinkInvitesTable } from '../../../database/schema/accounts/invitations.ts';
import { includesLevel } from '../../../identity/levels.ts';
import type { Membership } from '../../../identity/membership.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';

/**
 * Converts an invite link to an organization, a space or a collection to its representation in the API.
 *
 * @param access the membership of the caller
 */
export function presentLink(
  row: Selectable<LinkInvitesTable>,
  access: Membership,
  resourceUrls: ResourceUrls,
): components['schemas']['LinkInvite'] {
  const { id, organization, createdAt, target, level } = row;
  const invite = {
    object: 'invite' as const,
    id,
    createdAt,
    urls: resourceUrls.linkInvite(organization, id),
  };
  if (target === null || level === null) {
    const { role } = row;
    return { ...invite, role, redundant: role === null || includesLevel(access.role, role) };
  }
  return row.targetKind === 'space'
    ? { ...invite, level, space: target }
    : { ...invite, level, collection: target };
}
