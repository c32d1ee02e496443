import { batches } from '../../../database/batches.ts';
import type { Transaction } from '../../../database/database.ts';
import { readRows, selectSites } from '../../spaces/publications/rows.ts';
import { type StructureServices, saveStructure } from './change.ts';
import { removeSiteSpaces } from './edit/site-spaces.ts';

/** Spaces that one statement looks up. */
const LOOKUP_SIZE = 500;

/** Removes spaces from every site that shows them, such as deleted ones. They are not added again when restored. */
export async function removeFromSites(
  trx: Transaction,
  services: StructureServices,
  spaces: readonly string[],
): Promise<void> {
  const removed = new Set(spaces);
  const sites = new Set<string>();
  for (const batch of batches(removed, LOOKUP_SIZE)) {
    const rows = await trx.selectFrom('siteSpaces').select('site').where('space', 'in', batch).execute();
    for (const { site } of rows) {
      sites.add(site);
    }
  }
  for (const id of sites) {
    const site = await selectSites(trx).where('sites.id', '=', id).executeTakeFirstOrThrow();
    const rows = await readRows(trx, site);
    await saveStructure(
      trx,
      services,
      rows,
      removeSiteSpaces(rows, ({ space }) => removed.has(space)),
    );
  }
}
