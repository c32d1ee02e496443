import {
  type ExpressionBuilder,
  type ExpressionWrapper,
  type RawBuilder,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import { batches } from '../database/batches.ts';
import type { Queries } from '../database/database.ts';
import { canReadRowCounts } from '../database/row-counts.ts';
import type { GrantsTable } from '../database/schema/grants.ts';
import type { Schema } from '../database/schema.ts';
import { notFound, permissionMissing } from '../errors.ts';
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

/** The fields of a space or a collection that determine its levels. */
export interface Placed {
  id: string;
  /** Collection that contains it; null at the root of the organization. */
  parent: string | null;
}

interface CollectionNode {
  parent: string | null;
  defaultLevel: Role | null;
}

/** A user's membership in an organization. */
export interface Membership {
  user: string;
  organization: string;
  /** Undefined for a guest. */
  role: Role | undefined;
}

/**
 * Permissions of one member on some spaces and collections; computed nowhere else. The level is `admin` for admins of
 * the organization. For others it is the highest of the grants to them and their teams, on the resource or one of its
 * ancestors, and the default level: that of the resource or of its nearest ancestor, or else the role in the
 * organization. A guest has explicit grants only.
 */
export class Access implements Membership {
  readonly user: string;
  readonly organization: string;
  readonly role: Role | undefined;
  readonly #targets: ReadonlySet<string>;
  readonly #grants: ReadonlyMap<string, Role>;
  readonly #collections: ReadonlyMap<string, CollectionNode>;

  /**
   * @param targets the spaces and collections that levels can be computed of
   * @param grants the level granted on each target and each of its ancestors, by kind and ID
   * @param collections the ancestors of the targets
   */
  constructor(
    membership: Membership,
    targets: readonly Target[],
    grants: ReadonlyMap<string, Role>,
    collections: ReadonlyMap<string, CollectionNode>,
  ) {
    this.#targets = new Set(targets.map(({ kind, placed }) => `${kind} ${placed.id}`));
    this.user = membership.user;
    this.organization = membership.organization;
    this.role = membership.role;
    this.#grants = grants;
    this.#collections = collections;
  }

  /** Returns the member's levels on a space. */
  onSpace(space: Placed & { defaultLevel: Role | null }): Standing {
    return this.#standing(`space ${space.id}`, space);
  }

  /** Returns the member's levels on a collection. */
  onCollection(collection: Placed & { defaultLevel: Role | null }): Standing {
    return this.#standing(`collection ${collection.id}`, collection);
  }

  /** Returns the default level of a resource: its own, or that of its nearest ancestor. */
  defaultLevelOf(resource: Placed & { defaultLevel: Role | null }): Role | undefined {
    if (resource.defaultLevel) {
      return resource.defaultLevel;
    }
    for (const ancestor of this.#ancestors(resource)) {
      const level = this.#collections.get(ancestor)?.defaultLevel;
      if (level) {
        return level;
      }
    }
    return undefined;
  }

  /** Returns the level of members without a grant: the default level of the resource, or their role. */
  effectiveDefault(resource: Placed & { defaultLevel: Role | null }): Role {
    return this.defaultLevelOf(resource) ?? this.role ?? 'read';
  }

  #standing(key: string, resource: Placed & { defaultLevel: Role | null }): Standing {
    if (!this.#targets.has(key)) {
      throw new Error(`This access was not loaded for the ${key}.`);
    }
    if (this.role === 'admin') {
      return { level: 'admin', organization: 'admin' };
    }
    const granted = [
      this.#grants.get(key),
      ...this.#ancestors(resource).map((ancestor) => this.#grants.get(`collection ${ancestor}`)),
    ];
    const byDefault = this.role && (this.defaultLevelOf(resource) ?? this.role);
    return { level: highest([...granted, byDefault]), organization: this.role };
  }

  /** Returns the collections that contain a resource, nearest first. */
  #ancestors(resource: Placed): string[] {
    const chain: string[] = [];
    for (let next = resource.parent; next && !chain.includes(next); ) {
      chain.push(next);
      next = this.#collections.get(next)?.parent ?? null;
    }
    return chain;
  }
}

/**
 * Selects the members who may use their organization. Excludes disabled members and, if the organization enforces
 * SSO, members without SSO. Its admins are not excluded, so that they can fix the configuration.
 */
export function isLetIn(
  row: ExpressionBuilder<Schema, 'members' | 'organizations'>,
): ExpressionWrapper<Schema, 'members' | 'organizations', SqlBool> {
  return row.and([
    row('members.disabled', '=', 0),
    row.or([row('organizations.sso', '=', 0), row('members.sso', '=', 1), row('members.role', '=', 'admin')]),
  ]);
}

/** A space or a collection to load the access for. */
export interface Target {
  kind: 'space' | 'collection';
  placed: Placed;
}

/** Finds a user's access to some resources of an organization. Undefined if the user may not use the organization. */
export async function findAccess(
  queries: Queries,
  user: string,
  organization: string,
  targets: readonly Target[],
): Promise<Access | undefined> {
  const parents = parentsOf(targets);
  // Reads the ancestors and the membership in one statement if there are few parents.
  if (parents.size === 0 || parents.size > IDS) {
    const member = await findMember(queries, user, organization);
    return member && (await accessOf(queries, member, targets));
  }
  const rows = await selectWithAncestors(queries, [...parents])
    .select(sql<Role | null>`null`.as('role'))
    .unionAll(
      selectRole(queries, user, organization).select([
        sql<string>`''`.as('id'),
        sql<string | null>`null`.as('parent'),
        sql<Role | null>`null`.as('defaultLevel'),
        'members.role',
      ]),
    )
    .execute();
  const member = rows.find(({ id }) => id === '');
  if (!member) {
    return undefined;
  }
  const membership = { user, organization, role: member.role ?? undefined };
  const collections = new Map(rows.filter((row) => row !== member).map(({ id, ...node }) => [id, node]));
  return await accessWithin(queries, membership, targets, collections);
}

/** Finds a user's role, which is undefined for a guest. Returns undefined if the user may not use the organization. */
async function findRole(
  queries: Queries,
  user: string,
  organization: string,
): Promise<{ role: Role | undefined } | undefined> {
  const member = await selectRole(queries, user, organization).select('members.role').executeTakeFirst();
  return member && { role: member.role ?? undefined };
}

const selectRole = (queries: Queries, user: string, organization: string) =>
  queries
    .selectFrom('members')
    .innerJoin('organizations', 'organizations.id', 'members.organization')
    .where('members.organization', '=', organization)
    .where('members.user', '=', user)
    .where(isLetIn);

/** Maximum number of IDs in one statement. */
const IDS = 512;

/** All kinds. Named in queries because the kind precedes the target in the indexes. */
const TARGET_KINDS: Array<Target['kind']> = ['space', 'collection'];

/**
 * Loads the access of a membership to some resources, without checking that the member may use the organization.
 * Reads only the ancestors of the resources and the grants on them, regardless of the size of the organization.
 */
export async function accessOf(
  queries: Queries,
  membership: Membership,
  targets: readonly Target[],
): Promise<Access> {
  return await accessWithin(queries, membership, targets, await findAncestors(queries, targets));
}

async function accessWithin(
  queries: Queries,
  membership: Membership,
  targets: readonly Target[],
  collections: ReadonlyMap<string, CollectionNode>,
): Promise<Access> {
  if (membership.role === 'admin') {
    return new Access(membership, targets, new Map(), collections);
  }
  const ids = new Set([...collections.keys(), ...targets.map(({ placed }) => placed.id)]);
  const levels = new Map<string, Role>();
  for (const batch of batches(ids, IDS)) {
    for (const { targetKind, target, role } of await grantsOn(queries, membership, batch)) {
      const key = `${targetKind} ${target}`;
      levels.set(key, highest([levels.get(key), role]) ?? role);
    }
  }
  return new Access(membership, targets, levels, collections);
}

/** Reads the grants to a member and their teams on some resources. */
async function grantsOn(
  queries: Queries,
  { user, organization }: Membership,
  ids: string[],
): Promise<Array<Pick<GrantsTable, 'targetKind' | 'target' | 'role'>>> {
  const own = queries
    .selectFrom('grants')
    .select(['grants.targetKind', 'grants.target', 'grants.role'])
    .where('grants.targetKind', 'in', TARGET_KINDS)
    .where('grants.target', 'in', ids)
    .where('grants.subjectKind', '=', 'user')
    .where('grants.subject', '=', user)
    .where('grants.organization', '=', organization);
  const ofTeams = (grantsAndTeams: SelectQueryBuilder<Schema, 'grants' | 'teamMembers', object>) =>
    grantsAndTeams
      .select(['grants.targetKind', 'grants.target', 'grants.role'])
      .distinct()
      .whereRef('teamMembers.team', '=', 'grants.subject')
      .where('grants.targetKind', 'in', TARGET_KINDS)
      .where('grants.target', 'in', ids)
      .where('grants.subjectKind', '=', 'team')
      .where('grants.organization', '=', organization)
      .where('teamMembers.user', '=', user)
      .where('teamMembers.organization', '=', organization);
  // Starts from the smaller number by row counts: the grants to teams, or the possible grants to the member's teams.
  // A cross join starts from its first table on both engines, which has no row if the other order is used.
  const granted = sql`(
    select coalesce(sum("value"), 0) from "rowCounts"
    where "organization" = ${organization} and "kind" = 'grants team' and "owner" in (${sql.join(ids)}))`;
  const possible = sql`(
    select coalesce(sum("value"), 0) * ${sql.lit(ids.length)} from "rowCounts"
    where "organization" = ${organization} and "kind" = 'teams of member' and "owner" = ${user})`;
  if (!canReadRowCounts(queries)) {
    return await own.unionAll(ofTeams(queries.selectFrom('grants').crossJoin('teamMembers'))).execute();
  }
  const where = (condition: RawBuilder<unknown>) =>
    queries.selectFrom(sql<{ taken: number }>`(select 1 as "taken" where ${condition})`.as('way'));
  return await own
    .unionAll(ofTeams(where(sql`${granted} <= ${possible}`).crossJoin('grants').crossJoin('teamMembers')))
    .unionAll(ofTeams(where(sql`${granted} > ${possible}`).crossJoin('teamMembers').crossJoin('grants')))
    .execute();
}

async function findAncestors(
  queries: Queries,
  targets: readonly Target[],
): Promise<ReadonlyMap<string, CollectionNode>> {
  const collections = new Map<string, CollectionNode>();
  for (const batch of batches(parentsOf(targets), IDS)) {
    for (const { id, ...node } of await selectWithAncestors(queries, batch).execute()) {
      collections.set(id, node);
    }
  }
  return collections;
}

const parentsOf = (targets: readonly Target[]): Set<string> =>
  new Set(targets.flatMap(({ placed }) => placed.parent ?? []));

/** Selects some collections and their ancestors. */
const selectWithAncestors = (queries: Queries, ids: readonly string[]) =>
  queries
    .withRecursive('chain', (query) =>
      query
        .selectFrom('collections')
        .select(['id', 'parent', 'defaultLevel'])
        .where('id', 'in', ids)
        .union(
          query
            .selectFrom('collections as upper')
            .innerJoin('chain', 'chain.parent', 'upper.id')
            .select(['upper.id', 'upper.parent', 'upper.defaultLevel']),
        ),
    )
    .selectFrom('chain')
    .select(['chain.id', 'chain.parent', 'chain.defaultLevel']);

/** Finds a user's membership. Returns undefined if the user may not use the organization. */
export async function findMember(
  queries: Queries,
  user: string,
  organization: string,
): Promise<Membership | undefined> {
  const member = await findRole(queries, user, organization);
  return member && { user, organization, role: member.role };
}

/**
 * Returns the caller's membership in an organization.
 *
 * @throws ContractError 404 if the caller is not a member or may not use the organization
 */
export async function requireMember(
  queries: Queries,
  user: string,
  organization: string,
): Promise<Membership> {
  const member = await findMember(queries, user, organization);
  if (!member) {
    throw notFound('organization');
  }
  return member;
}

/**
 * Requires a permission in an organization. Returns the caller's membership.
 *
 * @throws ContractError 404 if the caller may not use the organization, 403 without the permission
 */
export async function requireInOrganization(
  queries: Queries,
  user: string,
  organization: string,
  permission: OrganizationPermission,
): Promise<Membership> {
  const member = await requireMember(queries, user, organization);
  requireOrganizationPermission(member, permission);
  return member;
}

/**
 * Requires a permission of a member in the organization.
 *
 * @throws ContractError 403 without the permission
 */
export function requireOrganizationPermission(
  { role }: Pick<Membership, 'role'>,
  permission: OrganizationPermission,
): void {
  if (!organizationPermissions(role)[permission]) {
    throw permissionMissing('organization', permission);
  }
}

/**
 * Requires a permission on a space.
 *
 * @throws ContractError 404 without `view`, 403 without the permission
 */
export function requireOnSpace(standing: Standing, permission: SpacePermission): void {
  const permissions = spacePermissions(standing);
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
export function requireOnCollection(standing: Standing, permission: CollectionPermission): void {
  const permissions = collectionPermissions(standing);
  if (!permissions.view) {
    throw notFound('collection');
  }
  if (!permissions[permission]) {
    throw permissionMissing('collection', permission);
  }
}
