import { type Kysely, sql } from 'kysely';

/**
 * Enqueues the indexing of all spaces, except those for which it is queued.
 *
 * @param prefix of the IDs of the jobs, unique to the migration
 */
export async function indexAllSpaces(db: Kysely<unknown>, prefix: string): Promise<void> {
  const now = new Date().toISOString();
  await sql`
    insert into "jobs" (
      "id", "organization", "kind", "key", "orderKey", "payload", "state", "createdAt", "runAt", "attempts", "maxAttempts"
    )
    select ${prefix} || "id", "organization", 'index-space', 'space ' || "id", '',
      '{"space":"' || "id" || '"}', 'queued', ${now}, ${now}, 0, 5
    from "spaces"
    where not exists (
      select 1 from "jobs"
      where "jobs"."kind" = 'index-space' and "jobs"."key" = 'space ' || "spaces"."id" and "jobs"."state" = 'queued'
    )`.execute(db);
  await sql`update "spaces" set "searchedRevision" = null`.execute(db);
}
