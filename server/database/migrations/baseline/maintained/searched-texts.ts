import { type Kysely, type RawBuilder, sql } from 'kysely';
import { engineOf } from '../../../engine.ts';

/*
 * The texts that searches in names compare, folded when they are written, in the table with the organization.
 */

/** Separates the name and the email address of a user. Searches do not contain it. */
const SEARCHED_SEPARATOR = '\u001f';

const textOfUser = (user: RawBuilder<unknown>) => sql`(
    select fold("users"."displayName") || ${sql.lit(SEARCHED_SEPARATOR)} || coalesce(fold("users"."email"), '')
    from "users" where "users"."id" = ${user})`;

interface SearchedText {
  table: string;
  events: readonly string[];
  /** The text of the row `new`. */
  value: RawBuilder<unknown>;
  /** Condition of the row that is `new`. */
  isNew: RawBuilder<unknown>;
}

const ofTitle = (table: string): SearchedText => ({
  table,
  events: ['insert', 'update of "title"'],
  value: sql`fold(new."title")`,
  isNew: sql`"id" = new."id"`,
});

/** Tables with a searched text of the title. */
export const TITLED_TABLES = ['teams', 'sites'] as const;
/** The searched text of a row of the members. */
export const MEMBER_TEXT = textOfUser(sql`"members"."user"`);

const SEARCHED_TEXTS: readonly SearchedText[] = [
  {
    table: 'members',
    events: ['insert'],
    value: textOfUser(sql`new."user"`),
    isNew: sql`"organization" = new."organization" and "user" = new."user"`,
  },
  ...TITLED_TABLES.map(ofTitle),
];

const updateMembers = sql`
    update "members" set "searchedText" = ${textOfUser(sql`new."id"`)} where "user" = new."id"`;

export async function createSearchedTexts(db: Kysely<unknown>): Promise<void> {
  const isPostgres = engineOf(db) === 'postgres';
  for (const text of SEARCHED_TEXTS) {
    for (const event of text.events) {
      const trigger = sql.ref(`${text.table}_searchedText_${event.slice(0, 'insert'.length)}`);
      await (isPostgres
        ? createTriggerOfPostgres(db, trigger, event, text)
        : createTriggerOfSqlite(db, trigger, event, text));
    }
  }
  if (isPostgres) {
    await sql`
      create function "users_searchedText"() returns trigger language plpgsql as $$
      begin ${updateMembers}; return null; end $$`.execute(db);
    await sql`
      create trigger "users_searchedText" after update of "displayName", "email" on "users"
      for each row execute function "users_searchedText"()`.execute(db);
  } else {
    await sql`
      create trigger "users_searchedText" after update of "displayName", "email" on "users"
      begin ${updateMembers}; end`.execute(db);
  }
}

async function createTriggerOfPostgres(
  db: Kysely<unknown>,
  trigger: RawBuilder<unknown>,
  event: string,
  { table, value }: SearchedText,
): Promise<void> {
  await sql`
    create function ${trigger}() returns trigger language plpgsql as $$
    begin new."searchedText" := ${value}; return new; end $$`.execute(db);
  await sql`
    create trigger ${trigger} before ${sql.raw(event)} on ${sql.table(table)}
    for each row execute function ${trigger}()`.execute(db);
}

async function createTriggerOfSqlite(
  db: Kysely<unknown>,
  trigger: RawBuilder<unknown>,
  event: string,
  { table, value, isNew }: SearchedText,
): Promise<void> {
  await sql`
    create trigger ${trigger} after ${sql.raw(event)} on ${sql.table(table)}
    begin update ${sql.table(table)} set "searchedText" = ${value} where ${isNew}; end`.execute(db);
}
