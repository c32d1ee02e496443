import { type Kysely, sql } from 'kysely';

/** The counts of a space in one range of a small index, for lists and structures with many spaces. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index "rowCounts_of_spaces" on "rowCounts" ("owner")
    where "kind" in ('change requests', 'change requests open', 'change requests draft', 'comments open')`.execute(
    db,
  );
}
