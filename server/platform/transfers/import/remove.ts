import { sql } from 'kysely';
import { UPLOAD_LIFETIME_MS } from '../../../content/store/blob-uploads.ts';
import { sweepObjects } from '../../../content/store/sweep.ts';
import type { Database, Transaction } from '../../../database/database.ts';
import type { Clock } from '../../../database/seams.ts';
import { userTransfer } from '../../accounts/users/transfer.ts';
import { TRANSFERS } from '../transfers.ts';

/** Starts the keys of the settings with the organizations whose import has not ended. */
const SETTING_PREFIX = 'organization import ';

/** Tables that triggers and sweeps maintain for an organization. */
const MAINTAINED_TABLES = ['rowCounts', 'visibilityVersions', 'nameChanges', 'counters'] as const;

/** Records that the import of an organization has begun, so that its rows can be removed if the process is killed. */
export async function beginImport(trx: Transaction, organization: string, now: Date): Promise<void> {
  await trx
    .insertInto('settings')
    .values({ key: SETTING_PREFIX + organization, value: now.toISOString() })
    .execute();
}

/** Records that the import of an organization has ended. */
export async function endImport(trx: Transaction, organization: string): Promise<void> {
  await trx
    .deleteFrom('settings')
    .where('key', '=', SETTING_PREFIX + organization)
    .execute();
}

/** Lists the organizations whose import has begun and not ended. */
export async function unfinishedImports({ query }: Database): Promise<string[]> {
  const rows = await query
    .selectFrom('settings')
    .select('key')
    .where('key', 'like', `${SETTING_PREFIX}%`)
    .execute();
  return rows.map(({ key }) => key.slice(SETTING_PREFIX.length));
}

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
