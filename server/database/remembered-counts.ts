import { LRUCache } from 'lru-cache';
import type { Queries } from './database.ts';

/** Maximum number of characters of the keys of cached counts per process, with the text that was searched for. */
export const MAX_REMEMBERED_COUNT_CHARACTERS = 5_000_000;

interface CachedCount {
  /** Version of the counted data. */
  version: string;
  count: number;
}

const caches = new WeakMap<Queries, LRUCache<string, CachedCount>>();

/** A count in an organization. */
export interface CountedView {
  /** Key, unique among the counts of an organization. */
  key: string;
  /**
   * The dependencies of the count, as owners in `visibilityVersions`: user IDs for their grants and teams, '' for
   * changes that affect all users, 'members' and 'teams' for their lists and names.
   */
  owners: readonly string[];
}

/** A {@link CountedView} with the ID of its organization. */
export interface CountedIn extends CountedView {
  organization: string;
}

/** The state of a count in the cache. */
export interface RecalledCount {
  /** The count; undefined if it is not cached or outdated. */
  count: number | undefined;
  /** Current version of the counted data; undefined in a transaction. */
  version: string | undefined;
  /** Caches a count that was computed after this lookup. */
  remember(count: number): void;
}

/**
 * Returns cached counts, and computes the missing ones. Triggers increment the versions of the dependencies of a count
 * in the transaction that changes them (`visibilityVersions`), so that cached counts are correct in every process.
 *
 * @param views at most a few hundred
 * @param count computes the missing counts
 * @returns the counts in the order of the views
 */
export async function rememberCounts<View extends CountedView>(
  queries: Queries,
  organization: string,
  views: readonly View[],
  count: (missing: readonly View[]) => Promise<readonly number[]>,
): Promise<number[]> {
  if (views.length === 0) {
    return [];
  }
  const recalled = await recallCounts(queries, organization, views);
  const missing = views.flatMap((view, index) => {
    const of = recalled[index];
    return of?.count === undefined ? [{ view, of }] : [];
  });
  const results = missing.length > 0 ? await count(missing.map(({ view }) => view)) : [];
  const counted = new Map(missing.map(({ of }, index) => [of, results[index] ?? 0]));
  for (const [of, number] of counted) {
    of?.remember(number);
  }
  return recalled.map((of) => of.count ?? counted.get(of) ?? 0);
}

/** Looks up one count. If it is missing, the caller computes it and passes it to `remember`. */
export async function recallCount(
  queries: Queries,
  organization: string,
  view: CountedView,
): Promise<RecalledCount> {
  const [recalled] = await recallCounts(queries, organization, [view]);
  if (!recalled) {
    throw new Error('Expected one count for one view.');
  }
  return recalled;
}

async function recallCounts(
  queries: Queries,
  organization: string,
  views: readonly CountedView[],
): Promise<RecalledCount[]> {
  // A transaction sees its own uncommitted changes, and on PostgreSQL would conflict with changes of a version.
  if (queries.isTransaction) {
    return views.map(() => ({ count: undefined, version: undefined, remember: () => undefined }));
  }
  const cache =
    caches.get(queries) ??
    new LRUCache<string, CachedCount>({
      maxSize: MAX_REMEMBERED_COUNT_CHARACTERS,
      sizeCalculation: (_count, key) => key.length,
    });
  caches.set(queries, cache);
  // Read before counting: counts that change in between are stored under an outdated version.
  const versionOf = await readVersions(queries, organization, views);
  return views.map((view) => {
    const key = `${organization} ${view.key}`;
    const version = versionOf(view);
    const remember = (count: number) => {
      cache.set(key, { version, count });
    };
    const cached = cache.get(key);
    if (cached?.version !== version) {
      return { count: undefined, version, remember };
    }
    return { count: cached.count, version, remember };
  });
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
