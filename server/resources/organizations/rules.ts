import type { components } from '../../../generated/schema.d.ts';
import type { Transaction } from '../../database/database.ts';
import { flag, writeJson } from '../../database/json.ts';
import { fieldInvalid, hostnameTaken } from '../../errors.ts';
import { changesOf } from '../../models/audit-events/changes.ts';
import { organizationFor } from '../../models/organizations/queries.ts';
import type { Context } from '../kit/slice.ts';

/**
 * Updates the fields that the body contains.
 *
 * @throws ContractError 400 if the default site does not exist, 409 if the host name is already used
 */
export async function updateOrganization(
  trx: Transaction,
  { caller, audit }: Context,
  id: string,
  body: components['schemas']['OrganizationPatch'],
): Promise<void> {
  const { row } = await organizationFor(trx, caller.id, id, 'admin');
  if (body.hostname !== undefined) {
    await requireFreeHostname(trx, id, body.hostname);
  }
  if (body.defaultContent) {
    throw fieldInvalid('defaultContent.site', 'must be the ID of a site of the organization');
  }
  const changed = changesOf(row, {
    ...(body.title !== undefined && { title: body.title }),
    ...(body.emailDomains !== undefined && { emailDomains: writeJson(body.emailDomains) }),
    ...(body.hostname !== undefined && { hostname: body.hostname }),
    ...(body.defaultRole !== undefined && { defaultRole: body.defaultRole, hasDefaultRole: flag(true) }),
    ...(body.defaultContent === null && { defaultContent: null }),
    ...(body.logo !== undefined && { logo: body.logo }),
    ...(body.sso !== undefined && { sso: flag(body.sso) }),
    ...(body.ai !== undefined && { ai: flag(body.ai) }),
    ...(body.inviteLinks !== undefined && { inviteLinks: flag(body.inviteLinks) }),
  });
  if (!changed) {
    return;
  }
  await trx.updateTable('organizations').set(changed.values).where('id', '=', id).execute();
  await audit(trx, {
    organization: id,
    action: 'organization.settings_changed',
    resource: { type: 'organization', id },
    details: { fields: changed.fields },
  });
}

async function requireFreeHostname(trx: Transaction, id: string, hostname: string): Promise<void> {
  const other = await trx
    .selectFrom('organizations')
    .select('id')
    .where('hostname', '=', hostname)
    .where('id', '!=', id)
    .executeTakeFirst();
  if (other) {
    throw hostnameTaken(hostname);
  }
}
