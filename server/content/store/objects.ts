import { batches } from '../../database/batches.ts';
import type { Database, Queries, Transaction } from '../../database/database.ts';
import type { ObjectsTable } from '../../database/schema/content/objects.ts';
import { NamedCache } from '../../diagnostics/caches.ts';
import { type ContentObject, textObject } from '../tree/objects.ts';
import { type Load, MissingObjectError } from '../tree/values.ts';
import { isYieldDue, yieldToEventLoop } from '../tree/yielding.ts';

/**
 * Content-addressed texts, stored once per organization. The content of a hash never changes, so rows are only added,
 * and swept (sweep.ts) when no revision refers to them.
 */

/** Rows that one statement writes. */
const ROWS_PER_STATEMENT = 100;
/** Size in bytes after which a statement accepts no further rows. */
const STATEMENT_BYTES = 4 * 1024 * 1024;
/** Maximum hashes that one statement queries. A power of two, see {@link padded}. */
export const HASHES_PER_STATEMENT = 512;

/** Stores texts; for those that exist, only their existence is checked. */
export async function storeObjects(
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

/** Stores texts that fit into one statement in a transaction of its own, except those that are stored already. */
export async function storeNewTexts(
  database: Database,
  organization: string,
  texts: readonly ContentObject[],
): Promise<void> {
  const stored = await storedObjects(
    database.query,
    organization,
    texts.map(({ hash }) => hash),
  );
  const fresh = texts.filter(({ hash }) => !stored.has(hash));
  if (fresh.length > 0) {
    await database.transaction((trx) => storeObjects(trx, organization, fresh));
  }
}

/**
 * Stores any number of texts ahead of the transaction that creates their revision. Only the texts of one statement are
 * in memory. The transaction must check that no sweep occurred since, see `countSweeps`.
 */
export class TextWriter {
  readonly #database: Database;
  readonly #organization: string;
  #batch: ContentObject[] = [];
  #bytes = 0;

  constructor(database: Database, organization: string) {
    this.#database = database;
    this.#organization = organization;
  }

  /** Adds a text, and returns its hash. It is stored at the latest when `flush` returns. */
  async add(markdown: string): Promise<string> {
    const text = textObject(markdown);
    this.#batch.push(text);
    this.#bytes += markdown.length;
    if (isFull(this.#batch, this.#bytes)) {
      await this.flush();
    }
    return text.hash;
  }

  async flush(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    this.#bytes = 0;
    await storeNewTexts(this.#database, this.#organization, batch);
  }
}

/** Returns those hashes that are stored for the organization. */
export const storedObjects = (
  queries: Queries,
  organization: string,
  hashes: readonly string[],
): Promise<Set<string>> => storedHashes(queries, 'objects', organization, hashes);

/** Returns those hashes that a table contains for the organization. */
export async function storedHashes(
  queries: Queries,
  table: 'objects' | 'blobs',
  organization: string,
  hashes: readonly string[],
): Promise<Set<string>> {
  const stored = new Set<string>();
  for (const batch of batches(hashes, HASHES_PER_STATEMENT)) {
    const rows = await queries
      .selectFrom(table)
      .select('hash')
      .where('organization', '=', organization)
      .where('hash', 'in', padded(batch))
      .execute();
    for (const { hash } of rows) {
      stored.add(hash);
    }
    if (isYieldDue()) {
      await yieldToEventLoop();
    }
  }
  return stored;
}

/**
 * Reads the texts of hashes.
 * @throws MissingObjectError if one is not stored for the organization
 */
export async function readObjectTexts(
  queries: Queries,
  organization: string,
  hashes: Iterable<string>,
): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const { hash, data } of await readObjects(queries, organization, hashes)) {
    texts.set(hash, data);
  }
  return texts;
}

/** Reads the objects of hashes. @throws MissingObjectError if one is not stored for the organization */
export async function readObjects(
  queries: Queries,
  organization: string,
  hashes: Iterable<string>,
): Promise<Array<Omit<ObjectsTable, 'organization'>>> {
  const requested = [...new Set(hashes)];
  const objects: Awaited<ReturnType<typeof readObjects>> = [];
  for (const batch of batches(requested, HASHES_PER_STATEMENT)) {
    const rows = await queries
      .selectFrom('objects')
      .select(['hash', 'kind', 'data'])
      .where('organization', '=', organization)
      .where('hash', 'in', padded(batch))
      .execute();
    objects.push(...rows);
    // An embedded database returns synchronously: no other work would run between the statements.
    if (isYieldDue()) {
      await yieldToEventLoop();
    }
  }
  const present = new Set(objects.map(({ hash }) => hash));
  for (const hash of requested) {
    if (!present.has(hash)) {
      throw new MissingObjectError(hash);
    }
  }
  return objects;
}

/** Maximum total size of the objects that a process caches. */
export const MAX_CACHED_OBJECT_BYTES = 32 * 1024 * 1024;
/** Maximum length of a cached object; longer ones are read each time. */
export const MAX_CACHED_OBJECT_CODE_UNITS = 64 * 1024;

type ObjectCache = NamedCache<Pick<ObjectsTable, 'kind' | 'data'>>;
const caches = new WeakMap<Queries, ObjectCache>();

function cacheOf(queries: Queries): ObjectCache | undefined {
  // A transaction may see objects that are never committed.
  if (queries.isTransaction) {
    return undefined;
  }
  const cached = caches.get(queries);
  if (cached) {
    return cached;
  }
  const created: ObjectCache = new NamedCache('objects', {
    maxSize: MAX_CACHED_OBJECT_BYTES,
    // A string takes up to two bytes per character, in addition to its key.
    sizeCalculation: ({ data }) => 2 * data.length + 200,
  });
  caches.set(queries, created);
  return created;
}

/** Caches the small ones of some objects that are stored. */
export function cacheObjects(
  queries: Queries,
  organization: string,
  objects: ReadonlyArray<Omit<ObjectsTable, 'organization'>>,
): void {
  const cache = cacheOf(queries);
  for (const { hash, kind, data } of objects) {
    if (data.length <= MAX_CACHED_OBJECT_CODE_UNITS) {
      cache?.set(`${organization} ${hash}`, { kind, data });
    }
  }
}

/**
 * Reads objects of one organization. Nodes of trees are read once and retained for the lifetime of the loader, so
 * create one per task, not per process. Texts of pages are not retained, because their number is unbounded. Small
 * objects that were read recently are cached by the process, as they never change.
 */
export function objectLoader(queries: Queries, organization: string): Load {
  const nodes = new Map<string, string>();
  const cache = cacheOf(queries);
  return async (hashes) => {
    const texts = new Map<string, string>();
    const retain = (hash: string, kind: string, data: string) =>
      (kind === 'text' ? texts : nodes).set(hash, data);
    const missing: string[] = [];
    for (const hash of hashes) {
      if (nodes.has(hash)) {
        continue;
      }
      const object = cache?.get(`${organization} ${hash}`);
      if (object) {
        retain(hash, object.kind, object.data);
      } else {
        missing.push(hash);
      }
    }
    const objects = await readObjects(queries, organization, missing);
    cacheObjects(queries, organization, objects);
    for (const { hash, kind, data } of objects) {
      retain(hash, kind, data);
    }
    if (texts.size === 0) {
      return nodes;
    }
    for (const hash of hashes) {
      const text = nodes.get(hash);
      if (text !== undefined) {
        texts.set(hash, text);
      }
    }
    return texts;
  };
}

/**
 * Fills a list up to a power of two with its last item: this limits the number of different statements, which engines
 * would otherwise prepare for each number of hashes.
 */
export function padded(hashes: readonly string[]): string[] {
  const last = hashes.at(-1);
  if (last === undefined) {
    return [];
  }
  const length = 2 ** Math.ceil(Math.log2(hashes.length));
  return [...hashes, ...new Array<string>(length - hashes.length).fill(last)];
}

/** Groups texts into batches that fit into one statement, reading no more of them than a batch needs. */
export function* objectBatches(objects: Iterable<ContentObject>): Generator<ContentObject[]> {
  let batch: ContentObject[] = [];
  let bytes = 0;
  for (const object of objects) {
    batch.push(object);
    bytes += object.data.length;
    if (!isFull(batch, bytes)) {
      continue;
    }
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) {
    yield batch;
  }
}

/** Returns whether a statement takes no further row. */
const isFull = ({ length }: readonly ContentObject[], bytes: number): boolean =>
  length >= ROWS_PER_STATEMENT || bytes >= STATEMENT_BYTES;
