import { sql } from 'kysely';
import { UPLOAD_LIFETIME_MS } from '../../../content/store/blob-uploads.ts';
import { sweepObjects } from '../../../content/store/sweep.ts';
import type { Database } from '../../../database/database.ts';
import type { Clock } from '../../../database/seams.ts';
import { userTransfer } from '../../accounts/users/transfer.ts';
import { endImport } from '../../kit/transfer/unfinished-imports.ts';
import { TRANSFERS } from '../transfers.ts';

/** Tables that triggers and sweeps maintain for an organization. */
const MAINTAINED_TABLES = ['rowCounts', 'visibilityVersions', 'nameChanges', 'counters'] as const;

/** Removes what an import has written that was not completed. Nobody has used it. */
export async function removeImport(
  { database, clock }: { database: Database; clock: Clock },
  organization: string,
): Promise<void> {
  for (const { table } of TRANSFERS.toReversed().filter((transfer) => transfer !== userTransfer)) {
    const owner = sql.ref(table === 'organizations' ? 'id' : 'organization');
    await database.transaction(async (trx) => {
      await sql`delete from ${sql.table(table)} where ${owner} = ${organization}`.execute(trx);
    });
  }
  // Also what was being stored when the process was killed.
  await sweepObjects(database, organization, () => new Date(clock().getTime() + UPLOAD_LIFETIME_MS));
  await database.transaction(async (trx) => {
    for (const table of MAINTAINED_TABLES) {
      await trx.deleteFrom(table).where('organization', '=', organization).execute();
    }
    await endImport(trx, organization);
  });
}
