import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from 'kysely';
import type { Queries } from '../database/database.ts';
import type { GrantsTable, Schema } from '../database/schema.ts';
import { invisible, lacking } from './errors.ts';
import { highest, type Role } from './levels.ts';
import {
  type CollectionPermission,
  collectionPermissions,
  type OrganizationPermission,
  organizationPermissions,
  type SpacePermission,
  type Standing,
  spacePermissions,
} from './permissions.ts';

/** The part of a space or a collection that levels depend on. */
export interface Placed {
  id: string;
  /** The collection that holds it. */
  parent: string | null;
}

interface CollectionNode {
  parent: string | null;
  defaultLevel: Role | null;
}

/** What is known of a member when their levels are computed. */
export interface Membership {
  user: string;
  organization: string;
  /** undefined for a guest. */
  role: Role | undefined;
}

/**
 * What one member may do in one organization: the only place where that is answered. On a space or a
 * collection the level is `admin` for the organization's admins; for others the highest of the explicit
 * grants, theirs and their teams', on the thing or on a collection above it, and the default level, the
 * thing's own or inherited up the collections; where none is set, the role in the organization. A guest has
 * explicit grants only (additions, levels).
 */
export class Access {
  readonly user: string;
  readonly organization: string;
  readonly role: Role | undefined;
  readonly #grants: ReadonlyMap<string, Role>;
  readonly #collections: ReadonlyMap<string, CollectionNode>;

  constructor(
    membership: Membership,
    grants: ReadonlyMap<string, Role>,
    collections: ReadonlyMap<string, CollectionNode>,
  ) {
    this.user = membership.user;
    this.organization = membership.organization;
    this.role = membership.role;
    this.#grants = grants;
    this.#collections = collections;
  }

  /** The standing on a space. */
  onSpace(space: Placed & { defaultLevel: Role | null }): Standing {
    return this.#standing(`space ${space.id}`, space);
  }

  /** The standing on a collection. */
  onCollection(collection: Placed & { defaultLevel: Role | null }): Standing {
    return this.#standing(`collection ${collection.id}`, collection);
  }

  /** The level that a thing gives to members without a grant: its own, or the nearest one above it. */
  defaultLevelOf(thing: Placed & { defaultLevel: Role | null }): Role | undefined {
    if (thing.defaultLevel) return thing.defaultLevel;
    for (const above of this.#above(thing)) {
      const level = this.#collections.get(above)?.defaultLevel;
      if (level) return level;
    }
    return undefined;
  }

  /** What members without a grant may do with a thing: its level, or theirs in the organization. */
  effectiveDefault(thing: Placed & { defaultLevel: Role | null }): Role {
    return this.defaultLevelOf(thing) ?? this.role ?? 'read';
  }

  /**
   * What a guest sees: the spaces and collections granted to them, and all collections below those.
   * `undefined` for members with a role: they see everything.
   */
  visible(): { spaces: string[]; collections: string[] } | undefined {
    if (this.role) return undefined;
    const spaces = [...this.#grants.keys()].flatMap((key) =>
      key.startsWith('space ') ? [key.slice(6)] : [],
    );
    const collections = [...this.#collections.keys()].filter((id) => {
      const node = this.#collections.get(id);
      const chain = [id, ...this.#above({ id, parent: node?.parent ?? null })];
      return chain.some((one) => this.#grants.has(`collection ${one}`));
    });
    return { spaces, collections };
  }

  #standing(key: string, thing: Placed & { defaultLevel: Role | null }): Standing {
    if (this.role === 'admin') return { level: 'admin', organization: 'admin' };
    const granted = [
      this.#grants.get(key),
      ...this.#above(thing).map((above) => this.#grants.get(`collection ${above}`)),
    ];
    const byDefault = this.role && (this.defaultLevelOf(thing) ?? this.role);
    return { level: highest([...granted, byDefault]), organization: this.role };
  }

  /** The collections above a thing, nearest first. */
  #above(thing: Placed): string[] {
    const chain: string[] = [];
    for (let next = thing.parent; next && !chain.includes(next); ) {
      chain.push(next);
      next = this.#collections.get(next)?.parent ?? null;
    }
    return chain;
  }
}

/**
 * The members who are let into their organization: not those who are disabled, nor, where it enforces SSO,
 * those who are no SSO members (its admins stay in, to be able to mend that).
 */
export function isLetIn(
  row: ExpressionBuilder<Schema, 'members' | 'organizations'>,
): ExpressionWrapper<Schema, 'members' | 'organizations', SqlBool> {
  return row.and([
    row('members.disabled', '=', 0),
    row.or([row('organizations.sso', '=', 0), row('members.sso', '=', 1), row('members.role', '=', 'admin')]),
  ]);
}

/**
 * The collections that an access has to know: all of the organization, for lists; or for one thing those
 * above it, from the one that holds it (null at the root) upwards.
 */
export type Reach = 'everywhere' | { above: string | null };

/** The access of a user in an organization; undefined for one who is no member or is not let in. */
export async function findAccess(
  queries: Queries,
  user: string,
  organization: string,
  reach: Reach,
): Promise<Access | undefined> {
  const role = await roleOf(queries, user, organization);
  return role && (await accessOf(queries, { user, organization, role: role.role }, reach));
}

/** The role of a user in an organization, undefined in it for a guest; undefined for one who is not let in. */
async function roleOf(
  queries: Queries,
  user: string,
  organization: string,
): Promise<{ role: Role | undefined } | undefined> {
  const member = await queries
    .selectFrom('members')
    .innerJoin('organizations', 'organizations.id', 'members.organization')
    .select('members.role')
    .where('members.organization', '=', organization)
    .where('members.user', '=', user)
    .where(isLetIn)
    .executeTakeFirst();
  return member && { role: member.role ?? undefined };
}

/** The access that a membership gives, without asking whether it may be used. */
export async function accessOf(
  queries: Queries,
  membership: Membership,
  reach: Reach = 'everywhere',
): Promise<Access> {
  const collections = await collectionsOf(queries, membership.organization, reach);
  if (membership.role === 'admin') return new Access(membership, new Map(), collections);
  const grants = await queries
    .selectFrom('grants')
    .select(['targetKind', 'target', 'role'])
    .where('organization', '=', membership.organization)
    .where((either) =>
      either.or([
        either.and([either('subjectKind', '=', 'user'), either('subject', '=', membership.user)]),
        either.and([
          either('subjectKind', '=', 'team'),
          either(
            'subject',
            'in',
            either
              .selectFrom('teamMembers')
              .select('team')
              .where('organization', '=', membership.organization)
              .where('user', '=', membership.user),
          ),
        ]),
      ]),
    )
    .execute();
  return new Access(membership, levelsOf(grants), collections);
}

/**
 * The access that the teams of an organization give their members, as if they had no other.
 *
 * @returns finds it for one team, without another query
 */
export async function accessOfTeams(
  queries: Queries,
  organization: string,
): Promise<(team: string) => Access> {
  const grants = await queries
    .selectFrom('grants')
    .select(['subject', 'targetKind', 'target', 'role'])
    .where('organization', '=', organization)
    .where('subjectKind', '=', 'team')
    .execute();
  const byTeam = Map.groupBy(grants, ({ subject }) => subject);
  const collections = await collectionsOf(queries, organization, 'everywhere');
  return (team) =>
    new Access({ user: team, organization, role: undefined }, levelsOf(byTeam.get(team) ?? []), collections);
}

/** The highest level of some grants on each thing. */
function levelsOf(
  grants: ReadonlyArray<Pick<GrantsTable, 'targetKind' | 'target' | 'role'>>,
): Map<string, Role> {
  const levels = new Map<string, Role>();
  for (const { targetKind, target, role } of grants) {
    const key = `${targetKind} ${target}`;
    levels.set(key, highest([levels.get(key), role]) ?? role);
  }
  return levels;
}

async function collectionsOf(
  queries: Queries,
  organization: string,
  reach: Reach,
): Promise<ReadonlyMap<string, CollectionNode>> {
  if (reach !== 'everywhere' && reach.above === null) return new Map();
  const rows =
    reach === 'everywhere'
      ? await queries
          .selectFrom('collections')
          .select(['id', 'parent', 'defaultLevel'])
          .where('organization', '=', organization)
          .execute()
      : await queries
          .withRecursive('chain', (query) =>
            query
              .selectFrom('collections')
              .select(['id', 'parent', 'defaultLevel'])
              .where('id', '=', reach.above)
              .union(
                query
                  .selectFrom('collections as upper')
                  .innerJoin('chain', 'chain.parent', 'upper.id')
                  .select(['upper.id', 'upper.parent', 'upper.defaultLevel']),
              ),
          )
          .selectFrom('chain')
          .selectAll()
          .execute();
  return new Map(rows.map(({ id, ...node }) => [id, node]));
}

/**
 * The access of a caller who must be a member.
 *
 * @throws AccessError `invisible` for anyone else
 */
export async function requireMember(queries: Queries, user: string, organization: string): Promise<Access> {
  const access = await findAccess(queries, user, organization, 'everywhere');
  if (!access) throw invisible('organization');
  return access;
}

/**
 * The role of a caller who must have a permission in an organization, undefined for a guest.
 *
 * @throws AccessError `invisible` or `forbidden`
 */
export async function requireInOrganization(
  queries: Queries,
  user: string,
  organization: string,
  permission: OrganizationPermission,
): Promise<Role | undefined> {
  const found = await roleOf(queries, user, organization);
  if (!found) throw invisible('organization');
  if (!organizationPermissions(found.role)[permission]) throw lacking('organization', permission);
  return found.role;
}

/** @throws AccessError `invisible` without `view`, `forbidden` without the permission */
export function requireOnSpace(standing: Standing, permission: SpacePermission): void {
  const permissions = spacePermissions(standing);
  if (!permissions.view) throw invisible('space');
  if (!permissions[permission]) throw lacking('space', permission);
}

/** @throws AccessError `invisible` without `view`, `forbidden` without the permission */
export function requireOnCollection(standing: Standing, permission: CollectionPermission): void {
  const permissions = collectionPermissions(standing);
  if (!permissions.view) throw invisible('collection');
  if (!permissions[permission]) throw lacking('collection', permission);
}
