import { type Kysely, type RawBuilder, sql } from 'kysely';
import { engineOf } from '../engine.ts';
import { columnTypes, index } from './columns.ts';

/** Separates the name and the email address of a user. Searches do not contain it. */
const SEARCHED_SEPARATOR = '\u001f';

/**
 * An index for each list in its order. Lists with a condition `is null` have a partial index: with that column first,
 * an engine would not read in the order of the index.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = columnTypes(db);

  await index(db, 'members', ['organization', 'role', 'joinedAt', 'user']);
  await partial(db, 'members', 'guests', ['organization', 'joinedAt', 'user'], '"role" is null');

  // For the members of a team in the order of all members, and the teams of a member in the order of all teams.
  for (const column of ['joinedAt', 'teamCreatedAt']) {
    await db.schema
      .alterTable('teamMembers')
      .addColumn(column, text, (definition) => definition.notNull().defaultTo(''))
      .execute();
  }
  await sql`
    update "teamMembers" set
      "joinedAt" = coalesce((
        select "members"."joinedAt" from "members"
        where "members"."organization" = "teamMembers"."organization"
          and "members"."user" = "teamMembers"."user"), ''),
      "teamCreatedAt" = (select "createdAt" from "teams" where "teams"."id" = "teamMembers"."team")`.execute(
    db,
  );
  await index(db, 'teamMembers', ['team', 'joinedAt', 'user']);
  await index(db, 'teamMembers', ['organization', 'user', 'teamCreatedAt', 'team', 'role']);

  await addSearchedText(db);

  await index(db, 'grants', ['targetKind', 'target', 'subjectKind', 'createdAt', 'subject']);
  await index(db, 'linkInvites', ['target', 'targetKind']);

  await partial(db, 'collections', 'root', ['organization', 'position', 'id'], '"parent" is null');
  for (const name of ['collections', 'spaces']) {
    await partial(db, name, 'administered', ['organization', 'id'], `"defaultLevel" = 'admin'`);
  }
  await partial(db, 'spaces', 'root', ['organization', 'position', 'id'], '"parent" is null');
  await partial(db, 'spaces', 'live', ['organization', 'createdAt', 'id'], '"deletedAt" is null');
  await partial(db, 'spaces', 'held', ['parent', 'position', 'id'], '"deletedAt" is null');

  await index(db, 'revisions', ['space', 'createdBy', 'changeRequest']);

  const ofSpace = '"changeRequest" is null and "parent" is null';
  const ofChangeRequest = '"parent" is null';
  for (const [owner, of, condition] of [
    ['space', 'primary', ofSpace],
    ['changeRequest', 'branch', ofChangeRequest],
  ] as const) {
    for (const columns of [['status'], [], ['postedBy'], ['page']]) {
      await partial(
        db,
        'comments',
        `${of}_${columns.join('_') || 'all'}`,
        [owner, ...columns, 'postedAt', 'id'],
        condition,
      );
    }
  }
  await partial(db, 'comments', 'primary_said', ['space', 'postedBy'], '"changeRequest" is null');
  await index(db, 'comments', ['changeRequest', 'postedBy']);
  await db.schema.dropIndex('comments_space_changeRequest_parent_status').execute();
  await db.schema.dropIndex('comments_space_postedAt_id').execute();
  await db.schema.dropIndex('comments_changeRequest_parent_postedAt_id').execute();
}

/** Adds the text that searches in names compare, folded when it is written, in the table with the organization. */
async function addSearchedText(db: Kysely<unknown>): Promise<void> {
  const { text } = columnTypes(db);
  const isPostgres = engineOf(db) === 'postgres';
  const separator = sql.lit(SEARCHED_SEPARATOR);
  const ofUser = (user: RawBuilder<unknown>) => sql`(
    select fold("users"."displayName") || ${separator} || coalesce(fold("users"."email"), '')
    from "users" where "users"."id" = ${user})`;
  for (const name of ['members', 'teams']) {
    await db.schema
      .alterTable(name)
      .addColumn('searchedText', text, (definition) => definition.notNull().defaultTo(''))
      .execute();
  }
  await sql`update "members" set "searchedText" = ${ofUser(sql`"members"."user"`)}`.execute(db);
  await sql`update "teams" set "searchedText" = fold("title")`.execute(db);
  await index(db, 'members', ['organization', 'searchedText']);
  await index(db, 'teams', ['organization', 'searchedText']);

  const row = sql`new`;
  const steps = [
    { on: 'members', event: 'insert', value: ofUser(sql`${row}."user"`) },
    { on: 'teams', event: 'insert', value: sql`fold(${row}."title")` },
    { on: 'teams', event: 'update of "title"', value: sql`fold(${row}."title")` },
  ] as const;
  for (const { on, event, value } of steps) {
    const trigger = sql.ref(`${on}_searchedText_${event.slice(0, 6)}`);
    if (isPostgres) {
      await sql`
        create function ${trigger}() returns trigger language plpgsql as $$
        begin new."searchedText" := ${value}; return new; end $$`.execute(db);
      await sql`
        create trigger ${trigger} before ${sql.raw(event)} on ${sql.table(on)}
        for each row execute function ${trigger}()`.execute(db);
    } else {
      const same =
        on === 'members'
          ? sql`"organization" = new."organization" and "user" = new."user"`
          : sql`"id" = new."id"`;
      await sql`
        create trigger ${trigger} after ${sql.raw(event)} on ${sql.table(on)}
        begin update ${sql.table(on)} set "searchedText" = ${value} where ${same}; end`.execute(db);
    }
  }
  const members = sql`
    update "members" set "searchedText" = ${ofUser(sql`new."id"`)} where "user" = new."id"`;
  if (isPostgres) {
    await sql`
      create function "users_searchedText"() returns trigger language plpgsql as $$
      begin ${members}; return null; end $$`.execute(db);
    await sql`
      create trigger "users_searchedText" after update of "displayName", "email" on "users"
      for each row execute function "users_searchedText"()`.execute(db);
  } else {
    await sql`
      create trigger "users_searchedText" after update of "displayName", "email" on "users"
      begin ${members}; end`.execute(db);
  }
}

/** Creates an index of the rows that meet a condition. */
async function partial(
  db: Kysely<unknown>,
  table: string,
  rows: string,
  columns: string[],
  condition: string,
): Promise<void> {
  await sql`
    create index ${sql.ref(`${table}_${rows}`)} on ${sql.table(table)}
    (${sql.join(columns.map((column) => sql.ref(column)))}) where ${sql.raw(condition)}`.execute(db);
}
