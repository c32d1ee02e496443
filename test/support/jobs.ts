import { openDatabase } from '../../server/database/database.ts';
import type { Place } from './program.ts';

/** Expires the leases of the running jobs of a place, as if their processes had been dead for long enough. */
export async function expireLeases({ environment }: Place): Promise<void> {
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
