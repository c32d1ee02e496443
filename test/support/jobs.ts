import { expect, vi } from 'vitest';
import { type Database, openDatabase } from '../../server/database/database.ts';
import type { DataLocation } from './processes/program.ts';

/** Expires the leases of the running jobs of a database, as if their processes had died long ago. */
export async function expireLeases({ environment }: DataLocation): Promise<void> {
  const { DATABASE_URL: url, COLOPHON_DATA: folder = '' } = environment;
  const database = await openDatabase(url === undefined ? { folder } : { url }, { migrated: true });
  try {
    await database.query
      .updateTable('jobs')
      .set({ leaseUntil: new Date().toISOString() })
      .where('state', '=', 'running')
      .execute();
  } finally {
    await database.close();
  }
}

/** Waits for the jobs of an organization, such as the indexing of its content. */
export async function untilJobsEnd(database: Database, organization: string): Promise<void> {
  await vi.waitFor(
    async () => {
      const jobs = database.query.selectFrom('jobs').select(['kind', 'state']);
      const states = await jobs.where('organization', '=', organization).execute();
      expect(states.filter(({ state }) => state === 'queued' || state === 'running')).toEqual([]);
    },
    { timeout: 60_000 },
  );
}

/** Waits until every event of an integration was delivered, or waits for another attempt after one that failed. */
export async function untilEventsSettle(database: Database): Promise<void> {
  await vi.waitFor(
    async () => {
      const raised = await database.query.selectFrom('raisedEvents').select('type').execute();
      const streams = database.query.selectFrom('integrationEventStreams').select('installation');
      const now = new Date().toISOString();
      const delivering = await streams
        .where((stream) =>
          stream.or([
            stream('leaseUntil', 'is not', null),
            stream('dueAt', '<=', now),
            // Its attempt was postponed.
            stream('failures', '=', 0),
          ]),
        )
        .execute();
      expect([...raised, ...delivering]).toEqual([]);
    },
    { timeout: 60_000 },
  );
}
