import { sql } from 'kysely';
import { type Database, openDatabase } from '../../../server/database/database.ts';
import { keysetPage } from '../../../server/database/lists/keyset.ts';
import { createId } from '../../../server/database/seams.ts';
import { firstStart } from '../../../server/identity/first-start.ts';
import { createOrganization } from '../../../server/identity/organizations.ts';
import { type Amounts, amountFor, type Benchmark, type Size } from '../benchmark.ts';
import { onEachEngine } from '../engines.ts';
import { type Figure, median, milliseconds, ratioOf, time } from '../table.ts';

/** Rows of a large and of a small list. */
const AMOUNTS: Amounts<{ large: number; small: number; rounds: number }> = {
  full: { large: 1_000_000, small: 1000, rounds: 200 },
  tiny: { large: 120, small: 60, rounds: 2 },
};

/**
 * A page of 50 at the end of a large list compared with one at the start of a small one, with and without the count.
 */
export const benchmark: Benchmark = {
  description: 'a page at the end of a large list, compared with one at the start of a small list',
  run,
};

async function run(size: Size, report: (figure: Figure) => void): Promise<void> {
  const { large: largeCount, small: smallCount, rounds } = amountFor(size, AMOUNTS);
  await onEachEngine(async ({ engine, location }) => {
    const database = await openDatabase(location);
    const small = await fill(database, smallCount);
    const large = await fill(database, largeCount);
    await sql`analyze`.execute(database.query);
    const end = await startOfLastPage(database, large, largeCount);
    const page = (organization: string, count: number | undefined, from?: string) => () =>
      readPage(database, organization, 50, count, from);
    const [start, last] = await medianTimes([page(small, smallCount), page(large, largeCount, end)], rounds);
    const [counted] = await medianTimes([page(large, undefined, end)], Math.min(rounds, 5));
    await database.close();
    const baseline = `${milliseconds(start)} start of ${smallCount.toLocaleString('en')}`;
    const label = `page at the end of ${largeCount.toLocaleString('en')} rows, on ${engine}`;
    report({
      name: label,
      result: milliseconds(last),
      baseline,
      ratio: ratioOf(last, start),
      target: 'at most 1.3x',
    });
    report({
      name: `${label}, rows counted`,
      result: milliseconds(counted),
      baseline,
      ratio: ratioOf(counted, start),
    });
  });
}

/** Creates an organization with a number of collections. Returns its id. */
async function fill(database: Database, count: number): Promise<string> {
  const id = await database.transaction(async (trx) => {
    const now = new Date();
    await firstStart(trx, { now, createId, bootstrapToken: undefined });
    const admin = await trx.selectFrom('users').select('id').executeTakeFirstOrThrow();
    return (await createOrganization(trx, { title: 'Measured', admin: admin.id, now, createId })).id;
  });
  const columns = ['id', 'organization', 'parent', 'title', 'position', 'createdAt'].map((name) =>
    sql.ref(name),
  );
  await sql`
    insert into collections (${sql.join(columns)})
    with recursive n(i) as (select 10000001 union all select i + 1 from n where i < ${sql.lit(10_000_000 + count)})
    select ${sql.lit(id)} || '-' || i, ${sql.lit(id)}, null, 'A collection', cast(i as text),
      '2026-01-01T00:00:00.000Z' from n`.execute(database.query);
  return id;
}

/** Reads the list in large pages up to its last page of 50. */
async function startOfLastPage(
  database: Database,
  organization: string,
  count: number,
): Promise<string | undefined> {
  let from: string | undefined;
  for (let left = count - 50; left > 0; ) {
    const limit = Math.min(left, 50_000);
    from = (await readPage(database, organization, limit, count, from)).next?.page;
    left -= limit;
  }
  return from;
}

async function readPage(
  database: Database,
  organization: string,
  limit: number,
  count: number | undefined,
  page: string | undefined,
) {
  const rows = database.query
    .selectFrom('collections')
    .selectAll()
    .where('organization', '=', organization)
    .where('parent', 'is', null);
  return await keysetPage(rows, {
    limit,
    page,
    order: [
      { column: 'position', direction: 'asc' },
      { column: 'id', direction: 'asc' },
    ],
    scope: 'bench',
    key: 'bench',
    count,
  });
}

/** Returns the median times of works that take turns, so that each meets the same conditions. */
async function medianTimes<Works extends (() => Promise<unknown>)[]>(works: [...Works], rounds: number) {
  const times = works.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, work] of works.entries()) {
      times[index]?.push(await time(work));
    }
  }
  // One median for each work.
  return times.map(median) as { [Index in keyof Works]: number };
}
