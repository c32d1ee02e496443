import { findRevision, type RevisionRow } from '../../content/store/revisions.ts';
import type { Queries } from '../../database/database.ts';
import { spaceFor } from '../../models/space/queries.ts';

/**
 * The active revision of a space that the user may read.
 *
 * @throws AccessError `invisible` where the space does not exist for them
 */
export async function revisionOfSpace(queries: Queries, user: string, space: string): Promise<RevisionRow> {
  const { row } = await spaceFor(queries, user, space, 'view');
  const revision = await findRevision(queries, space, row.revision);
  if (!revision) throw new Error(`The space ${space} has lost its revision ${row.revision}.`);
  return revision;
}
