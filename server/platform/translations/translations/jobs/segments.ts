import type { Segment } from '../../../../content/translation/segments.ts';
import { batches } from '../../../../database/batches.ts';
import type { Database, Queries } from '../../../../database/database.ts';
import type { TranslationRow } from '../queries.ts';

/** Maximum number of segments of a translation. The oldest ones are deleted, and translated again if necessary. */
export const MAX_STORED_SEGMENTS = 500_000;
/** Maximum number of segments that one statement reads or deletes. */
export const MAX_STATEMENT_SEGMENTS = 200;

/** A stored segment. */
export interface StoredSegment {
  run: number;
  text: string | null;
}

/** Finds stored segments by hash. */
export async function findSegments(
  queries: Queries,
  translation: string,
  hashes: Iterable<string>,
): Promise<Map<string, StoredSegment>> {
  const segments = new Map<string, StoredSegment>();
  for (const batch of batches(hashes, MAX_STATEMENT_SEGMENTS)) {
    const rows = await queries
      .selectFrom('translationSegments')
      .select(['hash', 'run', 'text'])
      .where('translation', '=', translation)
      .where('hash', 'in', batch)
      .execute();
    for (const { hash, ...segment } of rows) {
      segments.set(hash, segment);
    }
  }
  return segments;
}

/**
 * Stores translated segments, and adds their words to the statistics.
 *
 * @returns false if the translation was deleted
 */
export async function storeSegments(
  database: Database,
  { id, organization, run }: TranslationRow,
  segments: readonly Segment[],
  texts: readonly (string | null)[],
): Promise<boolean> {
  return await database.transaction(async (trx) => {
    const row = await trx
      .selectFrom('translations')
      .select(['totalWords', 'latestWords'])
      .where('id', '=', id)
      .where('run', '=', run)
      .where('running', '=', 1)
      .executeTakeFirst();
    if (!row) {
      return false;
    }
    const stored = await trx
      .insertInto('translationSegments')
      .values(
        segments.map(({ hash }, at) => ({
          organization,
          translation: id,
          hash,
          run,
          text: texts[at] ?? null,
        })),
      )
      .onConflict((conflict) => conflict.columns(['translation', 'hash']).doNothing())
      .returning('hash')
      .execute();
    const added = new Set(stored.map(({ hash }) => hash));
    let words = 0;
    for (const [at, segment] of segments.entries()) {
      words += added.has(segment.hash) && typeof texts[at] === 'string' ? segment.words : 0;
    }
    await trx
      .updateTable('translations')
      .set({ totalWords: row.totalWords + words, latestWords: row.latestWords + words })
      .where('id', '=', id)
      .execute();
    return true;
  });
}

/**
 * Deletes the segments of a translation, in small transactions, between which it can be aborted.
 *
 * @param options.retained number of the newest segments that are retained; by default none
 */
export async function deleteSegments(
  database: Database,
  translation: string,
  { retained = 0, signal }: { retained?: number; signal: AbortSignal },
): Promise<void> {
  const { count } = await database.query
    .selectFrom('translationSegments')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('translation', '=', translation)
    .executeTakeFirstOrThrow();
  for (let excess = Number(count) - retained; excess > 0; excess -= MAX_STATEMENT_SEGMENTS) {
    signal.throwIfAborted();
    await database.transaction(async (trx) => {
      const oldest = await trx
        .selectFrom('translationSegments')
        .select('hash')
        .where('translation', '=', translation)
        .orderBy('run')
        .limit(Math.min(excess, MAX_STATEMENT_SEGMENTS))
        .execute();
      await trx
        .deleteFrom('translationSegments')
        .where('translation', '=', translation)
        .where('hash', 'in', [...oldest.map(({ hash }) => hash), ''])
        .execute();
    });
  }
}
