import { type Kysely, type RawBuilder, sql } from 'kysely';
import { engineOf } from '../../../engine.ts';

/** Maximum number of members for which renaming a team updates their copies of its title. */
const MAX_UPDATED_COPIES = 100;

/**
 * Creates the triggers that copy the searched text of each team to its members, so that a search in the teams of a member
 * reads one index. Renaming a team with many members does not update the copies, but marks the team.
 */
export async function createTeamTitles(db: Kysely<unknown>): Promise<void> {
  await (engineOf(db) === 'postgres' ? createTriggersOfPostgres(db) : createTriggersOfSqlite(db));
}

const searchedTextOf = (team: RawBuilder<unknown>) =>
  sql`(select "teams"."searchedText" from "teams" where "teams"."id" = ${team})`;

/** Number of members of the renamed team, up to one more than are updated. */
const members = sql`(
  select count(*) from (
    select 1 from "teamMembers" where "team" = new."id" limit ${sql.lit(MAX_UPDATED_COPIES + 1)}
  ) as "members")`;
const isSmall = sql`${members} <= ${sql.lit(MAX_UPDATED_COPIES)}`;

const afterRename = sql`
  update "teamMembers" set "teamSearchedText" = new."searchedText" where "team" = new."id" and ${isSmall};
  update "teams" set "hasOutdatedCopies" = 1 - "hasOutdatedCopies"
  where "id" = new."id" and "hasOutdatedCopies" <> case when ${isSmall} then 0 else 1 end;`;

async function createTriggersOfPostgres(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function "teamMembers_title"() returns trigger language plpgsql as $$
    begin new."teamSearchedText" := ${searchedTextOf(sql`new."team"`)}; return new; end $$`.execute(db);
  await sql`
    create trigger "teamMembers_title" before insert on "teamMembers"
    for each row execute function "teamMembers_title"()`.execute(db);
  await sql`
    create function "teams_title"() returns trigger language plpgsql as $$
    begin ${afterRename} return null; end $$`.execute(db);
  await sql`
    create trigger "teams_title" after update on "teams" for each row
    when (old."searchedText" is distinct from new."searchedText") execute function "teams_title"()`.execute(
    db,
  );
}

async function createTriggersOfSqlite(db: Kysely<unknown>): Promise<void> {
  await sql`
    create trigger "teamMembers_title" after insert on "teamMembers"
    begin
      update "teamMembers" set "teamSearchedText" = ${searchedTextOf(sql`new."team"`)}
      where "team" = new."team" and "user" = new."user";
    end`.execute(db);
  await sql`
    create trigger "teams_title" after update of "searchedText" on "teams"
    when new."searchedText" is not old."searchedText" begin ${afterRename} end`.execute(db);
}
