import { type SelectQueryBuilder, sql } from 'kysely';
import type { Queries, Transaction } from '../../../database/database.ts';
import type { QuotaLimitsOf } from '../../../quotas/quotas.ts';
import { requireQuota } from '../../../quotas/use.ts';
import { positionAtEnd } from './queries.ts';
import type { SpaceOrCollection } from './target.ts';

/** A query of IDs. They are not read into memory, since their number is unbounded. */
type Ids = SelectQueryBuilder<never, never, { id: string }>;

/**
 * Transfers a space, or a collection with its descendants, to the end of the root of another organization. Deletes
 * grants and invitations, which belong to users of the previous organization.
 *
 * @returns the IDs of the transferred spaces, including deleted spaces (their content must be transferred too), and the
 *   new values of the row
 * @throws ContractError 403 if the other organization would have too many spaces or pages
 */
export async function transferRows(
  trx: Transaction,
  quotas: QuotaLimitsOf,
  target: SpaceOrCollection,
  to: string,
): Promise<{ spaces: string[]; changed: { organization: string; parent: null; position: string } }> {
  await requireSpaceQuota(trx, quotas, target, to);
  const spaces = selectSpaces(trx, target);
  if (target.kind === 'collection') {
    await moveRows(trx, 'collection', selectSubtree(trx, target.id), to);
  }
  await moveRows(trx, 'space', spaces, to);
  const moved = await spaces.execute();
  const position = await positionAtEnd(trx, { organization: to, parent: null });
  await trx
    .updateTable(tableOf(target.kind))
    .set({ parent: null, position })
    .where('id', '=', target.id)
    .execute();
  return { spaces: moved.map(({ id }) => id), changed: { organization: to, parent: null, position } };
}

/**
 * Requires that an organization can have the spaces of a transfer.
 *
 * @throws ContractError 403 if it would have too many spaces or pages
 */
export async function requireSpaceQuota(
  queries: Queries,
  quotas: QuotaLimitsOf,
  target: SpaceOrCollection,
  to: string,
): Promise<void> {
  const { spaces, pages } = quotas.limitsOf(to);
  if (spaces === undefined && pages === undefined) {
    return;
  }
  const added = await queries
    .selectFrom('spaces')
    .select(({ fn }) => [
      fn.countAll<number>().as('spaces'),
      fn.coalesce(fn.sum<number>('pageCount'), sql.lit(0)).as('pages'),
    ])
    .where('id', 'in', selectSpaces(queries, target))
    .where('deletedAt', 'is', null)
    .executeTakeFirstOrThrow();
  await requireQuota(queries, quotas, to, added);
}

/** Lists the IDs of the spaces that a transfer of a space or collection includes. */
export async function spacesToTransfer(queries: Queries, target: SpaceOrCollection): Promise<string[]> {
  return (await selectSpaces(queries, target).execute()).map(({ id }) => id);
}

/** Selects a space, or the spaces in a collection and its descendants, including deleted ones. */
function selectSpaces(queries: Queries, { kind, id }: SpaceOrCollection) {
  const spaces = queries.selectFrom('spaces').select('spaces.id');
  return kind === 'space'
    ? spaces.where('spaces.id', '=', id)
    : spaces.where('spaces.parent', 'in', selectSubtree(queries, id));
}

const tableOf = (kind: SpaceOrCollection['kind']) => (kind === 'space' ? 'spaces' : 'collections');

async function moveRows(
  trx: Transaction,
  kind: SpaceOrCollection['kind'],
  ids: Ids,
  to: string,
): Promise<void> {
  await removeAccess(trx, kind, ids);
  await trx.updateTable(tableOf(kind)).set({ organization: to }).where('id', 'in', ids).execute();
  if (kind === 'collection') {
    return;
  }
  await trx
    .updateTable('commentReactions')
    .set({ organization: to })
    .where('comment', 'in', (comment) =>
      comment.selectFrom('comments').select('id').where('space', 'in', ids),
    )
    .execute();
  // As with grants, the reviewers lose access.
  await trx.deleteFrom('requestedReviewers').where('space', 'in', ids).execute();
  for (const table of ['changeRequests', 'comments', 'reviews', 'runs', 'syncedBranches'] as const) {
    await trx.updateTable(table).set({ organization: to }).where('space', 'in', ids).execute();
  }
}

/** Deletes the grants on some spaces or collections, and their invite links. */
export async function removeAccess(
  trx: Transaction,
  kind: SpaceOrCollection['kind'],
  ids: Ids | readonly string[],
): Promise<void> {
  await trx.deleteFrom('grants').where('targetKind', '=', kind).where('target', 'in', ids).execute();
  await trx.deleteFrom('linkInvites').where('targetKind', '=', kind).where('target', 'in', ids).execute();
}

/** Selects a collection and its descendants. */
function selectSubtree(queries: Queries, id: string) {
  return queries
    .withRecursive('descendants', (query) =>
      query
        .selectFrom('collections')
        .select('collections.id')
        .where('collections.id', '=', id)
        .union(
          query
            .selectFrom('descendants')
            .innerJoin('collections', 'collections.parent', 'descendants.id')
            .select('collections.id'),
        ),
    )
    .selectFrom('descendants')
    .select('descendants.id');
}
