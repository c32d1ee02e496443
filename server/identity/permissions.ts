import type { components } from '../../generated/schema.d.ts';
import { notFound, permissionMissing } from '../errors/errors.ts';
import { includesLevel, type Role } from './levels.ts';

type Schemas = components['schemas'];

/** The `permissions` object of a kind of resource. */
type PermissionsOf<Kind extends 'Organization' | 'Space' | 'Collection'> = Schemas[Kind]['permissions'];

/** The level that each permission requires: on the resource, or in its organization. */
type RequiredLevels<Permissions> = Readonly<Record<keyof Permissions, Role | { organization: Role }>>;

/** The levels that `permissions` reports and operations enforce. */
const SPACE = {
  view: 'read',
  access: 'read',
  comment: 'comment',
  edit: 'edit',
  review: 'review',
  merge: 'review',
  triggerGitSync: 'create',
  viewInviteLinks: 'admin',
  admin: 'admin',
  installIntegration: { organization: 'admin' },
} as const satisfies RequiredLevels<PermissionsOf<'Space'>>;

const COLLECTION = {
  view: 'read',
  create: 'create',
  viewInviteLinks: 'admin',
  admin: 'admin',
} as const satisfies RequiredLevels<PermissionsOf<'Collection'>>;

/** `member` is every member of the organization, including guests. */
const ORGANIZATION = {
  view: 'member',
  access: 'member',
  listMembers: 'member',
  listTeams: 'member',
  listIntegrations: 'member',
  listInstallations: 'read',
  createContent: 'create',
  createOpenAPISpec: 'create',
  ingestConversations: 'create',
  ownTeam: 'admin',
  viewBilling: 'admin',
  installIntegration: 'admin',
  admin: 'admin',
} as const satisfies Readonly<Record<keyof PermissionsOf<'Organization'>, Role | 'member'>>;

/** Permissions on a space. */
export type SpacePermission = keyof typeof SPACE;
/** Permissions on a collection. */
export type CollectionPermission = keyof typeof COLLECTION;
/** Permissions in an organization. */
export type OrganizationPermission = keyof typeof ORGANIZATION;

/** The caller's levels on a resource and in its organization. */
export interface ResourceLevels {
  level: Role | undefined;
  organization: Role | undefined;
}

const computePermissions = <Key extends string, Level>(
  levels: Readonly<Record<Key, Level>>,
  includes: (required: Level) => boolean,
): Record<Key, boolean> =>
  // The entries of an object have the object's keys.
  Object.fromEntries(
    Object.entries<Level>(levels).map(([key, required]) => [key, includes(required)]),
  ) as Record<Key, boolean>;

const onResource = (levels: ResourceLevels) => (required: Role | { organization: Role }) =>
  typeof required === 'string'
    ? includesLevel(levels.level, required)
    : includesLevel(levels.organization, required.organization);

/** The permissions on a space by pairs of levels: the structure of a site presents those of a thousand spaces. */
const spacePermissionsByLevels = new Map<string, PermissionsOf<'Space'>>();

/** Returns the caller's permissions on a space, which its operations enforce. */
export function spacePermissions(levels: ResourceLevels): PermissionsOf<'Space'> {
  const key = `${levels.level} ${levels.organization}`;
  const existing = spacePermissionsByLevels.get(key);
  if (existing) {
    return existing;
  }
  const permissions = computePermissions<SpacePermission, Role | { organization: Role }>(
    SPACE,
    onResource(levels),
  );
  spacePermissionsByLevels.set(key, permissions);
  return permissions;
}

/** Returns the caller's permissions on a collection. */
export const collectionPermissions = (levels: ResourceLevels): PermissionsOf<'Collection'> =>
  computePermissions<CollectionPermission, Role | { organization: Role }>(COLLECTION, onResource(levels));

/**
 * Returns the permissions of a member in an organization.
 *
 * @param role the member's role, undefined for a guest
 */
export const organizationPermissions = (role: Role | undefined): PermissionsOf<'Organization'> =>
  computePermissions<OrganizationPermission, Role | 'member'>(
    ORGANIZATION,
    (required) => required === 'member' || includesLevel(role, required),
  );

/** The permissions in an organization of a caller who is not its member. */
export const NO_ORGANIZATION_PERMISSIONS: PermissionsOf<'Organization'> = computePermissions<
  OrganizationPermission,
  Role | 'member'
>(ORGANIZATION, () => false);

/**
 * Returns the permissions of a caller on an integration.
 *
 * @param owner the role in the organization that published it; null for a guest, undefined if the caller is no member
 */
export const integrationPermissions = (owner: {
  role: Role | null | undefined;
}): Schemas['IntegrationPermissions'] => ({ admin: organizationPermissions(owner.role ?? undefined).admin });

/**
 * Returns the permissions of a member of an organization on one of its teams. Every member can view it; its owners
 * and members with the permission `ownTeam` can manage it.
 *
 * @param own the member's role in the team; undefined if they are not in it
 */
export const teamPermissions = (
  role: Role | undefined,
  own: Schemas['TeamRole'] | undefined,
): Schemas['TeamPermissions'] => ({
  admin: own === 'owner' || organizationPermissions(role).ownTeam,
  view: true,
});

/** Returns a member's permissions on the OpenAPI specifications of the organization. Every member can view them. */
export const openAPISpecPermissions = (role: Role | undefined): Schemas['OpenAPIPermissions'] => ({
  view: organizationPermissions(role).view,
  edit: organizationPermissions(role).createOpenAPISpec,
});

/** Returns a member's permissions on the translations of the organization. Every member can view them. */
export const translationPermissions = (role: Role | undefined): Schemas['TranslationPermissions'] => ({
  view: organizationPermissions(role).view,
  edit: organizationPermissions(role).createContent,
});

/**
 * Requires a permission on a space.
 *
 * @throws ContractError 404 without `view`, 403 without the permission
 */
export function requireSpacePermission(levels: ResourceLevels, permission: SpacePermission): void {
  const permissions = spacePermissions(levels);
  if (!permissions.view) {
    throw notFound('space');
  }
  if (!permissions[permission]) {
    throw permissionMissing('space', permission);
  }
}

/**
 * Requires a permission on a collection.
 *
 * @throws ContractError 404 without `view`, 403 without the permission
 */
export function requireCollectionPermission(levels: ResourceLevels, permission: CollectionPermission): void {
  const permissions = collectionPermissions(levels);
  if (!permissions.view) {
    throw notFound('collection');
  }
  if (!permissions[permission]) {
    throw permissionMissing('collection', permission);
  }
}
