import type { components } from '../../../generated/schema.d.ts';
import { badField, conflict } from '../../contract/errors.ts';
import type { Transaction } from '../../database/database.ts';
import { flag, writeJson } from '../../database/json.ts';
import { organizationFor } from '../../models/organization/queries.ts';

/**
 * Changes what the body names (description, Organizations).
 *
 * @throws ContractError 400 for a default site that does not exist, 409 for a host name that is taken
 */
export async function updateOrganization(
  trx: Transaction,
  user: string,
  id: string,
  body: components['schemas']['OrganizationPatch'],
): Promise<void> {
  await organizationFor(trx, user, id, 'admin');
  if (body.hostname !== undefined) await refuseTakenHostname(trx, id, body.hostname);
  if (body.defaultContent)
    throw badField('defaultContent.site', 'must be the id of a site of the organization');
  await trx
    .updateTable('organizations')
    // A change of nothing is still a good request: the id stands for it.
    .set({
      id,
      ...(body.title !== undefined && { title: body.title }),
      ...(body.emailDomains !== undefined && { emailDomains: writeJson(body.emailDomains) }),
      ...(body.hostname !== undefined && { hostname: body.hostname }),
      ...(body.defaultRole !== undefined && { defaultRole: body.defaultRole, hasDefaultRole: 1 }),
      ...(body.defaultContent === null && { defaultContent: null }),
      ...(body.logo !== undefined && { logo: body.logo }),
      ...(body.sso !== undefined && { sso: flag(body.sso) }),
      ...(body.ai !== undefined && { ai: flag(body.ai) }),
      ...(body.inviteLinks !== undefined && { inviteLinks: flag(body.inviteLinks) }),
    })
    .where('id', '=', id)
    .execute();
}

async function refuseTakenHostname(trx: Transaction, id: string, hostname: string): Promise<void> {
  const other = await trx
    .selectFrom('organizations')
    .select('id')
    .where('hostname', '=', hostname)
    .where('id', '!=', id)
    .executeTakeFirst();
  if (other) throw conflict(`The host name ${hostname} is taken; choose another one.`);
}
