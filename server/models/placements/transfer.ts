import type { SelectQueryBuilder } from 'kysely';
import type { Queries, Transaction } from '../../database/database.ts';
import { endOf } from './queries.ts';
import type { Thing } from './target.ts';

/** Selects ids, of which there may be any number: they stay in the database. */
type Ids = SelectQueryBuilder<never, never, { id: string }>;

/**
 * Gives a space, or a collection with all it holds, to another organization: it lands at the end of the
 * root there. Grants and invitations name people of the old organization: they end.
 *
 * @returns the ids of the spaces that changed hands, deleted ones too, whose content has to follow
 */
export async function transferRows(trx: Transaction, thing: Thing, to: string): Promise<string[]> {
  const spaces = spacesOf(trx, thing);
  if (thing.kind === 'collection') await hand(trx, 'collection', collectionsFrom(trx, thing.id), to);
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

/** The ids of the spaces that a transfer of a space or collection hands over. */
export async function spacesToTransfer(queries: Queries, thing: Thing): Promise<string[]> {
  return (await spacesOf(queries, thing).execute()).map(({ id }) => id);
}

/** A space, or all in a collection and in those below it, deleted ones too. */
function spacesOf(queries: Queries, { kind, id }: Thing) {
  const spaces = queries.selectFrom('spaces').select('spaces.id');
  return kind === 'space'
    ? spaces.where('spaces.id', '=', id)
    : spaces.where('spaces.parent', 'in', collectionsFrom(queries, id));
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
function collectionsFrom(queries: Queries, id: string) {
  return queries
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
