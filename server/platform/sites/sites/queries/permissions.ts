import type { components } from '../../../../../generated/schema.d.ts';
import { type Membership, requireOrganizationPermission, roleFor } from '../../../../identity/membership.ts';
import { organizationPermissions } from '../../../../identity/permissions.ts';

type SitePermissions = components['schemas']['SitePermissions'];

/** Permissions that operations on a site require in its organization. */
const REQUIRED = { view: 'view', structure: 'createContent', admin: 'admin' } as const;

/** Permission on a site: to view it, to change its structure and publish it, or to change its settings. */
export type SitePermission = keyof typeof REQUIRED;

/**
 * Requires a permission on the sites that exist for a member.
 *
 * @throws ContractError 403 if the member lacks the permission
 */
export const requireSitePermission = (member: Membership, permission: SitePermission): void =>
  requireOrganizationPermission({ role: roleFor(member, 'site') }, REQUIRED[permission]);

/**
 * Returns the permissions on a site that exists for a member, which its operations enforce.
 *
 * @param member undefined for a visitor, who has none
 */
export function sitePermissions(member: Membership | undefined): SitePermissions {
  const granted = member && organizationPermissions(roleFor(member, 'site'));
  const has = (permission: SitePermission) => granted?.[REQUIRED[permission]] ?? false;
  return {
    view: has('view'),
    access: has('view'),
    edit: has('structure'),
    create: has('structure'),
    admin: has('admin'),
    // Installations install no integrations.
    installIntegration: member !== undefined && organizationPermissions(member.role).installIntegration,
    viewAdaptiveSchema: has('view'),
    editAdaptiveSchema: has('structure'),
  };
}
