import type { Queries } from './database.ts';

/** Counts that a process remembers; the one that was not asked for the longest makes way. */
export const MAX_REMEMBERED_COUNTS = 50_000;

interface Remembered {
  /** The state of the data that was counted. */
  version: string;
  count: number;
}

const remembered = new WeakMap<Queries, Map<string, Remembered>>();

/** What is counted: what some users see in an organization. */
export interface CountedView {
  /** Key, unique among the counts of an organization. */
  key: string;
  /** The users whose grants and teams it depends on, beside what concerns everybody in the organization. */
  users: readonly string[];
}

/**
 * Counts what takes long to count, or remembers what was counted. Triggers raise the versions of what users see in
 * the transaction that changes it (`visibilityVersions`), so that a count is true at each read, in every process.
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
  // A transaction sees what nobody else may see yet, and on PostgreSQL would collide with who changes a version.
  if (queries.isTransaction) return [...(await count(views))];
  const known = remembered.get(queries) ?? new Map<string, Remembered>();
  remembered.set(queries, known);
  // Read before counting: what changes in between is counted under a version that nobody asks for again.
  const versionOf = await readVersions(queries, organization, views);
  const keyOf = (view: View) => `${organization} ${view.key}`;
  const isKnown = (view: View) => known.get(keyOf(view))?.version === versionOf(view);
  const missing = views.filter((view) => !isKnown(view));
  const found = missing.length > 0 ? await count(missing) : [];
  const counted = new Map(missing.map((view, index) => [view, found[index] ?? 0]));
  return views.map((view) => {
    const key = keyOf(view);
    const count = counted.get(view) ?? known.get(key)?.count ?? 0;
    // Set anew, so that it is the last to go.
    known.delete(key);
    known.set(key, { version: versionOf(view), count });
    const oldest = known.keys().next();
    if (known.size > MAX_REMEMBERED_COUNTS && !oldest.done) known.delete(oldest.value);
    return count;
  });
}

async function readVersions(
  queries: Queries,
  organization: string,
  views: readonly CountedView[],
): Promise<(view: CountedView) => string> {
  const users = [...new Set(views.flatMap((view) => view.users))];
  const rows = await queries
    .selectFrom('visibilityVersions')
    .select(['owner', ({ fn }) => fn.sum<number>('value').as('version')])
    .where('organization', '=', organization)
    .where('owner', 'in', ['', ...users])
    .groupBy('owner')
    .execute();
  const versions = new Map(rows.map(({ owner, version }) => [owner, version]));
  return (view) => ['', ...view.users].map((owner) => versions.get(owner) ?? 0).join(' ');
}
