import type { Selectable } from 'kysely';
import type { components } from '../../../generated/schema.d.ts';
import type { Queries, Transaction } from '../../database/database.ts';
import type { SamlProvidersTable } from '../../database/schema.ts';
import { type Access, requireInOrganization, requireMember } from '../../identity/access.ts';
import { invisible, unlessInvisible } from '../../identity/errors.ts';
import { requireTeams } from '../../models/team/queries.ts';
import type { Services } from '../slice.ts';

type Schemas = components['schemas'];

/** A SAML provider of an organization, as a path names it. */
export interface ProviderName {
  organization: string;
  provider: string;
}

/** A SAML provider with the access of who asks for it. */
export interface FoundProvider {
  row: Selectable<SamlProvidersTable>;
  access: Access;
}

/**
 * The provider that a user names. Members know the providers of their organization, which they sign in with;
 * how they are set up is for its admins.
 *
 * @throws AccessError `invisible` where it does not exist for them, `forbidden` where they are no admin
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
  if (!row) throw invisible('SAML provider');
  await requireInOrganization(queries, user, organization, 'admin');
  return { row, access };
}

/**
 * Creates a SAML provider and answers its id.
 *
 * @throws FieldError for a default team that is none of the organization
 */
export async function createProvider(
  trx: Transaction,
  { clock, makeId }: Services,
  user: string,
  organization: string,
  body: Schemas['SamlProviderCreate'],
): Promise<string> {
  await requireInOrganization(trx, user, organization, 'admin');
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
  return id;
}

/**
 * Changes what the body names.
 *
 * @throws FieldError for a default team that is none of the organization
 */
export async function updateProvider(
  trx: Transaction,
  user: string,
  name: ProviderName,
  body: Schemas['SamlProviderPatch'],
): Promise<void> {
  const { row } = await providerFor(trx, user, name);
  await requireDefaultTeam(trx, name.organization, body.defaultTeam);
  await trx
    .updateTable('samlProviders')
    // A change of nothing is still a good request: the id stands for it.
    .set({ id: row.id, ...body })
    .where('id', '=', row.id)
    .execute();
}

/** Deletes a SAML provider. */
export async function deleteProvider(trx: Transaction, user: string, name: ProviderName): Promise<void> {
  const found = await unlessInvisible(providerFor(trx, user, name));
  if (found) await trx.deleteFrom('samlProviders').where('id', '=', found.row.id).execute();
}

async function requireDefaultTeam(
  trx: Transaction,
  organization: string,
  team: string | undefined,
): Promise<void> {
  if (team !== undefined) await requireTeams(trx, organization, [team], () => 'defaultTeam');
}
