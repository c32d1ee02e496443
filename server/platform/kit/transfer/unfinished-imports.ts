import type { Queries, Transaction } from '../../../database/database.ts';

/** Starts the keys of the settings with the organizations whose import has not ended. */
const SETTING_PREFIX = 'organization import ';

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
export async function unfinishedImports(queries: Queries): Promise<string[]> {
  const rows = await queries
    .selectFrom('settings')
    .select('key')
    .where('key', 'like', `${SETTING_PREFIX}%`)
    .execute();
  return rows.map(({ key }) => key.slice(SETTING_PREFIX.length));
}
