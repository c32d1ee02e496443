import type { Selectable } from 'kysely';
import type { components } from '../../../generated/schema.d.ts';
import type { SamlProvidersTable } from '../../database/schema/saml-providers.ts';
import type { Addresses } from '../../models/addresses.ts';

type Schemas = components['schemas'];

/** Returns the status of a provider, which is active once all the fields required for signing in are set. */
export function statusOf(row: Selectable<SamlProvidersTable>): Schemas['SamlProviderStatus'] {
  return row.entityID && row.certificate && row.ssoURL ? 'active' : 'pending';
}

/** Presents a SAML provider to admins. */
export function presentProvider(
  row: Selectable<SamlProvidersTable>,
  defaultTeam: Schemas['Team'] | undefined,
  addresses: Addresses,
): Schemas['SamlProvider'] {
  return {
    object: 'saml-provider',
    id: row.id,
    label: row.label,
    ssoURL: row.ssoURL ?? '',
    entityID: row.entityID ?? '',
    certificate: row.certificate ?? '',
    ...(defaultTeam && { defaultTeam }),
    defaultRole: row.defaultRole,
    createdAt: row.createdAt,
    status: statusOf(row),
    service: addresses.samlService(row.id),
    urls: addresses.samlProvider(row.organization, row.id),
  };
}
