import { sql } from 'kysely';
import type { Queries } from '../database.ts';
import { COUNTED_ROWS } from '../migrations/baseline/maintained/row-counts.ts';
import { FILTERED_ROWS } from '../migrations/filtered-counts.ts';
import { QUOTA_ROWS } from '../migrations/quotas.ts';
import { countedKeys } from '../migrations/triggers/row-counts.ts';
import type { Check } from './findings.ts';

/** Everything that the triggers of the last migration count. */
const COUNTED = [COUNTED_ROWS, FILTERED_ROWS, QUOTA_ROWS].flatMap((rows) => Object.values(rows).flat());

interface Difference {
  organization: string;
  kind: string;
  owner: string;
  delta: number;
}

/** Counts the rows again, and returns what has to be added to each maintained number. */
async function differencesOf(queries: Queries): Promise<Difference[]> {
  const counted = COUNTED.map(
    (rows) =>
      sql`select "organization", "kind", "owner", "amount" as "delta" from (${countedKeys(rows)}) as "keys"`,
  );
  const { rows } = await sql<Difference>`
    select "organization", "kind", "owner", sum("delta") as "delta" from (
      ${sql.join(counted, sql` union all `)}
      union all select "organization", "kind", "owner", -"value" from "rowCounts"
    ) as "changes"
    group by "organization", "kind", "owner" having sum("delta") <> 0`.execute(queries);
  return rows;
}

/** Compares the maintained numbers of rows with the rows. */
export const checkRowCounts: Check = {
  name: 'counters',
  async run({ database, repair }, findings) {
    const { count } = await database.query
      .selectFrom('rowCounts')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    findings.examined = Number(count);
    const differences = await differencesOf(database.query);
    for (const { organization, kind, owner, delta } of differences) {
      const of = [organization, owner].filter((part) => part !== '').join(' ');
      findings.add(`The number "${kind}" of ${of === '' ? 'the service' : of} is wrong by ${-delta}.`);
    }
    if (repair && differences.length > 0) {
      findings.repaired = await database.transaction(async (trx) => {
        // Counted again: other processes may have written meanwhile.
        const current = await differencesOf(trx);
        for (const { organization, kind, owner, delta } of current) {
          await sql`
            insert into "rowCounts" ("organization", "kind", "owner", "shard", "value")
            values (${organization}, ${kind}, ${owner}, 0, ${delta})
            on conflict ("organization", "kind", "owner", "shard")
              do update set "value" = "rowCounts"."value" + excluded."value"`.execute(trx);
        }
        await trx.deleteFrom('rowCounts').where('value', '=', 0).execute();
        return current.length;
      });
    }
  },
};
