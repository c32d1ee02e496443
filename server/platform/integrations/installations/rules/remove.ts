import type { Transaction } from '../../../../database/database.ts';
import type { RecordAudit } from '../../../kit/audit/record.ts';

/**
 * Removes installations with their spaces, sites, external IDs and access tokens. The users that represent them remain,
 * as the authors of their changes.
 */
export async function removeInstallations(
  trx: Transaction,
  { audit }: { audit: RecordAudit },
  removed: { integration: string; installation?: string },
): Promise<void> {
  const rows = await trx
    .deleteFrom('installations')
    .where('integration', '=', removed.integration)
    .$if(removed.installation !== undefined, (all) => all.where('id', '=', removed.installation ?? ''))
    .returning(['id', 'organization'])
    .execute();
  for (const { id, organization } of rows) {
    await trx.deleteFrom('tokens').where('user', '=', id).execute();
    await audit(trx, {
      organization,
      action: 'installation.deleted',
      resource: { type: 'installation', id },
    });
  }
}
