import { type Kysely, sql } from 'kysely';
import { engineOf } from '../engine.ts';

/** Seconds between two spaces: requests and jobs that users wait for come between them. */
const SECONDS_PER_SPACE = 1;

/**
 * Has the pages that SQLite indexed before this release indexed again, with the words of their space, by a job for each
 * space. Until it has run, searches in the space read the words of all spaces. The jobs have no key: the next change of
 * a space indexes it earlier, and does not wait for its job.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  if (engineOf(db) === 'postgres') {
    return;
  }
  await sql`
    update "spaces" set "searchedRevision" = null, "searchedEntries" = null
    where "id" in (select "space" from "searchPages")`.execute(db);
  const now = sql`'%Y-%m-%dT%H:%M:%fZ', 'now'`;
  await sql`
    insert into "jobs"
      ("id", "organization", "kind", "orderKey", "payload", "state", "createdAt", "runAt", "attempts", "maxAttempts")
    select 'job_' || lower(hex(randomblob(10))), "organization", 'index-space', '', json_object('space', "id"), 'queued',
      strftime(${now}),
      strftime(${now}, (${sql.lit(SECONDS_PER_SPACE)} * row_number() over (order by "id")) || ' seconds'), 0, 5
    from "spaces" where "id" in (select "space" from "searchPages")`.execute(db);
}
