import type { SelectQueryBuilder } from 'kysely';
import type { Transaction } from '../../database/database.ts';
import { endOf } from './queries.ts';
import type { Thing } from './thing.ts';

/** Selects ids, of which there may be any number: they stay in the database. */
type Ids = SelectQueryBuilder<never, never, { id: string }>;

/**
 * Gives a space, or a collection with all it holds, to another organization: it lands at the end of the
 * root there (additions, transfer). Grants and invitations name people of the old organization: they end.
 *
 * @returns the ids of the spaces that changed hands, deleted ones too, whose content has to follow
 */
export async function transferRows(trx: Transaction, thing: Thing, to: string): Promise<string[]> {
  const collections = thing.kind === 'collection' ? collectionsFrom(trx, thing.id) : undefined;
  const spaces = collections
    ? trx.selectFrom('spaces').select('spaces.id').where('spaces.parent', 'in', collections)
    : trx.selectFrom('spaces').select('spaces.id').where('spaces.id', '=', thing.id);
  if (collections) await hand(trx, 'collection', collections, to);
  await hand(trx, 'space', spaces, to);
  const moved = await spaces.execute();
  const position = await endOf(trx, { organization: to, parent: null });
  await trx
    .updateTable(tableOf(thing.kind))
    .set({ parent: null, position })
    .where('id', '=', thing.id)
    .execute();
  return moved.map(({ id }) => id);
}

const tableOf = (kind: Thing['kind']) => (kind === 'space' ? 'spaces' : 'collections');

async function hand(trx: Transaction, kind: Thing['kind'], ids: Ids, to: string): Promise<void> {
  await removeAccess(trx, kind, ids);
  await trx.updateTable(tableOf(kind)).set({ organization: to }).where('id', 'in', ids).execute();
  if (kind === 'collection') return;
  await trx
    .updateTable('commentReactions')
    .set({ organization: to })
    .where('comment', 'in', (comment) =>
      comment.selectFrom('comments').select('id').where('space', 'in', ids),
    )
    .execute();
  for (const table of ['changeRequests', 'comments'] as const)
    await trx.updateTable(table).set({ organization: to }).where('space', 'in', ids).execute();
}

/** Removes the grants on some things, and the links that invite to them. */
export async function removeAccess(
  trx: Transaction,
  kind: Thing['kind'],
  ids: Ids | readonly string[],
): Promise<void> {
  await trx.deleteFrom('grants').where('targetKind', '=', kind).where('target', 'in', ids).execute();
  await trx.deleteFrom('linkInvites').where('targetKind', '=', kind).where('target', 'in', ids).execute();
}

/** A collection and every collection below it. */
function collectionsFrom(trx: Transaction, id: string) {
  return trx
    .withRecursive('below', (query) =>
      query
        .selectFrom('collections')
        .select('collections.id')
        .where('collections.id', '=', id)
        .union(
          query
            .selectFrom('below')
            .innerJoin('collections', 'collections.parent', 'below.id')
            .select('collections.id'),
        ),
    )
    .selectFrom('below')
    .select('below.id');
}
