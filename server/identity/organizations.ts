import type { Insertable, Selectable } from 'kysely';
import type { Transaction } from '../database/database.ts';
import { flag, writeJson } from '../database/json.ts';
import type { OrganizationsTable } from '../database/schema/accounts/organizations.ts';
import type { CreateId } from '../database/seams.ts';
import type { QuotaLimitsOf } from '../quotas/quotas.ts';
import { requireQuota } from '../quotas/use.ts';
import type { Role } from './levels.ts';

/** Creates an organization with one admin, and returns its row. */
export async function createOrganization(
  trx: Transaction,
  options: { title: string; admin: string; emailDomains?: string[]; now: Date; createId: CreateId },
): Promise<Selectable<OrganizationsTable>> {
  const id = options.createId('org');
  const row = await trx
    .insertInto('organizations')
    .values(newOrganizationRow({ ...options, id, createdAt: options.now.toISOString() }))
    .returningAll()
    .executeTakeFirstOrThrow();
  await insertMember(trx, { organization: id, user: options.admin, role: 'admin', now: options.now });
  return row;
}

/** Returns the row of a new organization, with the default settings. */
export function newOrganizationRow(options: {
  id: string;
  title: string;
  emailDomains?: string[];
  createdAt: string;
}): Insertable<OrganizationsTable> {
  return {
    id: options.id,
    title: options.title,
    emailDomains: writeJson(options.emailDomains ?? []),
    hostname: null,
    type: 'business',
    useCase: null,
    communityType: null,
    defaultRole: null,
    hasDefaultRole: 0,
    defaultContent: null,
    sso: 0,
    ai: 0,
    inviteLinks: 1,
    plan: 'free_2024',
    logo: null,
    createdAt: options.createdAt,
  };
}

/** A membership to add. */
interface NewMember {
  organization: string;
  user: string;
  /** null for a guest. */
  role: Role | null;
  sso?: boolean;
  now: Date;
}

/**
 * Adds a user who is not a member to an organization.
 *
 * @throws ContractError 403 if the organization would have too many members
 */
export async function addMember(trx: Transaction, quotas: QuotaLimitsOf, member: NewMember): Promise<void> {
  await requireQuota(trx, quotas, member.organization, { members: 1 });
  await insertMember(trx, member);
}

/** Adds a user to an organization, regardless of its quota. Does not change an existing membership. */
async function insertMember(trx: Transaction, membership: NewMember): Promise<void> {
  await trx
    .insertInto('members')
    .values({
      organization: membership.organization,
      user: membership.user,
      role: membership.role,
      disabled: 0,
      sso: flag(membership.sso ?? false),
      joinedAt: membership.now.toISOString(),
      lastSeenAt: null,
    })
    .onConflict((conflict) => conflict.columns(['organization', 'user']).doNothing())
    .execute();
}

/**
 * Adds a new user to the organizations that have invited their email address, regardless of their quotas: only operators
 * do so.
 *
 * @returns the organizations, with the role in each
 */
export async function acceptPendingInvitations(
  trx: Transaction,
  { user, email, now }: { user: string; email: string; now: Date },
): Promise<{ organization: string; role: Role | null }[]> {
  const invites = await trx
    .selectFrom('invites')
    .selectAll()
    .where('email', '=', email)
    .where('acceptedAt', 'is', null)
    .execute();
  for (const { organization, role, sso } of invites) {
    await insertMember(trx, { organization, user, role, sso: sso === 1, now });
  }
  await trx
    .updateTable('invites')
    .set({ acceptedAt: now.toISOString() })
    .where('email', '=', email)
    .where('acceptedAt', 'is', null)
    .execute();
  return invites;
}
