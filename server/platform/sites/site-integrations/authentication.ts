/** The integrations that authenticate the visitors of sites. */
import type { Queries } from '../../../database/database.ts';
import { readJson } from '../../../database/json.ts';
import type { StoredIntegrationScope } from '../../../database/schema/integrations/integrations.ts';
import { contentStateOf, isActiveByDefault, stateOf } from '../../integrations/installations/present.ts';
import { findContentInstallation, selectInstallations } from '../../integrations/installations/queries.ts';
import { taggedIntegrations } from '../../integrations/integrations/queries.ts';
import type { SiteRow } from '../../spaces/publications/rows.ts';

/** Scope of the integrations that can authenticate visitors. */
export const AUTH_SCOPE: StoredIntegrationScope = 'site:visitor:auth';

/** An installation that authenticates visitors. */
export interface AuthInstallation {
  integration: string;
  installation: string;
}

/** Returns whether an integration is installed in an organization, with the scope to authenticate visitors. */
export async function canAuthenticateVisitors(
  queries: Queries,
  organization: string,
  integration: string,
): Promise<boolean> {
  const installation = await queries
    .selectFrom('installations')
    .select('id')
    .where('installations.organization', '=', organization)
    .where('installations.integration', '=', integration)
    .where('installations.integration', 'in', taggedIntegrations(queries, 'scope', AUTH_SCOPE))
    .executeTakeFirst();
  return installation !== undefined;
}

/**
 * Lists the installations of an organization that can authenticate visitors, whether active or not.
 *
 * @returns IDs of the installations by the names of their integrations
 */
export async function listAuthInstallations(
  queries: Queries,
  organization: string,
): Promise<ReadonlyMap<string, string>> {
  const rows = await queries
    .selectFrom('installations')
    .select(['installations.id', 'installations.integration'])
    .where('installations.organization', '=', organization)
    .where('installations.integration', 'in', taggedIntegrations(queries, 'scope', AUTH_SCOPE))
    .execute();
  return new Map(rows.map(({ id, integration }) => [integration, id]));
}

/** Finds the installation that authenticates the visitors of a site; undefined if it is not active on the site. */
export async function findAuthInstallation(
  queries: Queries,
  { id: site, organization, authIntegration }: Pick<SiteRow, 'id' | 'organization' | 'authIntegration'>,
  secretKey: string,
): Promise<AuthInstallation | undefined> {
  if (authIntegration === null) {
    return undefined;
  }
  const row = await selectInstallations(queries)
    .where('installations.integration', '=', authIntegration)
    .where('installations.organization', '=', organization)
    .executeTakeFirst();
  if (!row || !readJson(row.scopes).includes(AUTH_SCOPE) || stateOf(row, secretKey).status !== 'active') {
    return undefined;
  }
  const onSite = await findContentInstallation(queries, row.id, { kind: 'site', target: site });
  const isOnSite = onSite
    ? contentStateOf(onSite, secretKey).status === 'active'
    : isActiveByDefault(row, 'site');
  return isOnSite ? { integration: authIntegration, installation: row.id } : undefined;
}
