import type { components } from '../../../../generated/schema.d.ts';
import type { Transaction } from '../../../database/database.ts';
import { flag, writeJson } from '../../../database/json.ts';
import { fieldInvalid, hostnameTaken } from '../../../errors/errors.ts';
import { createOrganization as insertOrganization } from '../../../identity/organizations.ts';
import { changesOf } from '../../kit/audit/changes.ts';
import type { Context } from '../../kit/slice.ts';
import { findOrganizationByHostname, type OrganizationWithRole, organizationFor } from './queries.ts';

type Schemas = components['schemas'];

/** Creates an organization with the caller as its only member, an admin. */
export async function createOrganization(
  trx: Transaction,
  { caller, audit, clock, createId }: Context,
  body: Schemas['OrganizationCreate'],
): Promise<OrganizationWithRole> {
  const row = await insertOrganization(trx, { ...body, admin: caller.id, now: clock(), createId });
  await audit(trx, {
    organization: row.id,
    action: 'organization.created',
    resource: { type: 'organization', id: row.id },
  });
  return { row, role: 'admin' };
}

/**
 * Updates the fields that the body contains.
 *
 * @throws ContractError 400 if the default site does not exist, 409 if the host name is already used
 */
export async function updateOrganization(
  trx: Transaction,
  { caller, audit }: Context,
  { organization: id, ...body }: { organization: string } & Schemas['OrganizationPatch'],
): Promise<OrganizationWithRole> {
  const { row, role } = await organizationFor(trx, caller.id, id, 'admin');
  if (body.hostname !== undefined) {
    await requireFreeHostname(trx, id, body.hostname);
  }
  if (body.defaultContent) {
    await requireSite(trx, id, body.defaultContent.site);
  }
  const changed = changesOf(row, {
    ...(body.title !== undefined && { title: body.title }),
    ...(body.emailDomains !== undefined && { emailDomains: writeJson(body.emailDomains) }),
    ...(body.hostname !== undefined && { hostname: body.hostname }),
    ...(body.defaultRole !== undefined && { defaultRole: body.defaultRole, hasDefaultRole: flag(true) }),
    ...(body.defaultContent !== undefined && {
      defaultContent: body.defaultContent && writeJson({ type: 'site', site: body.defaultContent.site }),
    }),
    ...(body.logo !== undefined && { logo: body.logo }),
    ...(body.sso !== undefined && { sso: flag(body.sso) }),
    ...(body.ai !== undefined && { ai: flag(body.ai) }),
    ...(body.inviteLinks !== undefined && { inviteLinks: flag(body.inviteLinks) }),
  });
  if (!changed) {
    return { row, role };
  }
  await trx.updateTable('organizations').set(changed.values).where('id', '=', id).execute();
  await audit(trx, {
    organization: id,
    action: 'organization.settings_changed',
    resource: { type: 'organization', id },
    details: { fields: changed.fields },
  });
  return { row: { ...row, ...changed.values }, role };
}

async function requireSite(trx: Transaction, organization: string, site: string): Promise<void> {
  const row = await trx
    .selectFrom('sites')
    .select('id')
    .where('id', '=', site)
    .where('organization', '=', organization)
    .executeTakeFirst();
  if (!row) {
    throw fieldInvalid('defaultContent.site', 'must be the ID of a site of the organization');
  }
}

async function requireFreeHostname(trx: Transaction, id: string, hostname: string): Promise<void> {
  const owner = await findOrganizationByHostname(trx, hostname);
  if (owner !== undefined && owner !== id) {
    throw hostnameTaken(hostname);
  }
}
