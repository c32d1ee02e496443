import { LRUCache } from 'lru-cache';
import { batches } from '../../database/batches.ts';
import type { Queries, Transaction } from '../../database/database.ts';
import type { ObjectsTable } from '../../database/schema/objects.ts';
import type { ContentObject } from '../tree/objects.ts';
import { isTurnOver, nextTurn } from '../tree/turns.ts';
import { type Load, MissingObjectError } from '../tree/values.ts';

/*
 * Content-addressed texts, kept once per organization. A hash names its content for ever, so nothing
 * here is ever changed: only added, and swept away (sweep.ts) when no revision leads to it any more.
 */

/** Rows that one statement writes. */
const ROWS = 100;
/** Bytes after which a statement takes no further row. */
const BYTES = 4 * 1024 * 1024;
/** Most hashes that one statement asks for. A power of two, see {@link padded}. */
export const HASHES_PER_STATEMENT = 512;

/** Stores texts; those that are there already cost nothing but the look. */
export async function putObjects(
  trx: Transaction,
  organization: string,
  objects: Iterable<ContentObject>,
): Promise<void> {
  for (const batch of objectBatches(objects)) {
    await trx
      .insertInto('objects')
      .values(batch.map(({ hash, kind, data }) => ({ organization, hash, kind, data })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/** Those of some hashes that are stored for this organization. */
export const knownObjects = (
  queries: Queries,
  organization: string,
  hashes: readonly string[],
): Promise<Set<string>> => storedHashes(queries, 'objects', organization, hashes);

/** Those of some hashes that a table has for this organization. */
export async function storedHashes(
  queries: Queries,
  table: 'objects' | 'blobs',
  organization: string,
  hashes: readonly string[],
): Promise<Set<string>> {
  const known = new Set<string>();
  for (const batch of batches(hashes, HASHES_PER_STATEMENT)) {
    const rows = await queries
      .selectFrom(table)
      .select('hash')
      .where('organization', '=', organization)
      .where('hash', 'in', padded(batch))
      .execute();
    for (const { hash } of rows) known.add(hash);
    if (isTurnOver()) await nextTurn();
  }
  return known;
}

/**
 * The texts of some hashes.
 * @throws MissingObjectError when one is not stored for this organization
 */
export async function getObjects(
  queries: Queries,
  organization: string,
  hashes: Iterable<string>,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const { hash, data } of await readObjects(queries, organization, hashes)) found.set(hash, data);
  return found;
}

async function readObjects(
  queries: Queries,
  organization: string,
  hashes: Iterable<string>,
): Promise<Array<Omit<ObjectsTable, 'organization'>>> {
  const wanted = [...new Set(hashes)];
  const found: Awaited<ReturnType<typeof readObjects>> = [];
  for (const batch of batches(wanted, HASHES_PER_STATEMENT)) {
    const rows = await queries
      .selectFrom('objects')
      .select(['hash', 'kind', 'data'])
      .where('organization', '=', organization)
      .where('hash', 'in', padded(batch))
      .execute();
    found.push(...rows);
    // An embedded database answers at once: nothing else would run between the statements.
    if (isTurnOver()) await nextTurn();
  }
  const known = new Set(found.map(({ hash }) => hash));
  for (const hash of wanted) if (!known.has(hash)) throw new MissingObjectError(hash);
  return found;
}

/** Bytes of objects that a process remembers. */
export const MAX_REMEMBERED_OBJECT_BYTES = 32 * 1024 * 1024;
/** A longer object is read each time. */
export const MAX_REMEMBERED_OBJECT_LENGTH = 64 * 1024;

type Remembered = LRUCache<string, Pick<ObjectsTable, 'kind' | 'data'>>;
const remembered = new WeakMap<Queries, Remembered>();

function rememberedBy(queries: Queries): Remembered | undefined {
  // A transaction may see objects that are never committed.
  if (queries.isTransaction) return undefined;
  const known = remembered.get(queries);
  if (known) return known;
  const created: Remembered = new LRUCache({
    maxSize: MAX_REMEMBERED_OBJECT_BYTES,
    // A string takes up to two bytes a character, beside its key.
    sizeCalculation: ({ data }) => 2 * data.length + 200,
  });
  remembered.set(queries, created);
  return created;
}

/**
 * Reads objects of one organization. What trees are made of is read once and kept for as long as the loader is, so
 * make one for one piece of work, not for a process. Texts of pages are not kept: a space has any number of them.
 * Small objects that were read lately are remembered by the process, as they never change.
 */
export function objectLoader(queries: Queries, organization: string): Load {
  const kept = new Map<string, string>();
  const cache = rememberedBy(queries);
  return async (hashes) => {
    const texts = new Map<string, string>();
    const keep = (hash: string, kind: string, data: string) =>
      (kind === 'text' ? texts : kept).set(hash, data);
    const missing: string[] = [];
    for (const hash of hashes) {
      if (kept.has(hash)) continue;
      const object = cache?.get(`${organization} ${hash}`);
      if (object) keep(hash, object.kind, object.data);
      else missing.push(hash);
    }
    for (const { hash, kind, data } of await readObjects(queries, organization, missing)) {
      keep(hash, kind, data);
      if (data.length <= MAX_REMEMBERED_OBJECT_LENGTH) cache?.set(`${organization} ${hash}`, { kind, data });
    }
    if (texts.size === 0) return kept;
    for (const hash of hashes) {
      const text = kept.get(hash);
      if (text !== undefined) texts.set(hash, text);
    }
    return texts;
  };
}

/**
 * Filled up with its last item to a power of two: statements of few different lengths, which engines need not
 * prepare anew for each number of hashes.
 */
export function padded(hashes: readonly string[]): string[] {
  const last = hashes.at(-1);
  if (last === undefined) return [];
  const length = 2 ** Math.ceil(Math.log2(hashes.length));
  return [...hashes, ...new Array<string>(length - hashes.length).fill(last)];
}

/** Cuts texts into batches that one statement can carry, taking no more of them than the batch needs. */
export function* objectBatches(objects: Iterable<ContentObject>): Generator<ContentObject[]> {
  let batch: ContentObject[] = [];
  let bytes = 0;
  for (const object of objects) {
    batch.push(object);
    bytes += object.data.length;
    if (batch.length < ROWS && bytes < BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}
