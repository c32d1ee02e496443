import type { Selectable } from 'kysely';
import type { components } from '../../../generated/schema.d.ts';
import type { Queries, Transaction } from '../../database/database.ts';
import type { SamlProvidersTable } from '../../database/schema/saml-providers.ts';
import { notFound } from '../../errors.ts';
import { type Membership, requireInOrganization, requireMember } from '../../identity/access.ts';
import { unlessNotFound } from '../../identity/errors.ts';
import { changesOf } from '../../models/audit-events/changes.ts';
import { requireTeams } from '../../models/teams/queries.ts';
import type { Context, Services } from '../kit/slice.ts';

type Schemas = components['schemas'];

/** IDs of a SAML provider and its organization. */
export interface ProviderName {
  organization: string;
  provider: string;
}

/** A SAML provider, and the membership of the user who requested it. */
export interface FoundProvider {
  row: Selectable<SamlProvidersTable>;
  access: Membership;
}

/**
 * Finds a SAML provider. Members can see that it exists, because they sign in with it, but only admins can see its
 * settings.
 *
 * @throws ContractError 404 if it does not exist or is not visible to the user; `forbidden` if they are not an admin
 */
export async function providerFor(
  queries: Queries,
  user: string,
  { organization, provider }: ProviderName,
): Promise<FoundProvider> {
  const access = await requireMember(queries, user, organization);
  const row = await queries
    .selectFrom('samlProviders')
    .selectAll()
    .where('organization', '=', organization)
    .where('id', '=', provider)
    .executeTakeFirst();
  if (!row) {
    throw notFound('SAML provider');
  }
  await requireInOrganization(queries, user, organization, 'admin');
  return { row, access };
}

/**
 * Creates a SAML provider, and returns its ID.
 *
 * @throws ContractError 400 if the default team is not a team of the organization
 */
export async function createProvider(
  trx: Transaction,
  { clock, makeId }: Services,
  { caller, audit }: Context,
  organization: string,
  body: Schemas['SamlProviderCreate'],
): Promise<string> {
  await requireInOrganization(trx, caller.id, organization, 'admin');
  await requireDefaultTeam(trx, organization, body.defaultTeam);
  const id = makeId('saml');
  await trx
    .insertInto('samlProviders')
    .values({
      id,
      organization,
      label: body.label,
      ssoURL: body.ssoURL ?? null,
      entityID: body.entityID ?? null,
      certificate: body.certificate ?? null,
      defaultTeam: body.defaultTeam ?? null,
      defaultRole: body.defaultRole ?? null,
      createdAt: clock().toISOString(),
    })
    .execute();
  await audit(trx, {
    organization,
    action: 'saml_provider.created',
    resource: { type: 'saml-provider', id },
  });
  return id;
}

/**
 * Updates the fields that the body contains.
 *
 * @throws ContractError 400 if the default team is not a team of the organization
 */
export async function updateProvider(
  trx: Transaction,
  { caller, audit }: Context,
  name: ProviderName,
  body: Schemas['SamlProviderPatch'],
): Promise<void> {
  const { row } = await providerFor(trx, caller.id, name);
  await requireDefaultTeam(trx, name.organization, body.defaultTeam);
  const changed = changesOf(row, body);
  if (!changed) {
    return;
  }
  await trx.updateTable('samlProviders').set(changed.values).where('id', '=', row.id).execute();
  await audit(trx, {
    organization: row.organization,
    action: 'saml_provider.updated',
    resource: { type: 'saml-provider', id: row.id },
    details: { fields: changed.fields },
  });
}

/** Deletes a SAML provider. */
export async function deleteProvider(
  trx: Transaction,
  { caller, audit }: Context,
  name: ProviderName,
): Promise<void> {
  const found = await unlessNotFound(providerFor(trx, caller.id, name));
  if (!found) {
    return;
  }
  const { id, organization } = found.row;
  await trx.deleteFrom('samlProviders').where('id', '=', id).execute();
  await audit(trx, {
    organization,
    action: 'saml_provider.deleted',
    resource: { type: 'saml-provider', id },
  });
}

async function requireDefaultTeam(
  trx: Transaction,
  organization: string,
  team: string | undefined,
): Promise<void> {
  if (team !== undefined) {
    await requireTeams(trx, organization, [team], () => 'defaultTeam');
  }
}
