import { openContent } from '../../../content/store/content.ts';
import { findRevision, type RevisionRow } from '../../../content/store/revisions.ts';
import type { Content } from '../../../content/tree/content.ts';
import { notFound } from '../../../contract/errors.ts';
import type { Queries } from '../../../database/database.ts';
import { spaceFor } from '../../../models/spaces/queries.ts';
import { type BasePath, baseFor, readBase } from '../../kit/branch.ts';

/** How paths name content to read: a space's, a change request's, or that of any revision of either. */
export type SourcePath = BasePath & { revisionId?: string };

/** Content to read. */
export interface Source {
  revision: RevisionRow;
  content: Content;
}

/**
 * The content that a user names, if they may read the space.
 *
 * @throws AccessError `invisible` where it does not exist for them
 */
export async function sourceFor(queries: Queries, user: string, path: SourcePath): Promise<Source> {
  if (path.revisionId === undefined)
    return await readBase(queries, await baseFor(queries, user, path, 'view'));
  await spaceFor(queries, user, path.spaceId, 'view');
  const revision = await findRevision(queries, path.spaceId, path.revisionId);
  if (!revision) throw notFound('revision');
  return { revision, content: await openContent(queries, revision) };
}
