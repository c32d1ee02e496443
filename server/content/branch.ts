import type { Queries, Transaction } from '../database/database.ts';
import { planContent } from './plan.ts';
import { openContent } from './store/content.ts';
import { objectLoader } from './store/objects.ts';
import { type RevisionFacts, type RevisionRow, requireRevision, storeRevision } from './store/revisions.ts';
import type { ContentChange } from './tree/change.ts';
import type { Content } from './tree/content.ts';

/** What content is read from and written to: the main content of a space, or a change request. */
export interface ContentBranch {
  space: { id: string; organization: string };
  /** Omitted for the main content. */
  changeRequest?: { id: string };
  /** Id of the current revision. */
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
  const revision = await requireRevision(queries, branch.space.id, branch.revision);
  return { revision, content: await openContent(queries, revision) };
}

/** The lock by which the writers of a branch take turns, see `Database.inTurn`. */
export const contentLock = (branch: {
  space: Pick<ContentBranch['space'], 'id'>;
  changeRequest?: ContentBranch['changeRequest'];
}): string => `content ${branch.changeRequest?.id ?? branch.space.id}`;

/**
 * Creates a revision by changing another one, or from nothing (`base: null`). The current revision of the space
 * is unchanged: see `activateRevision`.
 */
export async function writeRevision(
  trx: Transaction,
  { base, change, ...facts }: RevisionFacts & { base: { root: string } | null; change: ContentChange },
): Promise<RevisionRow> {
  const load = objectLoader(trx, facts.organization);
  return storeRevision(trx, facts, await planContent(base?.root ?? null, change, load));
}
