import { type JoinBuilder, type RawBuilder, type Selectable, sql } from 'kysely';
import { batched } from '../../../database/batched.ts';
import type { Queries } from '../../../database/database.ts';
import { type JsonText, readJson } from '../../../database/json.ts';
import type { OrganizationsTable } from '../../../database/schema/accounts/organizations.ts';
import type {
  IntegrationAssetsTable,
  IntegrationsTable,
  IntegrationTagsTable,
  StoredDefinition,
} from '../../../database/schema/integrations/integrations.ts';
import type { Schema } from '../../../database/schema.ts';
import { notFound, permissionMissing } from '../../../errors/errors.ts';
import type { CallerId } from '../../../identity/caller.ts';
import { accountOf } from '../../../identity/integration-accounts.ts';
import type { Role } from '../../../identity/levels.ts';
import { isActiveMember } from '../../../identity/membership.ts';
import { integrationPermissions } from '../../../identity/permissions.ts';

/** An integration with the definition of its current version. Its secrets are read by the runtime alone. */
export interface IntegrationRow extends Omit<Selectable<IntegrationsTable>, 'secrets'> {
  definition: JsonText<StoredDefinition>;
}

const COLUMNS = [
  'integrations.name',
  'integrations.organization',
  'integrations.version',
  'integrations.title',
  'integrations.searchedText',
  'integrations.target',
  'integrations.visibility',
  'integrations.scopes',
  'integrations.hasBlocks',
  'integrations.hasContentSources',
  'integrations.tunnelURL',
  'integrations.tunnelAll',
  'integrations.createdAt',
  'integrations.updatedAt',
] as const;

/** Joins integrations with their current versions. */
export const isCurrentVersion = (join: JoinBuilder<Schema, 'integrations' | 'integrationVersions'>) =>
  join
    .onRef('integrationVersions.integration', '=', 'integrations.name')
    .onRef('integrationVersions.version', '=', 'integrations.version');

/** The size of an integration in lists. */
export const integrationBytes: RawBuilder<number> = sql<number>`coalesce((
  select octet_length("integrationVersions"."definition") from "integrationVersions"
  where "integrationVersions"."integration" = "integrations"."name"
    and "integrationVersions"."version" = "integrations"."version"), 0)`;

/** Selects integrations with their current definitions, which are not joined, so that counting reads only an index. */
const selectIntegrations = (queries: Queries) =>
  queries
    .selectFrom('integrations')
    .select(COLUMNS)
    .select((integration) =>
      integration
        .selectFrom('integrationVersions')
        .select('integrationVersions.definition')
        .whereRef('integrationVersions.integration', '=', 'integrations.name')
        .whereRef('integrationVersions.version', '=', 'integrations.version')
        .$asScalar()
        .$notNull()
        .as('definition'),
    );

/** Selects the IDs of the organizations that the caller may use, with a role in them. */
export const usableOrganizations = (queries: Queries, caller: CallerId) =>
  queries
    .selectFrom('members')
    .innerJoin('organizations', 'organizations.id', 'members.organization')
    .select('members.organization')
    .where('members.user', '=', caller)
    .where(isActiveMember);

/** Selects the integrations that a list shows to the caller. */
export const listedIntegrations = (queries: Queries, caller: CallerId) =>
  selectIntegrations(queries).where((row) =>
    row.or([
      row('integrations.visibility', '=', 'public'),
      row.and([
        row('integrations.visibility', '=', 'private'),
        row('integrations.organization', 'in', usableOrganizations(queries, caller)),
      ]),
    ]),
  );

/** Maximum number of organizations of a caller for caching counts. */
export const MAX_COUNTED_ORGANIZATIONS = 100;

/** Returns the sorted IDs of the selected organizations; undefined if they are too many. */
export async function countedOrganizations(
  selected: ReturnType<typeof usableOrganizations>,
): Promise<string[] | undefined> {
  const rows = await selected.limit(MAX_COUNTED_ORGANIZATIONS + 1).execute();
  return rows.length > MAX_COUNTED_ORGANIZATIONS
    ? undefined
    : rows.map(({ organization }) => organization).sort();
}

/** The owner of an integration, with the caller's role there: null for a guest, undefined if the caller is no member. */
export interface Owner {
  row: Selectable<OrganizationsTable>;
  role: Role | null | undefined;
}

/** Creates a function that finds the owners of integrations. Those of a list page are read together. */
export const ownerFinder = (queries: Queries, caller: CallerId) =>
  batched<string, Owner>(async (ids) => {
    const distinct = [...new Set(ids)];
    const [rows, memberships] = [
      await queries.selectFrom('organizations').selectAll().where('id', 'in', distinct).execute(),
      await usableOrganizations(queries, caller)
        .select('members.role')
        .where('members.organization', 'in', distinct)
        .execute(),
    ];
    const roles = new Map(memberships.map(({ organization, role }) => [organization, role]));
    const owners = new Map(rows.map((row) => [row.id, { row, role: roles.get(row.id) }]));
    return (id) => {
      const owner = owners.get(id);
      if (!owner) {
        throw new Error(`The organization ${id}, which owns an integration, does not exist.`);
      }
      return owner;
    };
  });

/** An integration with its owner. */
export interface IntegrationWithOwner {
  row: IntegrationRow;
  owner: Owner;
}

/**
 * Finds an integration, and requires a permission on it.
 *
 * @throws ContractError 404 if it does not exist for the caller, 403 if the caller lacks the permission
 */
export async function integrationFor(
  queries: Queries,
  caller: CallerId,
  name: string,
  permission: 'view' | 'admin',
): Promise<IntegrationWithOwner> {
  const integration = await visibleIntegration(queries, caller, name);
  if (!integration) {
    throw notFound('integration');
  }
  if (permission === 'admin' && !integrationPermissions(integration.owner).admin) {
    throw permissionMissing('integration', 'admin');
  }
  return integration;
}

/** Finds an integration without checking permissions. */
export const findIntegration = (queries: Queries, name: string): Promise<IntegrationRow | undefined> =>
  selectIntegrations(queries).where('integrations.name', '=', name).executeTakeFirst();

/** Finds an integration that the caller can view. */
async function visibleIntegration(
  queries: Queries,
  caller: CallerId,
  name: string,
): Promise<IntegrationWithOwner | undefined> {
  const row = await findIntegration(queries, name);
  if (!row) {
    return undefined;
  }
  const owner = await ownerFinder(queries, caller)(row.organization);
  const isVisible =
    row.visibility !== 'private' ||
    owner.role !== undefined ||
    caller === accountOf(name) ||
    (await isInstalledFor(queries, caller, name));
  return isVisible ? { row, owner } : undefined;
}

/** Returns whether the caller is an installation of an integration, or a member of an organization that has one. */
async function isInstalledFor(queries: Queries, caller: CallerId, name: string): Promise<boolean> {
  const installation = await queries
    .selectFrom('installations')
    .select('id')
    .where('integration', '=', name)
    .where((row) =>
      row.or([row('id', '=', caller), row('organization', 'in', usableOrganizations(queries, caller))]),
    )
    .limit(1)
    .executeTakeFirst();
  return installation !== undefined;
}

/** Finds an image of an integration by the hash of its content. */
export async function findAsset(
  queries: Queries,
  integration: string,
  hash: string,
): Promise<Pick<Selectable<IntegrationAssetsTable>, 'organization' | 'contentType'> | undefined> {
  return await queries
    .selectFrom('integrationAssets')
    .select(['organization', 'contentType'])
    .where('integration', '=', integration)
    .where('hash', '=', hash)
    .limit(1)
    .executeTakeFirst();
}

/** Selects the names of the integrations with a tag. */
export const taggedIntegrations = (queries: Queries, kind: IntegrationTagsTable['kind'], value: string) =>
  queries
    .selectFrom('integrationTags')
    .select('integrationTags.integration')
    .where('integrationTags.kind', '=', kind)
    .where('integrationTags.value', '=', value);

/** Returns the definition of the current version. */
export const definitionOf = (row: IntegrationRow): StoredDefinition => readJson(row.definition);
