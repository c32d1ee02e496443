import type { Queries } from './database.ts';

/** Counts that a process remembers; the one that was not asked for the longest makes way. */
export const MAX_REMEMBERED_COUNTS = 50_000;

interface Remembered {
  /** The state of the data that was counted. */
  version: string;
  count: number;
}

const remembered = new WeakMap<Queries, Map<string, Remembered>>();

/** Something to count in an organization. */
export interface CountedView {
  /** Key, unique among the counts of an organization. */
  key: string;
  /**
   * What it depends on, as the owners of versions that triggers raise: ids of users for their grants and teams, ''
   * for what concerns everybody, 'members' and 'teams' for which there are and their names.
   */
  owners: readonly string[];
}

/** A {@link CountedView} with its organization, given by its id. */
export interface CountedIn extends CountedView {
  organization: string;
}

/** What is remembered of a count. */
export interface RecalledCount {
  /** The count; undefined where it is not remembered, or what it depends on has changed since. */
  count: number | undefined;
  /** Remembers what was counted after it was recalled. */
  remember(count: number): void;
}

/**
 * Counts what takes long to count, or remembers what was counted. Triggers raise the versions of what a count depends
 * on in the transaction that changes it (`visibilityVersions`), so that a count is true at each read, in every
 * process.
 *
 * @param views at most some hundreds
 * @param count counts those of which nothing is remembered
 * @returns the counts, in the order of the views
 */
export async function rememberCounts<View extends CountedView>(
  queries: Queries,
  organization: string,
  views: readonly View[],
  count: (missing: readonly View[]) => Promise<readonly number[]>,
): Promise<number[]> {
  if (views.length === 0) return [];
  const recalled = await recallCounts(queries, organization, views);
  const missing = views.flatMap((view, index) => {
    const of = recalled[index];
    return of?.count === undefined ? [{ view, of }] : [];
  });
  const found = missing.length > 0 ? await count(missing.map(({ view }) => view)) : [];
  const counted = new Map(missing.map(({ of }, index) => [of, found[index] ?? 0]));
  for (const [of, number] of counted) of?.remember(number);
  return recalled.map((of) => of.count ?? counted.get(of) ?? 0);
}

/** {@link rememberCounts} for one count that the caller makes, and has remembered, where it is not known. */
export async function recallCount(
  queries: Queries,
  organization: string,
  view: CountedView,
): Promise<RecalledCount> {
  const [recalled] = await recallCounts(queries, organization, [view]);
  if (!recalled) throw new Error('One view is recalled as one count.');
  return recalled;
}

async function recallCounts(
  queries: Queries,
  organization: string,
  views: readonly CountedView[],
): Promise<RecalledCount[]> {
  // A transaction sees what nobody else may see yet, and on PostgreSQL would collide with who changes a version.
  if (queries.isTransaction) return views.map(() => ({ count: undefined, remember: () => undefined }));
  const known = remembered.get(queries) ?? new Map<string, Remembered>();
  remembered.set(queries, known);
  // Read before counting: what changes in between is counted under a version that nobody asks for again.
  const versionOf = await readVersions(queries, organization, views);
  return views.map((view) => {
    const key = `${organization} ${view.key}`;
    const version = versionOf(view);
    const remember = (count: number) => {
      // Set anew, so that it is the last to go.
      known.delete(key);
      known.set(key, { version, count });
      const oldest = known.keys().next();
      if (known.size > MAX_REMEMBERED_COUNTS && !oldest.done) known.delete(oldest.value);
    };
    const found = known.get(key);
    if (found?.version !== version) return { count: undefined, remember };
    remember(found.count);
    return { count: found.count, remember };
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
