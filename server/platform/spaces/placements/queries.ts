import { type Compilable, type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { components } from '../../../../generated/schema.d.ts';
import type { Queries, Transaction } from '../../../database/database.ts';
import { between } from '../../../database/lists/positions.ts';
import { type ParametersOf, statement } from '../../../database/statement.ts';
import { fieldInvalid } from '../../../errors/errors.ts';

type Schemas = components['schemas'];

/** A space or a collection with its position in its parent. */
interface Sibling {
  kind: 'space' | 'collection';
  id: string;
  position: string;
}

/** The parent of spaces and collections: a collection, or the root (null) of an organization. */
export interface Parent {
  organization: string;
  parent: string | null;
}

/** Selects the resources of one kind in a parent. Each kind has its own index in order of position. */
function siblingsIn(queries: Queries, kind: Sibling['kind'], { organization, parent }: Parent) {
  return queries
    .selectFrom(kind === 'space' ? 'spaces' : 'collections')
    .select(['id', 'position'])
    .where('organization', '=', organization)
    .where('parent', parent === null ? 'is' : '=', parent);
}

/** Returns the position after all children of a parent. */
export async function positionAtEnd(trx: Transaction, { organization, parent }: Parent): Promise<string> {
  const last =
    parent === null
      ? await findLastAtRoot.rows(trx, { organization })
      : await findLastIn.rows(trx, { organization, parent });
  const positions = last.map(({ position }) => position);
  return between(positions.sort().at(-1) ?? null, null);
}

/** Selects the last position of each kind at the root of an organization or in a collection. */
function selectLast(
  queries: Queries,
  organization: Expression<string>,
  isInParent: RawBuilder<SqlBool>,
): Compilable<{ position: string }> {
  const lastOf = (table: 'collections' | 'spaces') =>
    queries.selectFrom(
      queries
        .selectFrom(table)
        .select('position')
        .where('organization', '=', organization)
        .where(isInParent)
        .orderBy('position', 'desc')
        .limit(1)
        .as('last'),
    );
  return lastOf('collections').select('last.position').unionAll(lastOf('spaces').select('last.position'));
}

const findLastAtRoot = statement((queries, { organization }: ParametersOf<{ organization: string }>) =>
  selectLast(queries, organization, sql`"parent" is null`).compile(),
);

const findLastIn = statement(
  (queries, { organization, parent }: ParametersOf<{ organization: string; parent: string }>) =>
    selectLast(queries, organization, sql`"parent" = ${parent}`).compile(),
);

/** The siblings next to a position; undefined at the start or the end of the parent. */
interface Neighbors {
  before: Sibling | undefined;
  after: Sibling | undefined;
}

/**
 * Returns the position that a move requests. Reads only the neighbors of the position, regardless of the number of
 * siblings.
 *
 * @param self the moved resource, which is not a neighbor of itself
 * @param from its current parent
 * @returns undefined if the resource is already there: the move writes nothing
 * @throws ContractError 400 if `position` does not name adjacent siblings
 */
export async function requestedPosition(
  trx: Transaction,
  self: Sibling,
  from: Parent,
  to: Parent,
  position: Schemas['ContentPosition'] | undefined,
): Promise<string | undefined> {
  const { before, after } = await findNeighbors(trx, self, to, position);
  const isInPosition = (!before || compare(before, self) < 0) && (!after || compare(self, after) < 0);
  if (from.parent === to.parent && isInPosition) {
    return undefined;
  }
  // The position of a deleted space remains reserved, so that the space can be restored there.
  const next = await findNeighbor(trx, self, to, before, 'after', { deleted: true });
  return between(before?.position ?? null, next?.position ?? null);
}

/** Finds the neighbors of a requested position; by default of the end of the parent. */
async function findNeighbors(
  trx: Transaction,
  self: Sibling,
  to: Parent,
  position: Schemas['ContentPosition'] | undefined,
): Promise<Neighbors> {
  const before = position?.after && (await findSibling(trx, self, to, position.after, 'position.after'));
  const after = position?.before && (await findSibling(trx, self, to, position.before, 'position.before'));
  if (before) {
    const next = await findNeighbor(trx, self, to, before, 'after');
    if (after && next?.id !== after.id) {
      throw fieldInvalid('position', 'is invalid: `before` and `after` must name adjacent siblings');
    }
    return { before, after: next };
  }
  return { before: await findNeighbor(trx, self, to, after, 'before'), after };
}

/** Finds the sibling that a position refers to, which must not be the moved resource. */
async function findSibling(
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
  if (!row) {
    throw fieldInvalid(path, 'must name a sibling: another space or collection of the same parent');
  }
  return { kind, ...row };
}

/**
 * Finds the next sibling in a direction, without `from` the first one in that direction. Skips the moved resource and,
 * by default, deleted spaces.
 */
async function findNeighbor(
  trx: Transaction,
  self: Sibling,
  parent: Parent,
  from: Sibling | undefined,
  direction: 'before' | 'after',
  { deleted = false } = {},
): Promise<Sibling | undefined> {
  const order = direction === 'after' ? 'asc' : 'desc';
  const candidates: Sibling[] = [];
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
    if (row) {
      candidates.push({ kind, ...row });
    }
  }
  const [first] = candidates.sort((a, b) => (direction === 'after' ? compare(a, b) : compare(b, a)));
  return first;
}

const compare = (a: Sibling, b: Sibling): number =>
  a.position === b.position ? (a.id < b.id ? -1 : 1) : a.position < b.position ? -1 : 1;
