import type { Selectable } from 'kysely';
import type { components } from '../../../../generated/schema.d.ts';
import type { Queries, Transaction } from '../../../database/database.ts';
import type { SamlProvidersTable } from '../../../database/schema/accounts/saml-providers.ts';
import { notFound } from '../../../errors/errors.ts';
import type { CallerId } from '../../../identity/caller.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import {
  type Membership,
  requireInOrganization,
  requireMember,
  requireOrganizationPermission,
} from '../../../identity/membership.ts';
import { changesOf } from '../../kit/audit/changes.ts';
import type { Context } from '../../kit/slice.ts';
import { requireTeams } from '../teams/queries.ts';

type Schemas = components['schemas'];

/** IDs of a SAML provider and its organization. */
export interface ProviderName {
  organization: string;
  provider: string;
}

/** A SAML provider with the caller's membership. */
export interface ProviderWithAccess {
  row: Selectable<SamlProvidersTable>;
  access: Membership;
}

/**
 * Finds a SAML provider. Members can see that it exists, because they sign in with it, but only admins can see its
 * settings.
 *
 * @throws ContractError 404 if it does not exist for the caller, 403 if the caller is not an admin
 */
export async function providerFor(
  queries: Queries,
  caller: CallerId,
  { organization, provider }: ProviderName,
): Promise<ProviderWithAccess> {
  const access = await requireMember(queries, caller, organization);
  const row = await queries
    .selectFrom('samlProviders')
    .selectAll()
    .where('organization', '=', organization)
    .where('id', '=', provider)
    .executeTakeFirst();
  if (!row) {
    throw notFound('SAML provider');
  }
  requireOrganizationPermission(access, 'admin');
  return { row, access };
}

/**
 * Creates a SAML provider.
 *
 * @throws ContractError 400 for an invalid certificate or sign-in URL, or a default team of another organization
 */
export async function createProvider(
  trx: Transaction,
  { caller, audit, clock, createId }: Context,
  { organization, ...body }: { organization: string } & Schemas['SamlProviderCreate'],
): Promise<ProviderWithAccess> {
  const access = await requireInOrganization(trx, caller.id, organization, 'admin');
  await requireDefaultTeam(trx, organization, body.defaultTeam);
  const id = createId('saml');
  const row = await trx
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
    .returningAll()
    .executeTakeFirstOrThrow();
  await audit(trx, {
    organization,
    action: 'saml_provider.created',
    resource: { type: 'saml-provider', id },
  });
  return { row, access };
}

/**
 * Updates the fields that the body contains.
 *
 * @throws ContractError 400 for an invalid certificate or sign-in URL, or a default team of another organization
 */
export async function updateProvider(
  trx: Transaction,
  { caller, audit }: Context,
  { organization, provider, ...body }: ProviderName & Schemas['SamlProviderPatch'],
): Promise<ProviderWithAccess> {
  const { row, access } = await providerFor(trx, caller.id, { organization, provider });
  await requireDefaultTeam(trx, organization, body.defaultTeam);
  const changed = changesOf(row, body);
  if (!changed) {
    return { row, access };
  }
  await trx.updateTable('samlProviders').set(changed.values).where('id', '=', row.id).execute();
  await audit(trx, {
    organization: row.organization,
    action: 'saml_provider.updated',
    resource: { type: 'saml-provider', id: row.id },
    details: { fields: changed.fields },
  });
  return { row: { ...row, ...changed.values }, access };
}

/** Deletes a SAML provider. */
export async function deleteProvider(
  trx: Transaction,
  { caller, audit }: Context,
  name: ProviderName,
): Promise<void> {
  const existing = await unlessNotFound(providerFor(trx, caller.id, name));
  if (!existing) {
    return;
  }
  const { id, organization } = existing.row;
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
