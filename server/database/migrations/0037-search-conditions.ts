import { type Kysely, sql } from 'kysely';
import { columnTypes } from './columns.ts';

/**
 * Search distinguishes what visitors see under a condition. Enqueues the indexing of all spaces; until then, parts of
 * pages with conditions are indexed with the others.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = columnTypes(db);
  await db.schema.alterTable('searchSections').addColumn('condition', text).execute();
  await sql`
    create index "searchSections_condition" on "searchSections" ("organization", "space", "condition")
    where "condition" is not null`.execute(db);
  const now = new Date().toISOString();
  await sql`
    insert into "jobs" (
      "id", "organization", "kind", "key", "orderKey", "payload", "state", "createdAt", "runAt", "attempts", "maxAttempts"
    )
    select 'job_conditions_' || "id", "organization", 'index-space', 'space ' || "id", '',
      '{"space":"' || "id" || '"}', 'queued', ${now}, ${now}, 0, 5
    from "spaces"
    where not exists (
      select 1 from "jobs"
      where "jobs"."kind" = 'index-space' and "jobs"."key" = 'space ' || "spaces"."id" and "jobs"."state" = 'queued'
    )`.execute(db);
  await sql`update "spaces" set "searchedRevision" = null`.execute(db);
}
