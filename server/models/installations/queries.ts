import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Queries } from '../../database/database.ts';
import type { JsonText } from '../../database/json.ts';
import type { ContentInstallationsTable, InstallationsTable } from '../../database/schema/installations.ts';
import type {
  StoredDefinition,
  StoredIntegrationScope,
  StoredIntegrationTarget,
} from '../../database/schema/integrations.ts';
import { notFound, permissionMissing } from '../../errors.ts';
import type { CallerId } from '../../identity/caller.ts';
import { accountOf } from '../../identity/integration-accounts.ts';
import { findMembership } from '../../identity/membership.ts';
import { organizationPermissions } from '../../identity/permissions.ts';
import { batched } from '../batched.ts';
import { isCurrentVersion, usableOrganizations } from '../integrations/queries.ts';
import { siteBytes } from '../sites/rows.ts';

/** What an integration publishes for its installations. */
interface Published {
  definition: JsonText<StoredDefinition>;
  scopes: JsonText<StoredIntegrationScope[]>;
  integrationTarget: StoredIntegrationTarget;
}

/** An installation with what its integration publishes. */
export type InstallationRow = Selectable<InstallationsTable> & Published;

/** An installation on a space or site. */
export type ContentInstallationRow = Selectable<ContentInstallationsTable> & Pick<Published, 'definition'>;

/** Selects installations with what their integrations publish. */
export const selectInstallations = (queries: Queries) =>
  queries
    .selectFrom('installations')
    .innerJoin('integrations', 'integrations.name', 'installations.integration')
    .innerJoin('integrationVersions', isCurrentVersion)
    .selectAll('installations')
    .select([
      'integrationVersions.definition',
      'integrations.scopes',
      'integrations.target as integrationTarget',
    ]);

/** The sizes of rows in lists: definitions, configurations and the settings of sites can be large. */
const definitionBytes = sql`octet_length("integrationVersions"."definition")`;
export const installationBytes: RawBuilder<number> = sql<number>`
  ${definitionBytes} + coalesce(octet_length("installations"."configuration"), 0)`;
export const contentInstallationBytes: RawBuilder<number> = sql<number>`
  ${definitionBytes} + coalesce(octet_length("contentInstallations"."configuration"), 0)
  + coalesce((
    select ${siteBytes} from "sites" where "sites"."id" = "contentInstallations"."site"), 0)`;

/** Selects installations on spaces or sites that exist in the organization of the installation. */
export const selectContentInstallations = (queries: Queries, kind: ContentInstallationsTable['kind']) =>
  queries
    .selectFrom('contentInstallations')
    .innerJoin('integrations', 'integrations.name', 'contentInstallations.integration')
    .innerJoin('integrationVersions', isCurrentVersion)
    .selectAll('contentInstallations')
    .select('integrationVersions.definition')
    .where('contentInstallations.kind', '=', kind)
    .$if(kind === 'space', (rows) =>
      rows.where('contentInstallations.space', 'in', (row) =>
        row
          .selectFrom('spaces')
          .select('spaces.id')
          .whereRef('spaces.id', '=', 'contentInstallations.space')
          .whereRef('spaces.organization', '=', 'contentInstallations.organization')
          .where('spaces.deletedAt', 'is', null),
      ),
    );

/** IDs of an installation and its integration. */
export interface InstallationName {
  integration: string;
  installation: string;
}

/** A space or site that an integration can be installed on. */
export interface InstallationTarget {
  kind: ContentInstallationsTable['kind'];
  target: string;
}

/** IDs of an installation on a space or site. */
export interface ContentInstallationName extends InstallationName, InstallationTarget {}

/**
 * Permissions on an installation: members with a role can view it, its admins, its own access tokens and its
 * integration can configure it, and its admins can manage it.
 */
export type InstallationPermission = 'view' | 'configure' | 'manage';

/** An installation with the caller's permissions. */
export interface InstallationWithAccess {
  row: InstallationRow;
  canConfigure: boolean;
}

/**
 * Finds an installation, and requires a permission on it.
 *
 * @throws ContractError 404 if it does not exist for the caller, 403 if the caller lacks the permission
 */
export async function installationFor(
  queries: Queries,
  caller: CallerId,
  { integration, installation }: InstallationName,
  permission: InstallationPermission,
): Promise<InstallationWithAccess> {
  const row = await findInstallation(queries, { integration, installation });
  const permitted = row && (await permissionsOn(queries, caller, row));
  if (!row || !permitted?.view) {
    throw notFound('installation');
  }
  if (!permitted[permission]) {
    throw permissionMissing('organization', 'installIntegration');
  }
  return { row, canConfigure: permitted.configure };
}

/** Finds an installation without checking permissions. */
export const findInstallation = (
  queries: Queries,
  { integration, installation }: InstallationName,
): Promise<InstallationRow | undefined> =>
  selectInstallations(queries)
    .where('installations.id', '=', installation)
    .where('installations.integration', '=', integration)
    .executeTakeFirst();

async function permissionsOn(
  queries: Queries,
  caller: CallerId,
  row: InstallationRow,
): Promise<Record<InstallationPermission, boolean>> {
  if (row.id === caller || accountOf(row.integration) === caller) {
    return { view: true, configure: true, manage: false };
  }
  const member = await findMembership(queries, caller, row.organization);
  const { listInstallations, installIntegration } = organizationPermissions(member?.role);
  return {
    view: member !== undefined && listInstallations,
    configure: installIntegration,
    manage: installIntegration,
  };
}

/**
 * Finds an installation on a space or site, and requires a permission on it.
 *
 * @throws ContractError 404 if it does not exist for the caller, 403 if the caller lacks the permission
 */
export async function contentInstallationFor(
  queries: Queries,
  caller: CallerId,
  { kind, target, ...name }: ContentInstallationName,
  permission: InstallationPermission,
): Promise<{ row: ContentInstallationRow; canConfigure: boolean }> {
  const { row: installation, canConfigure } = await installationFor(queries, caller, name, permission);
  const row = await findContentInstallation(queries, installation.id, { kind, target });
  if (!row) {
    throw notFound(`installation on the ${kind}`);
  }
  return { row, canConfigure };
}

/** Finds an installation on a space or site without checking permissions. */
export const findContentInstallation = (
  queries: Queries,
  installation: string,
  { kind, target }: InstallationTarget,
): Promise<ContentInstallationRow | undefined> =>
  selectContentInstallations(queries, kind)
    .where('contentInstallations.installation', '=', installation)
    .where('contentInstallations.target', '=', target)
    .executeTakeFirst();

/** Creates a function that returns whether the caller can configure installations. Those of a page are read together. */
export const configurableFinder = (queries: Queries, caller: CallerId) =>
  batched<{ installation: string; integration: string; organization: string }, boolean>(async (rows) => {
    const memberships = await usableOrganizations(queries, caller)
      .select('members.role')
      .where('members.organization', 'in', [...new Set(rows.map(({ organization }) => organization))])
      .execute();
    const roles = new Map(memberships.map(({ organization, role }) => [organization, role]));
    return ({ installation, integration, organization }) =>
      installation === caller ||
      accountOf(integration) === caller ||
      organizationPermissions(roles.get(organization) ?? undefined).installIntegration;
  });
