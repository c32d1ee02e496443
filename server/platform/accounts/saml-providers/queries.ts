import type { Selectable } from 'kysely';
import type { components } from '../../../../generated/schema.d.ts';
import type { Queries } from '../../../database/database.ts';
import type { SamlProvidersTable } from '../../../database/schema/accounts/saml-providers.ts';
import { parseCertificates } from '../saml/certificates.ts';

/** A SAML provider with valid values for all required settings. */
export interface ActiveProvider {
  id: string;
  organization: string;
  /** Title of the organization. */
  title: string;
  ssoURL: string;
  entityID: string;
  /** In PEM format. */
  certificates: string[];
  defaultTeam: string | null;
  defaultRole: SamlProvidersTable['defaultRole'];
}

/** Returns the status of a provider, which is active once all the fields required for signing in are set. */
export function statusOf(
  row: Pick<Selectable<SamlProvidersTable>, 'entityID' | 'certificate' | 'ssoURL'>,
): components['schemas']['SamlProviderStatus'] {
  return row.entityID && row.certificate && row.ssoURL ? 'active' : 'pending';
}

/** Selects the providers of an organization. */
export const providersOf = (queries: Queries, organization: string) =>
  queries.selectFrom('samlProviders').selectAll().where('organization', '=', organization);

/**
 * Finds a SAML provider that members can sign in with.
 *
 * @returns undefined if it does not exist, is pending, or has a certificate or URL that was stored before they were
 *   validated
 */
export async function findActiveProvider(queries: Queries, id: string): Promise<ActiveProvider | undefined> {
  const row = await queries
    .selectFrom('samlProviders')
    .innerJoin('organizations', 'organizations.id', 'samlProviders.organization')
    .selectAll('samlProviders')
    .select('organizations.title')
    .where('samlProviders.id', '=', id)
    .executeTakeFirst();
  if (!row?.entityID || !row.certificate || !row.ssoURL || !isWebUrl(row.ssoURL)) {
    return undefined;
  }
  const { organization, title, ssoURL, entityID, defaultTeam, defaultRole } = row;
  const certificates = parseCertificates(row.certificate);
  return (
    certificates && { id, organization, title, ssoURL, entityID, certificates, defaultTeam, defaultRole }
  );
}

/** Lists the providers that members of an organization can sign in with, oldest first. */
export const listActiveProviders = async (
  queries: Queries,
  organization: string,
): Promise<{ id: string; label: string }[]> => {
  const rows = await queries
    .selectFrom('samlProviders')
    .select(['id', 'label', 'entityID', 'certificate', 'ssoURL'])
    .where('organization', '=', organization)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
  return rows.filter((row) => statusOf(row) === 'active');
};

/** Whether browsers can be redirected to a URL. */
const isWebUrl = (url: string): boolean =>
  URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
