import type { Transaction } from '../database/database.ts';
import { flag, writeJson } from '../database/json.ts';
import type { MakeId } from '../database/seams.ts';
import type { Role } from './levels.ts';

/** Creates an organization with one admin and answers its id. */
export async function createOrganization(
  trx: Transaction,
  options: { title: string; admin: string; emailDomains?: string[]; now: Date; makeId: MakeId },
): Promise<string> {
  const id = options.makeId('org');
  const createdAt = options.now.toISOString();
  await trx
    .insertInto('organizations')
    .values({
      id,
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
      createdAt,
    })
    .execute();
  await addMember(trx, { organization: id, user: options.admin, role: 'admin', now: options.now });
  return id;
}

/**
 * Makes a user a member of an organization; one who is a member already stays as they are.
 *
 * @param membership `role` null makes a guest
 */
export async function addMember(
  trx: Transaction,
  membership: { organization: string; user: string; role: Role | null; sso?: boolean; now: Date },
): Promise<void> {
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
 * Makes a new user a member wherever their mail address was invited before they came.
 *
 * @returns what they joined
 */
export async function joinWhereInvited(
  trx: Transaction,
  { user, email, now }: { user: string; email: string; now: Date },
): Promise<{ organization: string; role: Role | null }[]> {
  const invites = await trx
    .selectFrom('invites')
    .selectAll()
    .where('email', '=', email)
    .where('acceptedAt', 'is', null)
    .execute();
  for (const { organization, role, sso } of invites)
    await addMember(trx, { organization, user, role, sso: sso === 1, now });
  await trx
    .updateTable('invites')
    .set({ acceptedAt: now.toISOString() })
    .where('email', '=', email)
    .where('acceptedAt', 'is', null)
    .execute();
  return invites;
}
