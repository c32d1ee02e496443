import { sql } from 'kysely';
import type { Queries } from '../database/database.ts';
import { type AncestorCollection, findAncestors, selectWithAncestors } from './ancestors.ts';
import type { CallerId } from './caller.ts';
import { findGrantedLevels, targetKey } from './grants.ts';
import { findInstalledSpaces, type InstallationRights, isInstallation } from './installations.ts';
import { highestLevel, type Role } from './levels.ts';
import { findMembership, type Membership, selectMembership } from './membership.ts';
import type { ResourceLevels } from './permissions.ts';

/** The fields of a space or a collection that determine its levels. */
export interface AccessResource {
  id: string;
  /** Collection that contains it; null at the root of the organization. */
  parent: string | null;
  /** Null to inherit the level of the parent, or the member's role. */
  defaultLevel: Role | null;
}

/** Spaces or collections to load the access for. */
export interface AccessTargets {
  kind: 'space' | 'collection';
  resources: readonly AccessResource[];
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
  readonly installation?: InstallationRights;
  readonly #targets: ReadonlySet<string>;
  readonly #grantedLevels: ReadonlyMap<string, Role>;
  readonly #collections: ReadonlyMap<string, AncestorCollection>;

  /**
   * @param targets the spaces or collections that levels can be computed of
   * @param grantedLevels the level granted on each target and each of its ancestors, by {@link targetKey}
   * @param collections the ancestors of the targets, by ID
   */
  constructor(
    membership: Membership,
    { kind, resources }: AccessTargets,
    grantedLevels: ReadonlyMap<string, Role>,
    collections: ReadonlyMap<string, AncestorCollection>,
  ) {
    this.#targets = new Set(resources.map(({ id }) => targetKey(kind, id)));
    this.user = membership.user;
    this.organization = membership.organization;
    this.role = membership.role;
    if (membership.installation) {
      this.installation = membership.installation;
    }
    this.#grantedLevels = grantedLevels;
    this.#collections = collections;
  }

  /** Returns the member's levels on a space. */
  onSpace(space: AccessResource): ResourceLevels {
    return this.#levelsOn(targetKey('space', space.id), space);
  }

  /** Returns the member's levels on a collection. */
  onCollection(collection: AccessResource): ResourceLevels {
    return this.#levelsOn(targetKey('collection', collection.id), collection);
  }

  /** Returns the default level of a resource: its own, or that of its nearest ancestor. */
  defaultLevelOf(resource: AccessResource): Role | undefined {
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
  effectiveDefault(resource: AccessResource): Role {
    return this.defaultLevelOf(resource) ?? this.role ?? 'read';
  }

  #levelsOn(key: string, resource: AccessResource): ResourceLevels {
    if (!this.#targets.has(key)) {
      throw new Error(`This access was not loaded for the ${key}.`);
    }
    if (this.role === 'admin') {
      return { level: 'admin', organization: 'admin' };
    }
    const granted = [
      this.#grantedLevels.get(key),
      ...this.#ancestors(resource).map((ancestor) =>
        this.#grantedLevels.get(targetKey('collection', ancestor)),
      ),
    ];
    const byDefault = this.role && (this.defaultLevelOf(resource) ?? this.role);
    return { level: highestLevel([...granted, byDefault]), organization: this.role };
  }

  /** Returns the collections that contain a resource, nearest first. */
  #ancestors(resource: AccessResource): string[] {
    const chain: string[] = [];
    for (let next = resource.parent; next && !chain.includes(next); ) {
      chain.push(next);
      next = this.#collections.get(next)?.parent ?? null;
    }
    return chain;
  }
}

/** Finds the caller's access to some resources of an organization. Undefined if the caller may not use it. */
export async function findAccess(
  queries: Queries,
  caller: CallerId,
  organization: string,
  targets: AccessTargets,
): Promise<Access | undefined> {
  const [parent, ...otherParents] = parentsOf(targets);
  // Reads the ancestors and the membership in one statement if there is one parent.
  if (parent === undefined || otherParents.length > 0 || isInstallation(caller)) {
    const member = await findMembership(queries, caller, organization);
    return member && (await loadAccess(queries, member, targets));
  }
  const rows = await selectWithAncestors(queries, [parent])
    .select(sql<Role | null>`null`.as('role'))
    .unionAll(
      selectMembership(queries, caller, organization).select([
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
  const membership = { user: caller, organization, role: member.role ?? undefined };
  const collections = new Map(
    rows
      .filter((row) => row !== member)
      .map(({ id, parent, defaultLevel }) => [id, { parent, defaultLevel }]),
  );
  return await loadAccessWithin(queries, membership, targets, collections);
}

/**
 * Loads the access of a membership to some resources, without checking that the member may use the organization.
 * Reads only the ancestors of the resources and the grants on them, regardless of the size of the organization.
 */
export async function loadAccess(
  queries: Queries,
  membership: Membership,
  targets: AccessTargets,
): Promise<Access> {
  const collections = await findAncestors(queries, parentsOf(targets));
  return await loadAccessWithin(queries, membership, targets, collections);
}

async function loadAccessWithin(
  queries: Queries,
  membership: Membership,
  targets: AccessTargets,
  collections: ReadonlyMap<string, AncestorCollection>,
): Promise<Access> {
  if (membership.role === 'admin') {
    return new Access(membership, targets, new Map(), collections);
  }
  if (membership.installation) {
    const levels = await installedLevels(queries, membership.installation, targets);
    return new Access(membership, targets, levels, collections);
  }
  const ancestors = [...collections.keys()].map((target) => ({ targetKind: 'collection', target }) as const);
  const resources = targets.resources.map(({ id }) => ({ targetKind: targets.kind, target: id }));
  // A collection may be an ancestor of another one.
  const distinct = new Map(
    [...ancestors, ...resources].map((named) => [targetKey(named.targetKind, named.target), named]),
  );
  const levels = await findGrantedLevels(queries, membership, [...distinct.values()]);
  return new Access(membership, targets, levels, collections);
}

/** Returns the level of an installation on each of the spaces that it applies to; it has none on collections. */
async function installedLevels(
  queries: Queries,
  installation: InstallationRights,
  { kind, resources }: AccessTargets,
): Promise<ReadonlyMap<string, Role>> {
  const level = installation.levels.space;
  if (level === undefined || kind !== 'space') {
    return new Map();
  }
  const spaces = await findInstalledSpaces(
    queries,
    installation,
    resources.map(({ id }) => id),
  );
  return new Map(spaces.map((id) => [targetKey(kind, id), level]));
}

const parentsOf = ({ resources }: AccessTargets): Set<string> =>
  new Set(resources.flatMap(({ parent }) => parent ?? []));
