import type { Transaction } from '../../../../database/database.ts';
import type { InstallationExternalIdsTable } from '../../../../database/schema/integrations/installations.ts';

/** Replaces the external IDs that an installation, or its space or site `target`, is found by. */
export async function replaceExternalIds(
  trx: Transaction,
  owner: Omit<InstallationExternalIdsTable, 'externalId'>,
  externalIds: readonly string[],
): Promise<void> {
  const { installation, integration, organization, target } = owner;
  await trx
    .deleteFrom('installationExternalIds')
    .where('installation', '=', installation)
    .where('target', '=', target)
    .execute();
  const distinct = [...new Set(externalIds)];
  if (distinct.length > 0) {
    await trx
      .insertInto('installationExternalIds')
      .values(distinct.map((externalId) => ({ installation, integration, organization, target, externalId })))
      .execute();
  }
}
