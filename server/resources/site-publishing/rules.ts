import type { components } from '../../../generated/schema.d.ts';
import type { Transaction } from '../../database/database.ts';
import { type SiteName, siteFor } from '../../models/sites/queries.ts';
import { createSigningKey } from '../../models/sites/signing-keys.ts';
import type { SiteRow } from '../../models/sites/structure.ts';
import type { Context } from '../kit/slice.ts';

/** Updates the settings of the authentication of visitors. */
export async function updatePublishingAuth(
  trx: Transaction,
  { caller }: Context,
  { organization, site, fallbackURL }: SiteName & components['schemas']['SitePublishingAuthPatch'],
): Promise<SiteRow> {
  const { row } = await siteFor(trx, caller.id, { organization, site }, 'structure');
  if (fallbackURL === undefined) {
    return row;
  }
  const changes = { fallbackURL, version: row.version + 1 };
  await trx.updateTable('sites').set(changes).where('id', '=', row.id).execute();
  return { ...row, ...changes };
}

/** Replaces the key that signs the tokens of visitors. It is read for each visit, so that earlier tokens are invalid. */
export async function regenerateSigningKey(
  trx: Transaction,
  { caller, audit, secretKey }: Context,
  name: SiteName,
): Promise<SiteRow> {
  const { row } = await siteFor(trx, caller.id, name, 'structure');
  const changes = { signingKey: createSigningKey(secretKey, row.id), version: row.version + 1 };
  await trx.updateTable('sites').set(changes).where('id', '=', row.id).execute();
  await audit(trx, {
    organization: row.organization,
    action: 'site.signing_key_regenerated',
    resource: { type: 'site', id: row.id },
  });
  return { ...row, ...changes };
}
