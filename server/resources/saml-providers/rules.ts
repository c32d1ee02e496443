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

/** A SAML provider of an organization, as a path names it. */
export interface ProviderName {
  organization: string;
  provider: string;
}

/** A SAML provider with the access of who asks for it. */
export interface FoundProvider {
  row: Selectable<SamlProvidersTable>;
  access: Membership;
}

/**
 * The provider that a user names. Members know the providers of their organization, which they sign in with;
 * how they are set up is for its admins.
 *
 * @throws ContractError 404 where it does not exist for them, `forbidden` where they are no admin
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
  if (!row) throw notFound('SAML provider');
  await requireInOrganization(queries, user, organization, 'admin');
  return { row, access };
}

/**
 * Creates a SAML provider and answers its id.
 *
 * @throws ContractError 400 for a default team that is none of the organization
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
 * Changes what the body names.
 *
 * @throws ContractError 400 for a default team that is none of the organization
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
  if (!changed) return;
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
  if (!found) return;
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
  if (team !== undefined) await requireTeams(trx, organization, [team], () => 'defaultTeam');
}
