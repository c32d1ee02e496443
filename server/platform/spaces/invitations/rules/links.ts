import { type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type { components } from '../../../../../generated/schema.d.ts';
import { ContractError } from '../../../../contract/errors.ts';
import type { Queries, Transaction } from '../../../../database/database.ts';
import { lookUp } from '../../../../database/lookups.ts';
import type { LinkInvitesTable } from '../../../../database/schema/accounts/invitations.ts';
import type { Schema } from '../../../../database/schema.ts';
import { fieldInvalid, levelNotApplicable, notFound, roleNotApplicable } from '../../../../errors/errors.ts';
import type { CallerId } from '../../../../identity/caller.ts';
import { unlessNotFound } from '../../../../identity/errors.ts';
import {
  type Membership,
  requireInOrganization,
  requireMember,
  requireOrganizationPermission,
} from '../../../../identity/membership.ts';
import { organizationPermissions } from '../../../../identity/permissions.ts';
import { administeredBy } from '../../../../identity/visibility.ts';
import { roleName } from '../../../kit/audit/record.ts';
import type { Context } from '../../../kit/slice.ts';
import { accessFor, type SpaceOrCollection } from '../../placements/target.ts';

type Schemas = components['schemas'];

/** IDs of an invitation and its organization. */
export interface InviteName {
  organization: string;
  invite: string;
}

/** An invite link with the caller's membership. */
export interface LinkWithAccess {
  row: Selectable<LinkInvitesTable>;
  access: Membership;
}

/**
 * Selects the invite links that are visible to a member: all of them for an admin of the organization, otherwise the
 * links to spaces and collections where the member has `permissions.viewInviteLinks`.
 */
export function linksFor(queries: Queries, member: Membership) {
  const links = organizationPermissions(member.role).admin
    ? queries.selectFrom('linkInvites')
    : linksFrom(queries, member);
  return links.selectAll('linkInvites').where('linkInvites.organization', '=', member.organization);
}

/** Selects links starting from the resources that a member administers, which usually are few. */
function linksFrom(queries: Queries, member: Membership) {
  const links = queries.selectFrom(
    sql<Selectable<LinkInvitesTable>>`(
      select "linkInvites".* from ${administeredBy(queries, member)} as "administered"
      ${lookUp(queries, 'linkInvites', 'all', sql`"linkInvites"."target" = "administered"."id"`)})`.as(
      'linkInvites',
    ),
  );
  // The subquery has the columns of the table, under its name.
  return links as unknown as SelectQueryBuilder<Schema, 'linkInvites', object>;
}

/**
 * Finds an invite link by its path.
 *
 * @throws ContractError 404 if it does not exist for the caller
 */
export async function linkFor(
  queries: Queries,
  caller: CallerId,
  { organization, invite }: InviteName,
): Promise<LinkWithAccess> {
  const access = await requireMember(queries, caller, organization);
  const row = await queries
    .selectFrom('linkInvites')
    .selectAll()
    .where('organization', '=', organization)
    .where('id', '=', invite)
    .executeTakeFirst();
  if (!row || !(await isVisible(queries, caller, { row, access }))) {
    throw notFound('invitation');
  }
  return { row, access };
}

async function isVisible(
  queries: Queries,
  caller: CallerId,
  { row: { targetKind, target }, access }: LinkWithAccess,
): Promise<boolean> {
  if (organizationPermissions(access.role).admin) {
    return true;
  }
  if (targetKind === null || target === null) {
    return false;
  }
  try {
    await accessFor(queries, caller, { kind: targetKind, id: target }, 'viewInviteLinks');
    return true;
  } catch (error) {
    if (error instanceof ContractError) {
      return false;
    }
    throw error;
  }
}

/**
 * Creates an invite link.
 *
 * @throws ContractError 400 if the space or collection belongs to another organization
 */
export async function createLink(
  trx: Transaction,
  { caller, audit, clock, createId }: Context,
  { organization, body }: { organization: string; body: Schemas['LinkInviteCreate'] },
): Promise<LinkWithAccess> {
  const access = await requireInOrganization(trx, caller.id, organization, 'admin');
  const target = targetOf(body);
  if (target) {
    await requireTarget(trx, caller.id, { organization, target });
  }
  const row = await trx
    .insertInto('linkInvites')
    .values({
      id: createId('inv'),
      organization,
      role: 'role' in body ? body.role : null,
      level: 'level' in body ? body.level : null,
      targetKind: target?.kind ?? null,
      target: target?.id ?? null,
      createdAt: clock().toISOString(),
      createdBy: caller.id,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await audit(trx, {
    organization,
    action: 'invite.created',
    resource: { type: 'invite', id: row.id },
    details: {
      ...(target && { subject: { type: target.kind, id: target.id } }),
      after: 'level' in body ? body.level : roleName(body.role),
    },
  });
  return { row, access };
}

function targetOf(body: Schemas['LinkInviteCreate']): SpaceOrCollection | undefined {
  if ('space' in body) {
    return { kind: 'space', id: body.space };
  }
  if ('collection' in body) {
    return { kind: 'collection', id: body.collection };
  }
  return undefined;
}

async function requireTarget(
  trx: Transaction,
  caller: CallerId,
  { organization, target }: { organization: string; target: SpaceOrCollection },
): Promise<void> {
  const access = await unlessNotFound(accessFor(trx, caller, target, 'view'));
  if (access?.organization !== organization) {
    throw fieldInvalid(target.kind, `must be the ID of a ${target.kind} of the organization`);
  }
}

/**
 * Updates the role or level of an invite link, for users who join by it from now on.
 *
 * @throws ContractError 409 for a role if the link has a level, or vice versa
 */
export async function updateLink(
  trx: Transaction,
  { caller, audit }: Context,
  { body, ...name }: InviteName & { body: Schemas['LinkInvitePatch'] },
): Promise<LinkWithAccess> {
  const { row, access } = await linkFor(trx, caller.id, name);
  requireOrganizationPermission(access, 'admin');
  const { id, target, role, level } = row;
  if ('role' in body && target !== null) {
    throw roleNotApplicable();
  }
  if ('level' in body && target === null) {
    throw levelNotApplicable();
  }
  const before = target === null ? roleName(role) : level;
  const after = 'level' in body ? body.level : 'role' in body ? roleName(body.role) : before;
  if (before === after) {
    return { row, access };
  }
  await trx.updateTable('linkInvites').set(body).where('id', '=', id).execute();
  await audit(trx, {
    organization: name.organization,
    action: 'invite.changed',
    resource: { type: 'invite', id },
    details: { ...(before !== null && { before }), ...(after !== null && { after }) },
  });
  return { row: { ...row, ...body }, access };
}

/** Deletes an invite link. */
export async function deleteLink(
  trx: Transaction,
  { caller, audit }: Context,
  name: InviteName,
): Promise<void> {
  const link = await unlessNotFound(linkFor(trx, caller.id, name));
  if (!link) {
    return;
  }
  requireOrganizationPermission(link.access, 'admin');
  await trx.deleteFrom('linkInvites').where('id', '=', link.row.id).execute();
  await audit(trx, {
    organization: name.organization,
    action: 'invite.deleted',
    resource: { type: 'invite', id: link.row.id },
  });
}
