import type { components } from '../../../../generated/schema.d.ts';
import type { Transaction } from '../../../database/database.ts';
import { fieldInvalid } from '../../../errors/errors.ts';
import type { Context } from '../../kit/slice.ts';
import type { SiteRow } from '../../spaces/publications/structure.ts';
import { AUTH_SCOPE, canAuthenticateVisitors } from '../site-integrations/authentication.ts';
import { type SiteName, siteFor } from '../sites/queries.ts';
import { createSigningKey } from '../visitors/signing-keys.ts';

type SitePublishingAuthPatch = components['schemas']['SitePublishingAuthPatch'];

/** A backend, and the integration that it requires. */
type Choice = { backend?: 'custom' } | { backend?: 'integration'; integration: string };

/**
 * Updates the settings of the authentication of visitors.
 *
 * @throws ContractError 400 for an integration that cannot authenticate visitors of the site
 */
export async function updatePublishingAuth(
  trx: Transaction,
  { caller, audit }: Context,
  { organization, site, fallbackURL, ...choice }: SiteName & SitePublishingAuthPatch,
): Promise<SiteRow> {
  const { row } = await siteFor(trx, caller.id, { organization, site }, 'structure');
  const authIntegration = nextIntegration(row, choice);
  if (
    authIntegration !== null &&
    authIntegration !== row.authIntegration &&
    !(await canAuthenticateVisitors(trx, organization, authIntegration))
  ) {
    throw fieldInvalid(
      'integration',
      `must be installed in the organization, and have the scope ${AUTH_SCOPE}`,
    );
  }
  const after = { fallbackURL: fallbackURL === undefined ? row.fallbackURL : fallbackURL, authIntegration };
  const fields = [
    ...(after.fallbackURL === row.fallbackURL ? [] : ['fallbackURL']),
    ...(authIntegration === row.authIntegration ? [] : ['integration']),
  ];
  if (fields.length === 0) {
    return row;
  }
  const changes = { ...after, version: row.version + 1 };
  await trx.updateTable('sites').set(changes).where('id', '=', row.id).execute();
  await audit(trx, {
    organization: row.organization,
    action: 'site.authentication_changed',
    resource: { type: 'site', id: row.id },
    details: { fields },
  });
  return { ...row, ...changes };
}

function nextIntegration(row: SiteRow, choice: Choice): string | null {
  if ('integration' in choice) {
    return choice.integration;
  }
  return choice.backend === 'custom' ? null : row.authIntegration;
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
