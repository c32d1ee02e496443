import type { Database } from '../../../../database/database.ts';

/** Maximum number of events that one statement deletes, so that other writers do not wait long. */
const BATCH_SIZE = 500;

/** Deletes the events past their retention, in short statements. */
export async function deleteExpiredEvents(database: Database, now: Date): Promise<void> {
  for (let deleted = BigInt(BATCH_SIZE); deleted >= BATCH_SIZE; ) {
    const result = await database.query
      .deleteFrom('integrationEvents')
      .where('sequence', 'in', (event) =>
        event
          .selectFrom('integrationEvents')
          .select('sequence')
          .where('expiresAt', '<=', now.toISOString())
          .orderBy('expiresAt')
          .limit(BATCH_SIZE),
      )
      .executeTakeFirstOrThrow();
    deleted = result.numDeletedRows;
  }
}
