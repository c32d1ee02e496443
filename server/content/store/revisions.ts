import type { Selectable } from 'kysely';
import { LRUCache } from 'lru-cache';
import { readCounter } from '../../database/counters.ts';
import type { Database, Queries, Transaction } from '../../database/database.ts';
import { writeJson } from '../../database/json.ts';
import type { RevisionGit, RevisionsTable } from '../../database/schema/revisions.ts';
import type { PlannedContent } from '../tree/change.ts';
import { objectBatches, putObjects } from './objects.ts';

/** A revision as the table holds it. */
export type RevisionRow = Selectable<RevisionsTable>;

/** What a new revision is, beside its content. */
export interface RevisionFacts {
  /** Its id, made by the caller: a space names its first revision, and the revision its space. */
  id: string;
  organization: string;
  space: string;
  type: RevisionsTable['type'];
  /** The revisions it follows. */
  parents: readonly string[];
  git?: RevisionGit | undefined;
  /** The change request whose content it is; none for the primary content. */
  changeRequest?: string | undefined;
  /** The user who made it; null for the service itself. */
  createdBy: string | null;
  now: Date;
}

/** The counter that a sweep moves on, see {@link storeRevision}. */
export const SWEEPS = 'content.sweeps';

/** A revision of a space, or undefined. */
export async function findRevision(
  queries: Queries,
  space: string,
  id: string,
): Promise<RevisionRow | undefined> {
  return queries
    .selectFrom('revisions')
    .selectAll()
    .where('id', '=', id)
    .where('space', '=', space)
    .executeTakeFirst();
}

/**
 * A revision that the database names elsewhere, so that it has to be there.
 *
 * @throws Error when it is not: the database was damaged
 */
export async function requireRevision(queries: Queries, space: string, id: string): Promise<RevisionRow> {
  const revision = await findRevision(queries, space, id);
  if (!revision) throw new Error(`The space ${space} has lost its revision ${id}.`);
  return revision;
}

/** Revisions that a process remembers. */
export const MAX_REMEMBERED_REVISIONS = 10_000;

const remembered = new WeakMap<Queries, LRUCache<string, RevisionRow>>();

/**
 * The current revision of a space or change request that was just read. It is remembered: a revision never changes,
 * but for the organization, which is that of its space.
 */
export async function currentRevision(
  queries: Queries,
  { space, revision: id }: { space: { id: string; organization: string }; revision: string },
): Promise<RevisionRow> {
  // A transaction may see revisions that are never committed.
  if (queries.isTransaction) return await requireRevision(queries, space.id, id);
  const known = remembered.get(queries) ?? new LRUCache({ max: MAX_REMEMBERED_REVISIONS });
  remembered.set(queries, known);
  const revision = known.get(id) ?? (await requireRevision(queries, space.id, id));
  known.set(id, revision);
  return { ...revision, organization: space.organization };
}

/**
 * Stores a revision whose content was planned, perhaps before the transaction began. Its base
 * must be a revision that is there when this commits.
 */
export async function storeRevision(
  trx: Transaction,
  facts: RevisionFacts,
  content: PlannedContent,
): Promise<RevisionRow> {
  const sweeps = await countSweeps(trx, facts.organization);
  if (content.storedAfterSweeps !== sweeps) await putObjects(trx, facts.organization, content.objects);
  const row: RevisionRow = {
    id: facts.id,
    organization: facts.organization,
    space: facts.space,
    type: facts.type,
    root: content.root,
    parents: writeJson([...facts.parents]),
    git: facts.git ? writeJson(facts.git) : null,
    createdAt: facts.now.toISOString(),
    createdBy: facts.createdBy,
    changeRequest: facts.changeRequest ?? null,
  };
  await trx.insertInto('revisions').values(row).execute();
  return row;
}

/**
 * The first revision of a space that has the content of `source`, a revision in the same organization. Writes one
 * row, however much content there is; ids of pages and files are the same in both spaces.
 */
export function copyRevision(
  trx: Transaction,
  source: { root: string },
  facts: Omit<RevisionFacts, 'type' | 'parents' | 'git'>,
): Promise<RevisionRow> {
  return storeRevision(trx, { ...facts, type: 'edits', parents: [] }, { root: source.root, objects: [] });
}

/**
 * Makes a revision the active one of its space, if `expected` still is: of two writers that started from the same
 * revision only the first gets `true`, the other one has to start again from what is there now.
 */
export async function activateRevision(
  trx: Transaction,
  { revision, expected }: { revision: RevisionRow; expected: string },
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('spaces')
    .set({ revision: revision.id, updatedAt: revision.createdAt })
    .where('id', '=', revision.space)
    .where('revision', '=', expected)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * How many sweeps there were. In a transaction this keeps a sweep from taking objects that the transaction is about
 * to lead to. A sweep reads all revisions and moves the counter; who writes a revision reads the counter: so of two
 * that run at the same time one fails, and is run again.
 */
export function countSweeps(queries: Queries, organization: string): Promise<number> {
  return readCounter(queries, organization, SWEEPS);
}

/**
 * Stores the objects of planned content ahead of the transaction that makes a revision of it, where they are many: in
 * small transactions, between which others write. Where a sweep comes in between, {@link storeRevision} stores them
 * again.
 */
export async function storeAhead(
  database: Database,
  organization: string,
  content: PlannedContent,
): Promise<PlannedContent> {
  const batches = [...objectBatches(content.objects)];
  if (batches.length <= 1 || content.storedAfterSweeps !== undefined) return content;
  const storedAfterSweeps = await countSweeps(database.query, organization);
  for (const batch of batches) await database.transaction((trx) => putObjects(trx, organization, batch));
  return { ...content, storedAfterSweeps };
}
