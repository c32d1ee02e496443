import { batches } from '../../database/batches.ts';
import type { Transaction } from '../../database/database.ts';
import { moveSpaces } from '../../database/search/search.ts';
import type { QuotaLimitsOf } from '../../quotas/quotas.ts';
import { addReachable, ReachableSet } from '../tree/reachable.ts';
import type { CopiedContent } from './copy-ahead.ts';
import { padded, readObjectTexts } from './objects.ts';
import { BATCH_HASHES, copyBlobs, copyObjects, rootsOf } from './organization-copies.ts';
import { countSweeps } from './revisions.ts';

/**
 * Transfers the content of spaces to another organization: every revision with its search index. The calling function
 * changes the rows of the spaces themselves. Content that the previous organization still needs also remains there; a
 * sweep removes the rest.
 *
 * @param copied content that the other organization already has; if omitted, all content is copied in this
 *   transaction
 * @throws ContractError 403 if the other organization would have too many bytes
 */
export async function transferSpaceContent(
  trx: Transaction,
  quotas: QuotaLimitsOf,
  spaces: readonly string[],
  from: string,
  to: string,
  copied?: CopiedContent | undefined,
): Promise<void> {
  if (spaces.length === 0 || from === to) {
    return;
  }
  const roots = await rootsOf(trx, spaces);
  for (const batch of batches(spaces, BATCH_HASHES)) {
    await trx
      .updateTable('revisions')
      .set({ organization: to })
      .where('space', 'in', padded(batch))
      .execute();
  }
  await copyReachable(trx, quotas, roots, from, to, copied);
  await moveSpaces(trx, { spaces, from, to });
}

/**
 * Copies content that is reachable from roots of revisions within the database: only trees are read here. Content
 * that was copied before and may have been swept is copied again.
 */
async function copyReachable(
  trx: Transaction,
  quotas: QuotaLimitsOf,
  roots: ReadonlySet<string>,
  from: string,
  to: string,
  copied: CopiedContent | undefined,
): Promise<void> {
  const walked = (await countSweeps(trx, to)) === copied?.sweeps ? copied.walked : new Set<string>();
  const fresh = roots.difference(walked);
  if (fresh.size === 0) {
    return;
  }
  const reachable = new ReachableSet(walked);
  await addReachable(fresh, (hashes) => readObjectTexts(trx, from, hashes), reachable);
  for (const hashes of batches(reachable.objects, BATCH_HASHES)) {
    await copyObjects(trx, hashes, from, to);
  }
  for (const hashes of batches(reachable.blobs, BATCH_HASHES)) {
    await copyBlobs(trx, quotas, hashes, from, to);
  }
}
