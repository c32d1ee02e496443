import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { NamedCache } from '../../diagnostics/caches.ts';
import type { Queries } from '../database.ts';
import type { NameChangesTable } from '../schema/spaces/name-changes.ts';
import type { CountLookup } from './cached-counts.ts';

/*
 * Cached counts of the members or teams of an organization that match a filter. After a change, a count is adjusted by
 * the changed rows that match (`nameChanges`), so that the other names are not read again. Triggers record the changes
 * in the transaction that makes them, so that cached counts are correct in every process, and after a rollback.
 */

/** Maximum number of characters of the keys of cached counts of names per process, with the searched text. */
export const MAX_CACHED_NAMES_CHARACTERS = 5_000_000;
/** Maximum number of shard versions for which a cached count is adjusted instead of recounted: the recorded ones. */
export const MAX_ADJUSTED_VERSIONS = 256;
/** Maximum number of changed rows for which a cached count is adjusted instead of recounted. */
export const MAX_ADJUSTED_ROWS = 500;

/** A search in the names of an organization. */
export interface NameSearch {
  organization: string;
  /** The searched list: the owner of its versions in `visibilityVersions`. */
  names: NameChangesTable['owner'];
  /** Key, unique among the searches of an organization. */
  key: string;
  /** Condition of the rows of `nameChanges` that match. */
  matches: Expression<SqlBool>;
  /** User whose teams are searched. */
  user?: string;
  /** Counts the rows without reading them; returns undefined if they must be read. */
  compute?: () => Promise<number | undefined>;
}

/** Numbers of changes by owner and shard. */
type Versions = ReadonlyMap<string, number>;

interface CachedNameCount {
  count: number;
  /** Versions of the counted names. */
  versions: Versions;
  /** Versions after the last change of the rows that match, as text. */
  rowsVersion: string;
}

const caches = new WeakMap<Queries, NamedCache<CachedNameCount>>();

/**
 * Looks up the count of a search. If it is missing, the caller computes it and passes it to `store`, which caches it
 * unless the names have changed since.
 */
export async function lookUpNames(queries: Queries, search: NameSearch): Promise<CountLookup> {
  // A transaction sees its own uncommitted changes, and on PostgreSQL would conflict with changes of a version.
  if (queries.isTransaction) {
    return { count: undefined, version: undefined, store: async () => undefined };
  }
  const cache =
    caches.get(queries) ??
    new NamedCache<CachedNameCount>('name-counts', {
      maxSize: MAX_CACHED_NAMES_CHARACTERS,
      sizeCalculation: ({ rowsVersion }, key) => key.length + rowsVersion.length,
    });
  caches.set(queries, cache);
  const key = `${search.organization} ${search.key}`;
  const versions = await readVersions(queries, search);
  const cached = cache.get(key);
  const current =
    cached && !isSame(cached.versions, versions) ? await adjust(queries, search, cached) : cached;
  if (current) {
    cache.set(key, current);
    return { count: current.count, version: current.rowsVersion, store: async () => undefined };
  }
  const rowsVersion = JSON.stringify([...versions]);
  return {
    count: undefined,
    version: rowsVersion,
    async store(count) {
      // Adjusting the count requires the exact version of the counted names.
      if (isSame(versions, await readVersions(queries, search))) {
        cache.set(key, { count, versions, rowsVersion });
      }
    },
  };
}

const ownersOf = ({ names, user }: NameSearch) => (user === undefined ? [names] : [names, user]);
const shardKey = (owner: string, shard: number) => `${owner} ${shard}`;

const isSame = (a: Versions, b: Versions): boolean =>
  a.size === b.size && [...a].every(([key, value]) => b.get(key) === value);

async function readVersions(queries: Queries, search: NameSearch): Promise<Versions> {
  const rows = await queries
    .selectFrom('visibilityVersions')
    .select(['owner', 'shard', 'value'])
    .where('organization', '=', search.organization)
    .where('owner', 'in', ownersOf(search))
    .orderBy('owner')
    .orderBy('shard')
    .execute();
  return new Map(rows.map(({ owner, shard, value }) => [shardKey(owner, shard), value]));
}

/** Adjusts a count by the changes since it was cached; returns undefined if they are too many or not recorded. */
async function adjust(
  queries: Queries,
  search: NameSearch,
  cached: CachedNameCount,
): Promise<CachedNameCount | undefined> {
  const { names, organization, matches } = search;
  const isLater = sql<SqlBool>`"nameChanges"."version" > ${versionOfShard(names, cached.versions)}`;
  // One statement, so that the versions are those that the changes led to, and no change is overwritten meanwhile.
  const rows = await queries
    .selectFrom('visibilityVersions as versions')
    .leftJoin('nameChanges', (join) =>
      join
        .onRef('nameChanges.organization', '=', 'versions.organization')
        .onRef('nameChanges.owner', '=', 'versions.owner')
        .onRef('nameChanges.shard', '=', 'versions.shard')
        .on(isLater)
        // The condition can be expensive. Alone, PostgreSQL may evaluate it for all recorded changes.
        .on(({ or, eb }) =>
          or([eb('nameChanges.delta', '=', 0), sql<SqlBool>`case when ${isLater} then ${matches} end`]),
        ),
    )
    .select(['versions.owner', 'versions.shard', 'versions.value'])
    .select(['nameChanges.delta', 'nameChanges.createdAt', 'nameChanges.id'])
    .where('versions.organization', '=', organization)
    .where('versions.owner', 'in', ownersOf(search))
    .orderBy('versions.owner')
    .orderBy('versions.shard')
    .limit(MAX_ADJUSTED_ROWS + 1)
    .execute();
  const isRecorded = rows.every(({ owner, shard, value, delta }) => {
    const versions = value - (cached.versions.get(shardKey(owner, shard)) ?? 0);
    // Negative if it was cached from the primary, and this is a replica that lags.
    const isAdjustable = versions >= 0 && versions <= MAX_ADJUSTED_VERSIONS;
    return owner === names ? isAdjustable && delta !== 0 : versions === 0;
  });
  const versions = new Map(rows.map(({ owner, shard, value }) => [shardKey(owner, shard), value]));
  // A replica that lags can also lack a shard that the primary had when the count was cached.
  const hasShards = cached.versions.keys().every((key) => versions.has(key));
  if (!isRecorded || !hasShards || rows.length > MAX_ADJUSTED_ROWS) {
    return undefined;
  }
  // A row that matched before and after its changes remains at its place.
  const deltas = new Map<string, number>();
  for (const { createdAt, id, delta } of rows) {
    const row = JSON.stringify([createdAt, id]);
    deltas.set(row, (deltas.get(row) ?? 0) + (delta ?? 0));
  }
  const changed = [...deltas.values()].filter((delta) => delta !== 0);
  return {
    count: changed.reduce((sum, delta) => sum + delta, cached.count),
    versions,
    rowsVersion: changed.length > 0 ? JSON.stringify([...versions]) : cached.rowsVersion,
  };
}

/** The cached version of the shard of a row of `versions`. */
function versionOfShard(names: string, versions: Versions): RawBuilder<number> {
  const shards = [...versions].flatMap(([key, value]) => {
    const [owner, shard] = key.split(' ');
    return owner === names ? [sql`when ${sql.lit(Number(shard))} then cast(${value} as bigint)`] : [];
  });
  return shards.length > 0
    ? sql<number>`case "versions"."shard" ${sql.join(shards, sql` `)} else 0 end`
    : sql<number>`0`;
}
