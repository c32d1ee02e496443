import { type RawBuilder, sql } from 'kysely';
import type { Queries } from '../../../database/database.ts';
import type { AnyRow, Transfer } from '../../kit/transfer/define.ts';

/** Rows that one statement reads. Some have megabytes. */
const BATCH_ROWS = 100;

/** Reads the rows of an organization that travel, in the order of their keys, and each after its parent. */
export async function* exportedRows(
  query: Queries,
  transfer: Transfer,
  organization: string,
): AsyncGenerator<AnyRow> {
  const { table, where, parent } = transfer;
  const owner = sql.ref(table === 'organizations' ? 'id' : 'organization');
  const all = sql<boolean>`${owner} = ${organization}${where ? sql` and ${where}` : sql``}`;
  if (parent === undefined) {
    yield* pages(query, transfer, all);
    return;
  }
  let level = sql<boolean>`${all} and ${sql.ref(parent)} is null`;
  for (;;) {
    let count = 0;
    for await (const row of pages(query, transfer, level)) {
      count += 1;
      yield row;
    }
    if (count === 0) {
      return;
    }
    level = sql<boolean>`${all} and ${sql.ref(parent)} in (select "id" from ${sql.table(table)} where ${level})`;
  }
}

async function* pages(
  query: Queries,
  { table, key }: Transfer,
  condition: RawBuilder<boolean>,
): AsyncGenerator<AnyRow> {
  const order = sql.join(key.map((column) => sql.ref(column)));
  let last: AnyRow | undefined;
  do {
    const after = last && sql` and (${order}) > (${sql.join(key.map((column) => last?.[column]))})`;
    const { rows } = await sql<AnyRow>`
      select * from ${sql.table(table)} where ${condition}${after ?? sql``}
      order by ${order} limit ${sql.lit(BATCH_ROWS)}`.execute(query);
    yield* rows;
    last = rows.length === BATCH_ROWS ? rows.at(-1) : undefined;
  } while (last);
}
