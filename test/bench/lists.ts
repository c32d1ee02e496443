import { sql } from 'kysely';
import { type Database, openDatabase } from '../../server/database/database.ts';
import { keysetPage } from '../../server/database/keyset.ts';
import { createId } from '../../server/database/seams.ts';
import { firstStart } from '../../server/identity/first-start.ts';
import { createOrganization } from '../../server/identity/organizations.ts';
import { onEachEngine } from './engines.ts';
import { type Figure, median, milliseconds, time } from './table.ts';

const LARGE = 1_000_000;
const SMALL = 1000;
const ROUNDS = 200;

/**
 * A page of 50 at the end of a large list compared with one at the start of a small one, with and without the count.
 */
export async function measureLists(): Promise<Figure[]> {
  const figures = await onEachEngine(async ({ engine, location }) => {
    const database = await openDatabase(location);
    const small = await fill(database, SMALL);
    const large = await fill(database, LARGE);
    await sql`analyze`.execute(database.query);
    const end = await startOfLastPage(database, large);
    const page = (organization: string, count: number | undefined, from?: string) => () =>
      readPage(database, organization, 50, count, from);
    const [start, last] = await medianTimes([page(small, SMALL), page(large, LARGE, end)], ROUNDS);
    const [counted] = await medianTimes([page(large, undefined, end)], 5);
    await database.close();
    const baseline = `${milliseconds(start)} start of ${SMALL.toLocaleString('en')}`;
    const label = `page at the end of ${LARGE.toLocaleString('en')} rows, on ${engine}`;
    return [
      { name: label, result: milliseconds(last), baseline, ratio: last / start, target: 'at most 1.3x' },
      { name: `${label}, rows counted`, result: milliseconds(counted), baseline, ratio: counted / start },
    ];
  });
  return figures.flat();
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
async function startOfLastPage(database: Database, organization: string): Promise<string | undefined> {
  let from: string | undefined;
  for (let left = LARGE - 50; left > 0; ) {
    const limit = Math.min(left, 50_000);
    from = (await readPage(database, organization, limit, LARGE, from)).next?.page;
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
