import type { Queries, Transaction } from '../../database/database.ts';
import { isTurnOver, nextTurn } from './turns.ts';
import { type Load, MissingObjectError } from './values.ts';

/*
 * Content-addressed texts, kept once per organization. A hash names its content for ever, so nothing
 * here is ever changed: only added, and swept away (sweep.ts) when no revision leads to it any more.
 */

/** What a text is part of; for people who look into the table. */
export type ObjectKind = 'content' | 'tree' | 'text';

/** A text under its hash. */
export interface ContentObject {
  hash: string;
  kind: ObjectKind;
  data: string;
}

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
  for (const batch of batches(objects, ({ data }) => data.length)) {
    await trx
      .insertInto('objects')
      .values(batch.map(({ hash, kind, data }) => ({ organization, hash, kind, data })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    if (isTurnOver()) await nextTurn();
  }
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
  const wanted = [...new Set(hashes)];
  const found = new Map<string, string>();
  for (let from = 0; from < wanted.length; from += HASHES_PER_STATEMENT) {
    const rows = await queries
      .selectFrom('objects')
      .select(['hash', 'data'])
      .where('organization', '=', organization)
      .where('hash', 'in', padded(wanted.slice(from, from + HASHES_PER_STATEMENT)))
      .execute();
    for (const { hash, data } of rows) found.set(hash, data);
    // An embedded database answers at once: nothing else would run between the statements.
    if (isTurnOver()) await nextTurn();
  }
  for (const hash of wanted) if (!found.has(hash)) throw new MissingObjectError(hash);
  return found;
}

/**
 * Reads objects of one organization, each once: what was read is kept for as long as the loader is. Make one for
 * one piece of work, not for a process.
 */
export function objectLoader(queries: Queries, organization: string): Load {
  const kept = new Map<string, string>();
  return async (hashes) => {
    const missing = hashes.filter((hash) => !kept.has(hash));
    for (const [hash, text] of await getObjects(queries, organization, missing)) kept.set(hash, text);
    return kept;
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

/** Cuts into batches that one statement can carry. */
function* batches<T>(items: Iterable<T>, bytesOf: (item: T) => number): Generator<T[]> {
  let batch: T[] = [];
  let bytes = 0;
  for (const item of items) {
    batch.push(item);
    bytes += bytesOf(item);
    if (batch.length < ROWS && bytes < BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}
