import { findRevision, type RevisionRow, requireRevision } from '../../../content/store/revisions.ts';
import type { Queries } from '../../../database/database.ts';
import { readJson } from '../../../database/json.ts';

/** How long visitors can read a replaced revision, so that no read of a page fails halfway. */
export const REPLACED_REVISION_MS = 5 * 60 * 1000;

/** Finds the revision that the current one of a space replaced a short time ago; undefined if it is another one. */
export async function findReplacedRevision(
  queries: Queries,
  { space, current, id }: { space: string; current: string; id: string },
  now: Date,
): Promise<RevisionRow | undefined> {
  const { parents, createdAt } = await requireRevision(queries, space, current);
  const isRecent = now.getTime() - Date.parse(createdAt) <= REPLACED_REVISION_MS;
  return isRecent && readJson(parents)[0] === id ? await findRevision(queries, space, id) : undefined;
}
