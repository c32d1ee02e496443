import type { components } from '../../../generated/schema.d.ts';
import type { Queries, Transaction } from '../../database/database.ts';
import { between } from '../../database/positions.ts';
import { ConflictError, FieldError } from '../errors.ts';

type Schemas = components['schemas'];

/** A space or a collection among those of the same parent. */
interface Sibling {
  kind: 'space' | 'collection';
  id: string;
  position: string;
  /** A deleted space keeps its place, so that a restore finds it free. */
  deleted: boolean;
}

/** Where spaces and collections stand: in a collection, or at the root (null) of an organization. */
export interface Parent {
  organization: string;
  parent: string | null;
}

/** What stands in a parent, in its order. */
async function siblingsIn(queries: Queries, { organization, parent }: Parent): Promise<Sibling[]> {
  const [collections, spaces] = [
    await queries
      .selectFrom('collections')
      .select(['id', 'position'])
      .where('organization', '=', organization)
      .where('parent', parent === null ? 'is' : '=', parent)
      .execute(),
    await queries
      .selectFrom('spaces')
      .select(['id', 'position', 'deletedAt'])
      .where('organization', '=', organization)
      .where('parent', parent === null ? 'is' : '=', parent)
      .execute(),
  ];
  return [
    ...collections.map((row): Sibling => ({ kind: 'collection', ...row, deleted: false })),
    ...spaces.map(
      ({ deletedAt, ...row }): Sibling => ({ kind: 'space', ...row, deleted: deletedAt !== null }),
    ),
  ].sort((a, b) => compare(a.position, b.position) || compare(a.id, b.id));
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** The place behind everything in a parent. */
export async function endOf(trx: Transaction, { organization, parent }: Parent): Promise<string> {
  const last: string[] = [];
  for (const table of ['collections', 'spaces'] as const) {
    const row = await trx
      .selectFrom(table)
      .select('position')
      .where('organization', '=', organization)
      .where('parent', parent === null ? 'is' : '=', parent)
      .orderBy('position', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (row) last.push(row.position);
  }
  return between(last.sort().at(-1) ?? null, null);
}

/**
 * The place that a move asks for.
 *
 * @param self what is moved; it is no neighbour of itself
 * @param from where it stands now
 * @throws FieldError where `position` names something else than siblings next to each other, ConflictError
 * where the thing stands there already
 */
export async function placeFor(
  trx: Transaction,
  self: { kind: 'space' | 'collection'; id: string; position: string },
  from: Parent,
  to: Parent,
  position: Schemas['ContentPointerPosition'] | undefined,
): Promise<string> {
  const all = (await siblingsIn(trx, to)).filter(({ kind, id }) => kind !== self.kind || id !== self.id);
  const seen = all.filter(({ deleted }) => !deleted);
  const index = indexFor(seen, position);
  if (from.parent === to.parent && index === seen.filter((one) => one.position < self.position).length)
    throw new ConflictError(`The ${self.kind} is there already: the move would change nothing.`);
  const before = seen[index - 1];
  const after = all[before ? all.indexOf(before) + 1 : 0];
  return between(before?.position ?? null, after?.position ?? null);
}

/** How many siblings come before the place that `position` names; without neighbours it is the end. */
function indexFor(siblings: Sibling[], position: Schemas['ContentPointerPosition'] | undefined): number {
  const after = position?.after && indexOf(siblings, position.after, 'position.after') + 1;
  const before = position?.before && indexOf(siblings, position.before, 'position.before');
  if (after !== undefined && before !== undefined && after !== before)
    throw new FieldError('position', 'names two neighbours that do not stand next to each other');
  return after ?? before ?? siblings.length;
}

function indexOf(siblings: Sibling[], pointer: Schemas['ContentPointer'], path: string): number {
  const id = pointer.type === 'space' ? pointer.space : pointer.collection;
  const index = siblings.findIndex((sibling) => sibling.kind === pointer.type && sibling.id === id);
  if (index < 0)
    throw new FieldError(path, `must name a space or a collection of the same parent, other than itself`);
  return index;
}
