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
 * What one member may do with some spaces and collections: the only place where that is answered. On a space or a
 * collection the level is `admin` for the organization's admins; for others the highest of the explicit
 * grants, theirs and their teams', on the thing or on a collection above it, and the default level, the
 * thing's own or inherited up the collections; where none is set, the role in the organization. A guest has
 * explicit grants only.
 */
export class Access implements Membership {
  readonly user: string;
  readonly organization: string;
  readonly role: Role | undefined;
  readonly #known: ReadonlySet<string>;
  readonly #grants: ReadonlyMap<string, Role>;
  readonly #collections: ReadonlyMap<string, CollectionNode>;

  /**
   * @param targets what may be asked for
   * @param grants the level granted on each of them and on each collection above it, by kind and id
   * @param collections the collections above them
   */
  constructor(
    membership: Membership,
    targets: readonly Target[],
    grants: ReadonlyMap<string, Role>,
    collections: ReadonlyMap<string, CollectionNode>,
  ) {
    this.#known = new Set(targets.map(({ kind, placed }) => `${kind} ${placed.id}`));
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

  #standing(key: string, thing: Placed & { defaultLevel: Role | null }): Standing {
    if (!this.#known.has(key)) throw new Error(`This access was not loaded for the ${key}.`);
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

/** A space or a collection that an access has to know. */
export interface Target {
  kind: 'space' | 'collection';
  placed: Placed;
}

/** The access of a user to some resources of an organization; undefined for one who is no member or not let in. */
export async function findAccess(
  queries: Queries,
  user: string,
  organization: string,
  targets: readonly Target[],
): Promise<Access | undefined> {
  const parents = parentsOf(targets);
  // Few parents are read together with the membership.
  if (parents.size === 0 || parents.size > IDS) {
    const member = await findMember(queries, user, organization);
    return member && (await accessOf(queries, member, targets));
  }
  const rows = await selectCollectionsAbove(queries, [...parents])
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
  if (!member) return undefined;
  const membership = { user, organization, role: member.role ?? undefined };
  const collections = new Map(rows.filter((row) => row !== member).map(({ id, ...node }) => [id, node]));
  return await accessWithin(queries, membership, targets, collections);
}

/** The role of a user in an organization, undefined in it for a guest; undefined for one who is not let in. */
async function roleOf(
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

/** Ids that one statement names. */
const IDS = 512;

const KINDS: Array<Target['kind']> = ['space', 'collection'];

/**
 * The access that a membership gives to some resources, without asking whether it may be used. It reads the
 * collections above them and the grants on those alone, however many there are in the organization.
 */
export async function accessOf(
  queries: Queries,
  membership: Membership,
  targets: readonly Target[],
): Promise<Access> {
  return await accessWithin(queries, membership, targets, await collectionsAbove(queries, targets));
}

async function accessWithin(
  queries: Queries,
  membership: Membership,
  targets: readonly Target[],
  collections: ReadonlyMap<string, CollectionNode>,
): Promise<Access> {
  if (membership.role === 'admin') return new Access(membership, targets, new Map(), collections);
  const ids = new Set([...collections.keys(), ...targets.map(({ placed }) => placed.id)]);
  const levels = new Map<string, Role>();
  for (const batch of batches(ids, IDS))
    for (const { targetKind, target, role } of await grantsOn(queries, membership, batch)) {
      const key = `${targetKind} ${target}`;
      levels.set(key, highest([levels.get(key), role]) ?? role);
    }
  return new Access(membership, targets, levels, collections);
}

/** The grants of a member and of their teams on some resources. */
async function grantsOn(
  queries: Queries,
  { user, organization }: Membership,
  ids: string[],
): Promise<Array<Pick<GrantsTable, 'targetKind' | 'target' | 'role'>>> {
  const own = queries
    .selectFrom('grants')
    .select(['grants.targetKind', 'grants.target', 'grants.role'])
    .where('grants.targetKind', 'in', KINDS)
    .where('grants.target', 'in', ids)
    .where('grants.subjectKind', '=', 'user')
    .where('grants.subject', '=', user)
    .where('grants.organization', '=', organization);
  const ofTeams = (grantsAndTeams: SelectQueryBuilder<Schema, 'grants' | 'teamMembers', object>) =>
    grantsAndTeams
      .select(['grants.targetKind', 'grants.target', 'grants.role'])
      .distinct()
      .whereRef('teamMembers.team', '=', 'grants.subject')
      .where('grants.targetKind', 'in', KINDS)
      .where('grants.target', 'in', ids)
      .where('grants.subjectKind', '=', 'team')
      .where('grants.organization', '=', organization)
      .where('teamMembers.user', '=', user)
      .where('teamMembers.organization', '=', organization);
  // The counts say which are fewer: the grants to teams, or what there could be for the member's teams. A cross join
  // starts from its first table on both engines, which has no row where the other way is taken.
  const granted = sql`(
    select coalesce(sum("value"), 0) from "rowCounts"
    where "organization" = ${organization} and "kind" = 'grants team' and "owner" in (${sql.join(ids)}))`;
  const possible = sql`(
    select coalesce(sum("value"), 0) * ${sql.lit(ids.length)} from "rowCounts"
    where "organization" = ${organization} and "kind" = 'teams of member' and "owner" = ${user})`;
  if (!canReadRowCounts(queries))
    return await own.unionAll(ofTeams(queries.selectFrom('grants').crossJoin('teamMembers'))).execute();
  const where = (condition: RawBuilder<unknown>) =>
    queries.selectFrom(sql<{ taken: number }>`(select 1 as "taken" where ${condition})`.as('way'));
  return await own
    .unionAll(ofTeams(where(sql`${granted} <= ${possible}`).crossJoin('grants').crossJoin('teamMembers')))
    .unionAll(ofTeams(where(sql`${granted} > ${possible}`).crossJoin('teamMembers').crossJoin('grants')))
    .execute();
}

async function collectionsAbove(
  queries: Queries,
  targets: readonly Target[],
): Promise<ReadonlyMap<string, CollectionNode>> {
  const collections = new Map<string, CollectionNode>();
  for (const batch of batches(parentsOf(targets), IDS))
    for (const { id, ...node } of await selectCollectionsAbove(queries, batch).execute())
      collections.set(id, node);
  return collections;
}

const parentsOf = (targets: readonly Target[]): Set<string> =>
  new Set(targets.flatMap(({ placed }) => placed.parent ?? []));

/** Some collections and those above them. */
const selectCollectionsAbove = (queries: Queries, ids: readonly string[]) =>
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

/** The membership of a user; undefined for one who is no member or is not let in. */
export async function findMember(
  queries: Queries,
  user: string,
  organization: string,
): Promise<Membership | undefined> {
  const found = await roleOf(queries, user, organization);
  return found && { user, organization, role: found.role };
}

/**
 * The membership of a caller who must be a member.
 *
 * @throws ContractError 404 for anyone else
 */
export async function requireMember(
  queries: Queries,
  user: string,
  organization: string,
): Promise<Membership> {
  const member = await findMember(queries, user, organization);
  if (!member) throw notFound('organization');
  return member;
}

/**
 * The role of a caller who must have a permission in an organization, undefined for a guest.
 *
 * @throws ContractError 404 or `forbidden`
 */
export async function requireInOrganization(
  queries: Queries,
  user: string,
  organization: string,
  permission: OrganizationPermission,
): Promise<Role | undefined> {
  const found = await roleOf(queries, user, organization);
  if (!found) throw notFound('organization');
  if (!organizationPermissions(found.role)[permission]) throw permissionMissing('organization', permission);
  return found.role;
}

/** @throws ContractError 404 without `view`, 403 without the permission */
export function requireOnSpace(standing: Standing, permission: SpacePermission): void {
  const permissions = spacePermissions(standing);
  if (!permissions.view) throw notFound('space');
  if (!permissions[permission]) throw permissionMissing('space', permission);
}

/** @throws ContractError 404 without `view`, 403 without the permission */
export function requireOnCollection(standing: Standing, permission: CollectionPermission): void {
  const permissions = collectionPermissions(standing);
  if (!permissions.view) throw notFound('collection');
  if (!permissions[permission]) throw permissionMissing('collection', permission);
}
