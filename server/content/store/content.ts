import type { Queries } from '../../database/database.ts';
import { type Content, contentAt } from '../tree/content.ts';
import { objectLoader } from './objects.ts';
import type { RevisionRow } from './revisions.ts';

/** A revision, opened for reading. */
export interface OpenRevision {
  revision: RevisionRow;
  content: Content;
}

/** Opens the content of a revision for reading. `revision` may be a row of `revisions`. */
export async function openContent(
  queries: Queries,
  revision: { organization: string; root: string },
): Promise<Content> {
  const load = objectLoader(queries, revision.organization);
  return contentAt(revision.root, load);
}
