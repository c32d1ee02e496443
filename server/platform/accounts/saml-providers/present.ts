import type { Selectable } from 'kysely';
import type { components } from '../../../../generated/schema.d.ts';
import type { Queries } from '../../../database/database.ts';
import type { SamlProvidersTable } from '../../../database/schema/accounts/saml-providers.ts';
import type { Membership } from '../../../identity/membership.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';
import { teamPresenter } from '../teams/present.ts';
import { teamFinder } from '../teams/queries.ts';
import { statusOf } from './queries.ts';

type Schemas = components['schemas'];

/** Creates a function that converts SAML providers to their representation for an admin. Teams of a page are batched. */
export function providerPresenter(queries: Queries, caller: Membership, resourceUrls: ResourceUrls) {
  const presentTeam = teamPresenter(queries, caller);
  const findTeam = teamFinder(queries, caller);
  return async (row: Selectable<SamlProvidersTable>): Promise<Schemas['SamlProvider']> => {
    const team = row.defaultTeam === null ? undefined : await findTeam(row.defaultTeam);
    return presentProvider(row, team && (await presentTeam(team)), resourceUrls);
  };
}

function presentProvider(
  row: Selectable<SamlProvidersTable>,
  defaultTeam: Schemas['Team'] | undefined,
  resourceUrls: ResourceUrls,
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
    service: resourceUrls.samlService(row.id),
    urls: resourceUrls.samlProvider(row.organization, row.id),
  };
}
