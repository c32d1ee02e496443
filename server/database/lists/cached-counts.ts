import { sql } from 'kysely';
import { NamedCache } from '../../diagnostics/caches.ts';
import type { Queries } from '../database.ts';
import { type ParametersOf, statement } from '../statement.ts';

/** Maximum number of characters of the keys of cached counts per process, with the text that was searched for. */
export const MAX_CACHED_COUNT_CHARACTERS = 5_000_000;

interface CachedCount {
  /** Version of the counted data. */
  version: string;
  count: number;
}

const caches = new WeakMap<Queries, NamedCache<CachedCount>>();

/** A count in an organization. */
interface CountedView {
  /** Key, unique among the counts of an organization. */
  key: string;
  /**
   * The dependencies of the count, as owners in `visibilityVersions`: user IDs for their grants and teams, '' for
   * changes that affect all users.
   */
  owners: readonly string[];
}

/** Dependencies of the number of rows of a list, which is cached until one of them changes. */
export interface VersionedCount {
  /** Organizations of the versions; '' for that of the service. At most a hundred. */
  organizations: readonly string[];
  /** Owners of the versions in each of these organizations, see `visibilityVersions`. */
  owners: readonly string[];
  /** Distinguishes callers who see different rows of the same list. */
  viewer?: string;
  /** Counts the rows without reading them; returns undefined if they must be read. */
  compute?: () => Promise<number | undefined>;
}

/** The state of a count in a cache. */
export interface CountLookup {
  /** The count; undefined if it must be computed. */
  count: number | undefined;
  /** Version of the counted rows: if it is unchanged, they and their order are. Undefined in a transaction. */
  version: string | undefined;
  /** Caches a count that was computed after this lookup. */
  store(count: number): Promise<void>;
}

/** Returns the number of changes of an owner in an organization, see `visibilityVersions`. */
export async function readVersion(queries: Queries, organization: string, owner: string): Promise<number> {
  const row = await findVersion.first(queries, { organization, owner });
  return row?.version ?? 0;
}

/** Selects the number that {@link readVersion} returns. */
export const selectVersion = (
  queries: Queries,
  { organization, owner }: ParametersOf<{ organization: string; owner: string }>,
) =>
  queries
    .selectFrom('visibilityVersions')
    .select(({ fn }) => fn.coalesce(fn.sum<number>('value'), sql.lit(0)).as('version'))
    .where('visibilityVersions.organization', '=', organization)
    .where('visibilityVersions.owner', '=', owner);

const findVersion = statement((queries, dependency: ParametersOf<{ organization: string; owner: string }>) =>
  selectVersion(queries, dependency).compile(),
);

/** Returns the versions of owners as a text. */
export async function readVersionOf(
  queries: Queries,
  { organizations, owners }: Pick<VersionedCount, 'organizations' | 'owners'>,
): Promise<string> {
  const rows = await queries
    .selectFrom('visibilityVersions')
    .select(['organization', 'owner', ({ fn }) => fn.sum<number>('value').as('version')])
    .where('organization', 'in', organizations)
    .where('owner', 'in', owners)
    .groupBy(['organization', 'owner'])
    .orderBy('organization')
    .orderBy('owner')
    .execute();
  return JSON.stringify(rows.map(({ organization, owner, version }) => [organization, owner, version]));
}

/**
 * Looks up the number of rows of a list. If it is missing, the caller computes it and passes it to `store`.
 *
 * @param list key of the list and its filters
 */
export async function lookUpCount(
  queries: Queries,
  list: string,
  { organizations, owners, viewer }: VersionedCount,
): Promise<CountLookup> {
  if (queries.isTransaction) {
    return { count: undefined, version: undefined, store: async () => undefined };
  }
  const cache = cacheOf(queries);
  const key = JSON.stringify([list, viewer, organizations]);
  // Read before counting, as for the other counts.
  const version = await readVersionOf(queries, { organizations, owners });
  const cached = cache.get(key);
  return {
    count: cached?.version === version ? cached.count : undefined,
    version,
    async store(count) {
      cache.set(key, { version, count });
    },
  };
}

/**
 * Returns cached counts, and computes the missing ones. Triggers increment the versions of the dependencies of a count
 * in the transaction that changes them (`visibilityVersions`), so that cached counts are correct in every process.
 *
 * @param views at most a few hundred
 * @param count computes the missing counts
 * @returns the counts in the order of the views
 */
export async function cachedCounts<View extends CountedView>(
  queries: Queries,
  organization: string,
  views: readonly View[],
  count: (missing: readonly View[]) => Promise<readonly number[]>,
): Promise<number[]> {
  if (views.length === 0) {
    return [];
  }
  // A transaction sees its own uncommitted changes, and on PostgreSQL would conflict with changes of a version.
  if (queries.isTransaction) {
    return [...(await count(views))];
  }
  const cache = cacheOf(queries);
  // Read before counting: counts that change in between are stored under an outdated version.
  const versionOf = await readVersions(queries, organization, views);
  const lookups = views.map((view) => {
    const key = `${organization} ${view.key}`;
    const version = versionOf(view);
    const cached = cache.get(key);
    return { view, key, version, count: cached?.version === version ? cached.count : undefined };
  });
  const missing = lookups.filter((lookup) => lookup.count === undefined);
  const results = missing.length > 0 ? await count(missing.map(({ view }) => view)) : [];
  for (const [index, { key, version }] of missing.entries()) {
    cache.set(key, { version, count: results[index] ?? 0 });
  }
  const computed = new Map(missing.map((lookup, index) => [lookup, results[index]]));
  return lookups.map((lookup) => lookup.count ?? computed.get(lookup) ?? 0);
}

function cacheOf(queries: Queries): NamedCache<CachedCount> {
  const cache =
    caches.get(queries) ??
    new NamedCache<CachedCount>('list-counts', {
      maxSize: MAX_CACHED_COUNT_CHARACTERS,
      sizeCalculation: (_count, key) => key.length,
    });
  caches.set(queries, cache);
  return cache;
}

async function readVersions(
  queries: Queries,
  organization: string,
  views: readonly CountedView[],
): Promise<(view: CountedView) => string> {
  const owners = [...new Set(views.flatMap((view) => view.owners))];
  const rows = await queries
    .selectFrom('visibilityVersions')
    .select(['owner', ({ fn }) => fn.sum<number>('value').as('version')])
    .where('organization', '=', organization)
    .where('owner', 'in', owners)
    .groupBy('owner')
    .execute();
  const versions = new Map(rows.map(({ owner, version }) => [owner, version]));
  return (view) => view.owners.map((owner) => versions.get(owner) ?? 0).join(' ');
}
