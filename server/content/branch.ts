import type { Queries } from '../database/database.ts';
import { openContent } from './store/content.ts';
import { currentRevision, type RevisionRow } from './store/revisions.ts';
import type { Content } from './tree/content.ts';

/** A target of reads and writes: the main content of a space, or a change request. */
export interface ContentBranch {
  space: { id: string; organization: string };
  /** Omitted for the main content. */
  changeRequest?: { id: string };
  /** ID of the current revision. */
  revision: string;
}

/** The main content of a space. */
export const mainBranch = <Space extends ContentBranch['space'] & { revision: string }>(space: Space) => ({
  space,
  revision: space.revision,
});

/** A revision, opened for reading. */
export interface OpenRevision {
  revision: RevisionRow;
  content: Content;
}

/** Opens the current revision of a branch. */
export async function openBranch(queries: Queries, branch: ContentBranch): Promise<OpenRevision> {
  const revision = await currentRevision(queries, branch);
  return { revision, content: await openContent(queries, revision) };
}

/** The lock by which the writers of a branch take turns, see `Database.inTurn`. */
export const contentLock = ({ space, changeRequest }: ContentBranch): string =>
  `content ${changeRequest?.id ?? space.id}`;
