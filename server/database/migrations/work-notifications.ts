import { type Kysely, sql } from 'kysely';
import { engineOf } from '../engine.ts';

/**
 * Notifies the processes that wait for work of jobs that are queued, including those that return to the queue, and of
 * raised events. PostgreSQL delivers a notification when its transaction commits, and only once for equal ones.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Processes poll SQLite for commits.
  if (engineOf(db) !== 'postgres') {
    return;
  }
  await sql`
    create function "notifyWork"() returns trigger language plpgsql as $$
    begin perform pg_notify('colophon_work', ''); return null; end $$`.execute(db);
  await sql`
    create trigger "jobs_work" after insert or update on "jobs"
    for each row when (new."state" = 'queued') execute function "notifyWork"()`.execute(db);
  await sql`
    create trigger "raisedEvents_work" after insert on "raisedEvents"
    for each statement execute function "notifyWork"()`.execute(db);
}
