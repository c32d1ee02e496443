import type { components } from '../../generated/schema.d.ts';
import { type Role, reaches } from './levels.ts';

type Schemas = components['schemas'];

/** What a `permissions` object says of one kind of thing. */
type PermissionsOf<Kind extends 'Organization' | 'Space' | 'Collection'> = Schemas[Kind]['permissions'];

/** The level that each permission needs: on the thing itself, or in the organization that owns it. */
type Needs<Permissions> = Readonly<Record<keyof Permissions, Role | { organization: Role }>>;

/** additions, "level needed": one table for what `permissions` says and what operations enforce. */
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
} as const satisfies Needs<PermissionsOf<'Space'>>;

const COLLECTION = {
  view: 'read',
  create: 'create',
  viewInviteLinks: 'admin',
  admin: 'admin',
} as const satisfies Needs<PermissionsOf<'Collection'>>;

/** `member`: anyone who belongs to the organization, a guest too. */
const ORGANIZATION = {
  view: 'member',
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

export type SpacePermission = keyof typeof SPACE;
export type CollectionPermission = keyof typeof COLLECTION;
export type OrganizationPermission = keyof typeof ORGANIZATION;

/** The caller's level on a thing, and in the organization that owns it. */
export interface Standing {
  level: Role | undefined;
  organization: Role | undefined;
}

const computed = <Key extends string, Need>(
  needs: Readonly<Record<Key, Need>>,
  gives: (need: Need) => boolean,
): Record<Key, boolean> =>
  // The entries of an object have the object's keys.
  Object.fromEntries(Object.entries<Need>(needs).map(([key, need]) => [key, gives(need)])) as Record<
    Key,
    boolean
  >;

const onThing = (standing: Standing) => (need: Role | { organization: Role }) =>
  typeof need === 'string'
    ? reaches(standing.level, need)
    : reaches(standing.organization, need.organization);

/** What the caller may do to a space; the operations on it are guarded by the same answer. */
export const spacePermissions = (standing: Standing): PermissionsOf<'Space'> =>
  computed<SpacePermission, Role | { organization: Role }>(SPACE, onThing(standing));

/** What the caller may do to a collection. */
export const collectionPermissions = (standing: Standing): PermissionsOf<'Collection'> =>
  computed<CollectionPermission, Role | { organization: Role }>(COLLECTION, onThing(standing));

/**
 * What a member of an organization may do there.
 *
 * @param role the member's role, undefined for a guest
 */
export const organizationPermissions = (role: Role | undefined): PermissionsOf<'Organization'> =>
  computed<OrganizationPermission, Role | 'member'>(
    ORGANIZATION,
    (need) => need === 'member' || reaches(role, need),
  );

/**
 * What a member of an organization may do with one of its teams: all see it, its owners and those who own
 * every team manage it.
 *
 * @param own the member's role in the team, undefined for one who is not in it
 */
export const teamPermissions = (
  role: Role | undefined,
  own: Schemas['TeamRole'] | undefined,
): Schemas['TeamPermissions'] => ({
  admin: own === 'owner' || organizationPermissions(role).ownTeam,
  view: true,
});

/** What a member of an organization may do with its OpenAPI specifications: all see them. */
export const openAPISpecPermissions = (role: Role | undefined): Schemas['OpenAPIPermissions'] => ({
  view: organizationPermissions(role).view,
  edit: organizationPermissions(role).createOpenAPISpec,
});
