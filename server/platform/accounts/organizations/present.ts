import type { Selectable } from 'kysely';
import type { components } from '../../../../generated/schema.d.ts';
import { readJson } from '../../../database/json.ts';
import type { OrganizationsTable } from '../../../database/schema/accounts/organizations.ts';
import type { Role } from '../../../identity/levels.ts';
import { organizationPermissions } from '../../../identity/permissions.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';

/**
 * Converts an organization to its representation in the API for one of its members.
 *
 * @param role the member's role; null for a guest
 */
export function presentOrganization(
  row: Selectable<OrganizationsTable>,
  role: Role | null,
  resourceUrls: ResourceUrls,
): components['schemas']['Organization'] {
  const defaultContent = readJson(row.defaultContent);
  return {
    object: 'organization',
    id: row.id,
    title: row.title,
    createdAt: row.createdAt,
    emailDomains: readJson(row.emailDomains),
    ...(row.hostname !== null && { hostname: row.hostname }),
    type: row.type,
    ...(row.useCase !== null && { useCase: row.useCase }),
    ...(row.communityType !== null && { communityType: row.communityType }),
    ...(row.hasDefaultRole === 1 && { defaultRole: row.defaultRole }),
    ...(defaultContent && { defaultContent }),
    sso: row.sso === 1,
    ai: row.ai === 1,
    inviteLinks: row.inviteLinks === 1,
    plan: row.plan,
    internal_isOnNewTrial: true,
    trial: { status: 'notapplicable', count: 0 },
    urls: { ...resourceUrls.organization(row.id), ...(row.logo !== null && { logo: row.logo }) },
    permissions: organizationPermissions(role ?? undefined),
  };
}
