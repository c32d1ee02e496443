import { type Kysely, type RawBuilder, sql } from 'kysely';
import { engineOf } from '../../../engine.ts';

/*
 * Numbers of the spaces of a site, and of the sites of a space: most sites show one space, and most published spaces are
 * on one site. The sites that a guest sees are counted by the visible spaces and by the exceptions, which have indexes.
 */

/** The counted tables, with their columns and those of `siteSpaces` that refer to them. */
export const SHOWN_COUNTS = [
  { table: 'sites', column: 'spaceCount', reference: 'site' },
  { table: 'spaces', column: 'siteCount', reference: 'space' },
] as const;

export async function createShownSpaces(db: Kysely<unknown>): Promise<void> {
  await (engineOf(db) === 'postgres' ? createStatementTriggers(db) : createRowTriggers(db));
}

const EVENTS = ['insert', 'delete', 'update'] as const;

async function createRowTriggers(db: Kysely<unknown>): Promise<void> {
  const change = (row: RawBuilder<unknown>, by: RawBuilder<unknown>) =>
    sql.join(
      SHOWN_COUNTS.map(
        ({ table, column, reference }) => sql`
          update ${sql.table(table)} set ${sql.ref(column)} = ${sql.ref(column)} ${by}
          where "id" = ${row}.${sql.ref(reference)};`,
      ),
      sql` `,
    );
  const added = change(sql`new`, sql`+ 1`);
  const removed = change(sql`old`, sql`- 1`);
  const bodies = { insert: added, delete: removed, update: sql`${removed} ${added}` };
  for (const event of EVENTS) {
    const when =
      event === 'update' ? sql`when (new."site", new."space") is not (old."site", old."space")` : sql``;
    await sql`
      create trigger ${sql.ref(`shown_spaces_${event}`)} after ${sql.raw(event)} on "siteSpaces" ${when}
      begin ${bodies[event]} end`.execute(db);
  }
}

async function createStatementTriggers(db: Kysely<unknown>): Promise<void> {
  const rows = {
    insert: sql`select "site", "space", 1 as "by" from created`,
    delete: sql`select "site", "space", -1 as "by" from removed`,
    update: sql`
      select "site", "space", 1 as "by" from created
      union all select "site", "space", -1 as "by" from removed`,
  };
  const tables = {
    insert: sql`new table as created`,
    delete: sql`old table as removed`,
    update: sql`old table as removed new table as created`,
  };
  for (const event of EVENTS) {
    const trigger = sql.ref(`shown_spaces_${event}`);
    const updates = SHOWN_COUNTS.map(
      ({ table, column, reference }) => sql`
        update ${sql.table(table)} set ${sql.ref(column)} = ${sql.ref(column)} + "changes"."by"
        from (
          select ${sql.ref(reference)} as "id", sum("by") as "by" from (${rows[event]}) as "rows"
          group by ${sql.ref(reference)} having sum("by") <> 0
        ) as "changes" where ${sql.table(table)}."id" = "changes"."id";`,
    );
    await sql`
      create function ${trigger}() returns trigger language plpgsql as $$
      begin
        ${sql.join(updates, sql` `)}
        return null;
      end $$`.execute(db);
    await sql`
      create trigger ${trigger} after ${sql.raw(event)} on "siteSpaces"
      referencing ${tables[event]} for each statement execute function ${trigger}()`.execute(db);
  }
}
