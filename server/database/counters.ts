import { sql } from 'kysely';
import type { Queries, Transaction } from './database.ts';

/**
 * Adds `delta` (which may be negative) to a running total, starting from 0, and answers the new value. In the
 * transaction that adds or removes what is counted, so that the two never differ.
 */
export async function addToCounter(
  trx: Transaction,
  organization: string,
  name: string,
  delta: number,
): Promise<number> {
  const { value } = await trx
    .insertInto('counters')
    .values({ organization, name, value: delta })
    .onConflict((conflict) =>
      conflict
        .columns(['organization', 'name'])
        .doUpdateSet({ value: sql<number>`${sql.ref('counters.value')} + ${delta}` }),
    )
    .returning('value')
    .executeTakeFirstOrThrow();
  return value;
}

/** A running total; 0 where nothing was counted yet. */
export async function readCounter(queries: Queries, organization: string, name: string): Promise<number> {
  const row = await queries
    .selectFrom('counters')
    .select('value')
    .where('organization', '=', organization)
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.value ?? 0;
}
