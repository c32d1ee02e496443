import { type RawBuilder, type Selectable, sql } from 'kysely';
import { batched } from '../../../database/batched.ts';
import type { Queries } from '../../../database/database.ts';
import { type JsonText, writeJson } from '../../../database/json.ts';
import type {
  ContentInstallationsTable,
  InstallationsTable,
} from '../../../database/schema/integrations/installations.ts';
import type {
  StoredDefinition,
  StoredIntegrationScope,
  StoredIntegrationTarget,
} from '../../../database/schema/integrations/integrations.ts';
import { notFound, permissionMissing } from '../../../errors/errors.ts';
import type { CallerId } from '../../../identity/caller.ts';
import { accountOf } from '../../../identity/integration-accounts.ts';
import { findMembership } from '../../../identity/membership.ts';
import { organizationPermissions } from '../../../identity/permissions.ts';
import { siteBytes } from '../../spaces/publications/rows.ts';
import { isCurrentVersion, usableOrganizations } from '../integrations/queries.ts';

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

/** Returns whether the caller is an installation or its integration. */
const isOfIntegration = ({ id, integration }: InstallationRow, caller: CallerId): boolean =>
  id === caller || accountOf(integration) === caller;

async function permissionsOn(
  queries: Queries,
  caller: CallerId,
  row: InstallationRow,
): Promise<Record<InstallationPermission, boolean>> {
  if (isOfIntegration(row, caller)) {
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
 * Finds an installation on a space or site, and requires a permission on it. The integration itself also finds the
 * implied one of an installation that applies to all of them, which its script receives.
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
  const find = isOfIntegration(installation, caller)
    ? findAppliedInstallation(queries, installation, { kind, target })
    : findContentInstallation(queries, installation.id, { kind, target });
  const row = await find;
  if (!row) {
    throw notFound(`installation on the ${kind}`);
  }
  return { row, canConfigure };
}

/** Returns whether an installation applies to all spaces or sites, also to those that it is not installed on. */
export const appliesToAll = (
  { spaceSelection, siteSelection, integrationTarget }: InstallationRow,
  kind: ContentInstallationsTable['kind'],
): boolean =>
  (kind === 'space' ? spaceSelection : siteSelection) === 'all' &&
  integrationTarget !== (kind === 'space' ? 'site' : 'space');

/**
 * Finds what an installation has on a space or site, without checking permissions. One that applies to all of them has
 * an implied installation without settings on each, which is not stored until it is updated.
 */
export async function findAppliedInstallation(
  queries: Queries,
  installation: InstallationRow,
  { kind, target }: InstallationTarget,
): Promise<ContentInstallationRow | undefined> {
  const stored = await findContentInstallation(queries, installation.id, { kind, target });
  const { id, integration, organization, definition } = installation;
  // That of an integration for organizations is installed on none of them.
  if (stored || !appliesToAll(installation, kind) || installation.integrationTarget === 'organization') {
    return stored;
  }
  if (!(await isInOrganization(queries, { kind, target, organization }))) {
    return undefined;
  }
  return {
    installation: id,
    integration,
    organization,
    kind,
    target,
    space: kind === 'space' ? target : null,
    site: kind === 'site' ? target : null,
    paused: 0,
    configuration: null,
    externalIds: writeJson([]),
    createdAt: installation.createdAt,
    updatedAt: installation.createdAt,
    definition,
  };
}

/** Returns whether a space or site exists in an organization. */
export async function isInOrganization(
  queries: Queries,
  { kind, target, organization }: InstallationTarget & { organization: string },
): Promise<boolean> {
  const row =
    kind === 'space'
      ? await queries
          .selectFrom('spaces')
          .select('id')
          .where('id', '=', target)
          .where('organization', '=', organization)
          .where('deletedAt', 'is', null)
          .executeTakeFirst()
      : await queries
          .selectFrom('sites')
          .select('id')
          .where('id', '=', target)
          .where('organization', '=', organization)
          .executeTakeFirst();
  return row !== undefined;
}

/** Finds a stored installation on a space or site without checking permissions. */
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
