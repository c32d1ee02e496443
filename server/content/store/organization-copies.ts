import { sql } from 'kysely';
import { batches } from '../../database/batches.ts';
import type { Queries, Transaction } from '../../database/database.ts';
import type { QuotaLimitsOf } from '../../quotas/quotas.ts';
import { requireQuota } from '../../quotas/use.ts';
import { padded } from './objects.ts';

/** Hashes or IDs in one statement. A power of two, see `padded`. */
export const BATCH_HASHES = 512;

/** Returns the roots of all revisions of spaces. */
export async function rootsOf(queries: Queries, spaces: readonly string[]): Promise<Set<string>> {
  const roots = new Set<string>();
  for (const batch of batches(spaces, BATCH_HASHES)) {
    const rows = await queries
      .selectFrom('revisions')
      .select('root')
      .distinct()
      .where('space', 'in', padded(batch))
      .execute();
    for (const { root } of rows) {
      roots.add(root);
    }
  }
  return roots;
}

/** Copies objects to another organization, within the database. */
export async function copyObjects(
  trx: Transaction,
  hashes: readonly string[],
  from: string,
  to: string,
): Promise<void> {
  await trx
    .insertInto('objects')
    .columns(['organization', 'hash', 'kind', 'data'])
    .expression((query) =>
      query
        .selectFrom('objects')
        .select([sql<string>`cast(${to} as text)`.as('organization'), 'hash', 'kind', 'data'])
        .where('organization', '=', from)
        .where('hash', 'in', padded(hashes)),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Copies files that the other organization lacks: their chunks first, with the same keys. Objects are shared.
 *
 * @throws ContractError 403 if the other organization would have too many bytes
 */
export async function copyBlobs(
  trx: Transaction,
  quotas: QuotaLimitsOf,
  hashes: readonly string[],
  from: string,
  to: string,
): Promise<void> {
  const rows = await trx
    .selectFrom('blobs')
    .select(['hash', 'size', 'content', 'object'])
    .where('organization', '=', from)
    .where('hash', 'in', padded(hashes))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('blobs as existing')
            .select('existing.hash')
            .where('existing.organization', '=', to)
            .whereRef('existing.hash', '=', 'blobs.hash'),
        ),
      ),
    )
    .execute();
  if (rows.length === 0) {
    return;
  }
  const bytes = rows.reduce((sum, { size }) => sum + size, 0);
  await requireQuota(trx, quotas, to, { bytes });
  const contents = padded(rows.map(({ content }) => content));
  // The organization may have had them before and be about to delete their chunks.
  await trx
    .deleteFrom('blobUploads')
    .where('organization', '=', to)
    .where('content', 'in', contents)
    .execute();
  await trx
    .insertInto('blobChunks')
    .columns(['organization', 'content', 'index', 'data'])
    .expression((query) =>
      query
        .selectFrom('blobChunks')
        .select([sql<string>`cast(${to} as text)`.as('organization'), 'content', 'index', 'data'])
        .where('organization', '=', from)
        .where('content', 'in', contents),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await trx
    .insertInto('blobs')
    .values(rows.map((row) => ({ ...row, organization: to })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
