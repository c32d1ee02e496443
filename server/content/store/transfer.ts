import { sql } from 'kysely';
import type { Transaction } from '../../database/database.ts';
import { moveSpaces } from '../../database/search.ts';
import { getObjects, padded } from './objects.ts';
import { Reached, reach } from './reachable.ts';
import { countSweeps } from './revisions.ts';

/** Hashes or ids that one statement names. A power of two, see `padded`. */
const BATCH = 512;

/**
 * Gives the content of spaces to another organization: every revision, with what search knows of it. The rows of
 * the spaces themselves are the caller's to change. Content that the old organization still needs stays there
 * too; a sweep takes away what it does not.
 */
export async function transferSpaceContent(
  trx: Transaction,
  spaces: readonly string[],
  from: string,
  to: string,
): Promise<void> {
  if (spaces.length === 0 || from === to) return;
  const roots = new Set<string>();
  for (const batch of batches(spaces)) {
    const ofSpaces = padded(batch);
    const rows = await trx
      .selectFrom('revisions')
      .select('root')
      .distinct()
      .where('space', 'in', ofSpaces)
      .execute();
    for (const { root } of rows) roots.add(root);
    await trx.updateTable('revisions').set({ organization: to }).where('space', 'in', ofSpaces).execute();
  }
  await copyReachable(trx, roots, from, to);
  await moveSpaces(trx, { spaces, from, to });
}

/** Copies what revisions' roots lead to, within the database: nothing but the trees passes through here. */
export async function copyReachable(
  trx: Transaction,
  roots: Iterable<string>,
  from: string,
  to: string,
): Promise<void> {
  await countSweeps(trx, to);
  const reached = new Reached();
  await reach(roots, (hashes) => getObjects(trx, from, hashes), reached);
  for (const hashes of batches(reached.objects)) {
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
  for (const hashes of batches(reached.blobs)) await copyBlobs(trx, hashes, from, to);
}

/** Copies files that the other organization lacks: their chunks first, under the same names. */
async function copyBlobs(
  trx: Transaction,
  hashes: readonly string[],
  from: string,
  to: string,
): Promise<void> {
  const rows = await trx
    .selectFrom('blobs')
    .select(['hash', 'size', 'content'])
    .where('organization', '=', from)
    .where('hash', 'in', padded(hashes))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('blobs as there')
            .select('there.hash')
            .where('there.organization', '=', to)
            .whereRef('there.hash', '=', 'blobs.hash'),
        ),
      ),
    )
    .execute();
  if (rows.length === 0) return;
  const contents = padded(rows.map(({ content }) => content));
  // It may have had them before, and still be about to delete their chunks.
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

function* batches(items: Iterable<string>): Generator<string[]> {
  const all = [...items];
  for (let from = 0; from < all.length; from += BATCH) yield all.slice(from, from + BATCH);
}
