import type { Transaction } from '../../database/database.ts';
import { endOf } from './queries.ts';

/**
 * Gives a space, or a collection with all it holds, to another organization: it lands at the end of the
 * root there (additions, transfer). Grants and invitations name people of the old organization: they end.
 *
 * @returns the ids of the spaces that changed hands, deleted ones too, whose content has to follow
 */
export async function transferRows(
  trx: Transaction,
  thing: { kind: 'space' | 'collection'; id: string },
  to: string,
): Promise<string[]> {
  const collections = thing.kind === 'collection' ? await withBelow(trx, thing.id) : [];
  const spaces = thing.kind === 'space' ? [thing.id] : await spacesIn(trx, collections);
  await hand(trx, 'collection', collections, to);
  await hand(trx, 'space', spaces, to);
  const position = await endOf(trx, { organization: to, parent: null });
  await trx
    .updateTable(tableOf(thing.kind))
    .set({ parent: null, position })
    .where('id', '=', thing.id)
    .execute();
  return spaces;
}

const tableOf = (kind: 'space' | 'collection') => (kind === 'space' ? 'spaces' : 'collections');

async function hand(
  trx: Transaction,
  kind: 'space' | 'collection',
  ids: string[],
  to: string,
): Promise<void> {
  if (ids.length === 0) return;
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
  kind: 'space' | 'collection',
  ids: string[],
): Promise<void> {
  await trx.deleteFrom('grants').where('targetKind', '=', kind).where('target', 'in', ids).execute();
  await trx.deleteFrom('linkInvites').where('targetKind', '=', kind).where('target', 'in', ids).execute();
}

/** A collection and every collection below it. */
async function withBelow(trx: Transaction, id: string): Promise<string[]> {
  const all = [id];
  for (let level = [id]; level.length > 0; ) {
    const rows = await trx.selectFrom('collections').select('id').where('parent', 'in', level).execute();
    level = rows.map((row) => row.id);
    all.push(...level);
  }
  return all;
}

async function spacesIn(trx: Transaction, collections: string[]): Promise<string[]> {
  const rows = await trx.selectFrom('spaces').select('id').where('parent', 'in', collections).execute();
  return rows.map((row) => row.id);
}
