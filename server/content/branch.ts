import type { Transaction } from '../database/database.ts';
import { planContent } from './plan.ts';
import { objectLoader } from './store/objects.ts';
import { type RevisionFacts, type RevisionRow, storeRevision } from './store/revisions.ts';
import type { ContentChange } from './tree/change.ts';

/**
 * Creates a revision by changing another one, or from nothing (`base: null`). The active revision of the space
 * stays: see `activateRevision`.
 */
export async function writeRevision(
  trx: Transaction,
  { base, change, ...facts }: RevisionFacts & { base: { root: string } | null; change: ContentChange },
): Promise<RevisionRow> {
  const load = objectLoader(trx, facts.organization);
  return storeRevision(trx, facts, await planContent(base?.root ?? null, change, load));
}
