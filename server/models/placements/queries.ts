import { sql } from 'kysely';
import type { components } from '../../../generated/schema.d.ts';
import type { Queries, Transaction } from '../../database/database.ts';
import { between } from '../../database/positions.ts';
import { alreadyInPosition, fieldInvalid } from '../../errors.ts';

type Schemas = components['schemas'];

/** A space or a collection among those of the same parent. */
interface Sibling {
  kind: 'space' | 'collection';
  id: string;
  position: string;
}

/** Where spaces and collections stand: in a collection, or at the root (null) of an organization. */
export interface Parent {
  organization: string;
  parent: string | null;
}

/** What stands in a parent: each kind by itself, for an index has one kind in order. */
function siblingsIn(queries: Queries, kind: Sibling['kind'], { organization, parent }: Parent) {
  return queries
    .selectFrom(kind === 'space' ? 'spaces' : 'collections')
    .select(['id', 'position'])
    .where('organization', '=', organization)
    .where('parent', parent === null ? 'is' : '=', parent);
}

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

/** A place in a parent: the end of it is where nothing comes before, or after. */
interface Neighbours {
  before: Sibling | undefined;
  after: Sibling | undefined;
}

/**
 * The place that a move asks for. It reads the neighbours of that place alone, however many siblings there are.
 *
 * @param self what is moved; it is no neighbour of itself
 * @param from where it stands now
 * @throws ContractError 400 where `position` names something else than siblings next to each other, ContractError 409
 * where the thing stands there already
 */
export async function placeFor(
  trx: Transaction,
  self: Sibling,
  from: Parent,
  to: Parent,
  position: Schemas['ContentPointerPosition'] | undefined,
): Promise<string> {
  const { before, after } = await neighboursFor(trx, self, to, position);
  const isThere = (!before || compare(before, self) < 0) && (!after || compare(self, after) < 0);
  if (from.parent === to.parent && isThere) throw alreadyInPosition(self.kind);
  // A deleted space keeps its place, so that a restore finds it free.
  const next = await neighbour(trx, self, to, before, 'after', { deleted: true });
  return between(before?.position ?? null, next?.position ?? null);
}

/** The siblings that a place is between; without a position it is the end. */
async function neighboursFor(
  trx: Transaction,
  self: Sibling,
  to: Parent,
  position: Schemas['ContentPointerPosition'] | undefined,
): Promise<Neighbours> {
  const before = position?.after && (await named(trx, self, to, position.after, 'position.after'));
  const after = position?.before && (await named(trx, self, to, position.before, 'position.before'));
  if (before) {
    const next = await neighbour(trx, self, to, before, 'after');
    if (after && next?.id !== after.id)
      throw fieldInvalid('position', 'is invalid: `before` and `after` must name adjacent siblings');
    return { before, after: next };
  }
  return { before: await neighbour(trx, self, to, after, 'before'), after };
}

/** The sibling that a position names, other than what is moved. */
async function named(
  trx: Transaction,
  self: Sibling,
  to: Parent,
  pointer: Schemas['ContentPointer'],
  path: string,
): Promise<Sibling> {
  const { type: kind } = pointer;
  const id = pointer.type === 'space' ? pointer.space : pointer.collection;
  const row =
    kind === self.kind && id === self.id
      ? undefined
      : await siblingsIn(trx, kind, to)
          .where('id', '=', id)
          .$if(kind === 'space', (rows) => rows.where(sql.ref('deletedAt'), 'is', null))
          .executeTakeFirst();
  if (!row) throw fieldInvalid(path, 'must name a sibling: another space or collection of the same parent');
  return { kind, ...row };
}

/**
 * The sibling next to another one in a direction, or at the far end of it where none is given; neither what is moved
 * nor, unless asked for, a deleted space.
 */
async function neighbour(
  trx: Transaction,
  self: Sibling,
  parent: Parent,
  from: Sibling | undefined,
  direction: 'before' | 'after',
  { deleted = false } = {},
): Promise<Sibling | undefined> {
  const order = direction === 'after' ? 'asc' : 'desc';
  const found: Sibling[] = [];
  for (const kind of ['collection', 'space'] as const) {
    const beyond = direction === 'after' ? sql`>` : sql`<`;
    const row = await siblingsIn(trx, kind, parent)
      .$if(kind === 'space' && !deleted, (rows) => rows.where(sql.ref('deletedAt'), 'is', null))
      .$if(kind === self.kind, (rows) => rows.where('id', '!=', self.id))
      .$if(from !== undefined, (rows) =>
        rows.where(sql<boolean>`("position", "id") ${beyond} (${from?.position}, ${from?.id})`),
      )
      .orderBy('position', order)
      .orderBy('id', order)
      .limit(1)
      .executeTakeFirst();
    if (row) found.push({ kind, ...row });
  }
  const [first] = found.sort((a, b) => (direction === 'after' ? compare(a, b) : compare(b, a)));
  return first;
}

const compare = (a: Sibling, b: Sibling): number =>
  a.position === b.position ? (a.id < b.id ? -1 : 1) : a.position < b.position ? -1 : 1;
