import { type Kysely, sql } from 'kysely';
import { engineOf } from '../engine.ts';
import { columnTypes, index } from './columns.ts';
import { createNameChangeTriggers } from './name-change-triggers.ts';

/*
 * The titles of sites, folded when they are written, and the last changes of the sites of an organization: lists of
 * those that match a filter read one index, and their cached counts are adjusted by the changes since.
 */

export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);
  const isPostgres = engineOf(db) === 'postgres';
  await db.schema
    .alterTable('sites')
    .addColumn('searchedText', text, (column) => column.notNull().defaultTo(''))
    .execute();
  for (const event of ['insert', 'delete', 'update']) {
    // The triggers of 0041-list-versions.ts, which only increase the version.
    const trigger = sql.ref(`lists_sites_${event}`);
    await (isPostgres
      ? sql`drop function ${trigger} cascade`.execute(db)
      : sql`drop trigger ${trigger}`.execute(db));
  }
  await sql`update "sites" set "searchedText" = fold("title")`.execute(db);
  await createTitleTriggers(db, isPostgres);
  await db.schema.dropIndex('sites_organization_createdAt_id').execute();
  await index(db, 'sites', ['organization', 'createdAt', 'id', 'published', 'type', 'searchedText']);

  await db.schema.alterTable('nameChanges').addColumn('siteType', text).execute();
  await db.schema.alterTable('nameChanges').addColumn('isPublished', integer).execute();
  await createNameChangeTriggers(db, {
    name: 'sites',
    id: 'id',
    createdAt: 'createdAt',
    values: {
      searchedText: (row) => sql`${row}."searchedText"`,
      isSeen: () => sql`0`,
      siteType: (row) => sql`${row}."type"`,
      isPublished: (row) => sql`${row}."published"`,
    },
  });
}

async function createTitleTriggers(db: Kysely<unknown>, isPostgres: boolean): Promise<void> {
  for (const event of ['insert', 'update of "title"']) {
    const trigger = sql.ref(`sites_searchedText_${event.slice(0, 6)}`);
    if (isPostgres) {
      await sql`
        create function ${trigger}() returns trigger language plpgsql as $$
        begin new."searchedText" := fold(new."title"); return new; end $$`.execute(db);
      await sql`
        create trigger ${trigger} before ${sql.raw(event)} on "sites"
        for each row execute function ${trigger}()`.execute(db);
    } else {
      await sql`
        create trigger ${trigger} after ${sql.raw(event)} on "sites"
        begin update "sites" set "searchedText" = fold(new."title") where "id" = new."id"; end`.execute(db);
    }
  }
}
