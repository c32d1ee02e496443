import type { Selectable } from 'kysely';
import type { components } from '../../../generated/schema.d.ts';
import type { LinkInvitesTable } from '../../database/schema/invitations.ts';
import type { ResourceUrls } from '../../models/resource-urls.ts';

/** Converts an invite link to an organization, a space or a collection to its representation in the API. */
export function presentLink(
  row: Selectable<LinkInvitesTable>,
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
    return { ...invite, role: row.role };
  }
  return row.targetKind === 'space'
    ? { ...invite, level, space: target }
    : { ...invite, level, collection: target };
}
