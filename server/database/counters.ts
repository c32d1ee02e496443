import { sql } from 'kysely';
import type { Queries, Transaction } from './database.ts';

/**
 * Adds `delta`, which may be negative, to a counter and returns the new value. Counters start at 0. Must be called in
 * the transaction that adds or removes the counted rows.
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

/** Reads a counter; returns 0 if it does not exist. */
export async function readCounter(queries: Queries, organization: string, name: string): Promise<number> {
  const row = await queries
    .selectFrom('counters')
    .select('value')
    .where('organization', '=', organization)
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.value ?? 0;
}
