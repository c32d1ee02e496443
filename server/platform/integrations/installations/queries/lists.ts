import type { Queries } from '../../../../database/database.ts';
import type { VersionedCount } from '../../../../database/lists/cached-counts.ts';
import type { CallerId } from '../../../../identity/caller.ts';
import { isInstallation } from '../../../../identity/installations.ts';
import { accountOf, integrationOf } from '../../../../identity/integration-accounts.ts';
import { countedOrganizations, usableOrganizations } from '../../integrations/queries.ts';
import { type InstallationTarget, selectContentInstallations, selectInstallations } from '../queries.ts';

/** Selects the IDs of the organizations where the caller can list installations: the caller is a member with a role. */
const listingOrganizations = (queries: Queries, caller: CallerId) =>
  usableOrganizations(queries, caller).where('members.role', 'is not', null);

/**
 * The number of installations on content that the caller sees in the list of an integration. That of an installation,
 * which sees its own, of an integration, and of a caller in too many organizations are not cached.
 */
export async function contentInstallationsCount(
  queries: Queries,
  caller: CallerId,
): Promise<VersionedCount | 0 | undefined> {
  if (isInstallation(caller) || integrationOf(caller) !== undefined) {
    return undefined;
  }
  const organizations = await countedOrganizations(listingOrganizations(queries, caller));
  return organizations?.length === 0 ? 0 : organizations && countIn(organizations);
}

/** The number of installations on content in some organizations. */
export const countIn = (organizations: readonly string[]): VersionedCount => ({
  organizations,
  owners: ['content installations'],
});

/** Selects the installations with an external ID. The column `target` is empty for installations themselves. */
const withExternalId = (queries: Queries, integration: string, externalId: string) =>
  queries
    .selectFrom('installationExternalIds')
    .where('installationExternalIds.integration', '=', integration)
    .where('installationExternalIds.externalId', '=', externalId);

/**
 * Selects the installations of an integration that are visible to the caller: all for the integration, its own for an
 * installation, and for members those of their organizations.
 */
export const visibleInstallations = (
  queries: Queries,
  caller: CallerId,
  { integration, externalId }: { integration: string; externalId: string | undefined },
) =>
  selectInstallations(queries)
    .where('installations.integration', '=', integration)
    .$if(caller !== accountOf(integration), (all) =>
      all.where((row) =>
        row.or([
          row('installations.id', '=', caller),
          row('installations.organization', 'in', listingOrganizations(queries, caller)),
        ]),
      ),
    )
    .$if(externalId !== undefined, (all) =>
      all.where(
        'installations.id',
        'in',
        withExternalId(queries, integration, externalId ?? '')
          .select('installationExternalIds.installation')
          .where('installationExternalIds.target', '=', ''),
      ),
    );

/** Filters of a list of installations on spaces or sites. */
interface ContentInstallationsFilter {
  kind: InstallationTarget['kind'];
  integration: string;
  /** Installation that the caller can view; by default all that are visible to the caller. */
  installation?: string | undefined;
  externalId: string | undefined;
}

/** Selects the installations on spaces or sites that are visible to the caller, see {@link visibleInstallations}. */
export const visibleContentInstallations = (
  queries: Queries,
  caller: CallerId,
  { kind, integration, installation, externalId }: ContentInstallationsFilter,
) =>
  selectContentInstallations(queries, kind)
    .where('contentInstallations.integration', '=', integration)
    .$if(installation !== undefined, (all) =>
      all.where('contentInstallations.installation', '=', installation ?? ''),
    )
    .$if(installation === undefined && caller !== accountOf(integration), (all) =>
      all.where((row) =>
        row.or([
          row('contentInstallations.installation', '=', caller),
          row('contentInstallations.organization', 'in', listingOrganizations(queries, caller)),
        ]),
      ),
    )
    .$if(externalId !== undefined, (all) =>
      all.where('contentInstallations.target', 'in', (row) =>
        withExternalId(queries, integration, externalId ?? '')
          .select('installationExternalIds.target')
          .whereRef(
            'installationExternalIds.installation',
            '=',
            row.ref('contentInstallations.installation'),
          ),
      ),
    );
