import type { Transaction } from '../database/database.ts';
import { writeJson } from '../database/json.ts';
import type { MakeId } from '../database/seams.ts';

/** Creates an organization with one admin (additions, new organization) and answers its id. */
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
  await trx
    .insertInto('members')
    .values({
      organization: id,
      user: options.admin,
      role: 'admin',
      disabled: 0,
      sso: 0,
      joinedAt: createdAt,
      lastSeenAt: null,
    })
    .execute();
  return id;
}
