import type { Selectable } from 'kysely';
import type { Transaction } from '../../../database/database.ts';
import type { UsersTable } from '../../../database/schema/accounts/users.ts';
import type { Clock, CreateId } from '../../../database/seams.ts';
import { membershipDisabled } from '../../../errors/errors.ts';
import { highestLevel, type Role } from '../../../identity/levels.ts';
import { addMember } from '../../../identity/organizations.ts';
import { type CreatedSession, createSession } from '../../../identity/sessions.ts';
import { hashToken } from '../../../identity/tokens.ts';
import type { QuotaLimitsOf } from '../../../quotas/quotas.ts';
import { memberAddedEvent, type RecordAudit } from '../../kit/audit/record.ts';
import type { ActiveProvider } from '../saml-providers/queries.ts';
import { upsertTeamMember } from '../teams/queries.ts';
import type { SamlRequest } from './requests.ts';
import type { Assertion } from './response.ts';

/** A valid response was used before, by this or another request. */
export class ReplayError extends Error {
  override readonly name = 'ReplayError';
}

/** A completed sign-in. */
export interface SignIn {
  user: string;
  session: CreatedSession;
}

interface SignInServices {
  audit: RecordAudit;
  clock: Clock;
  createId: CreateId;
  quotas: QuotaLimitsOf;
}

/**
 * Signs a user in to the organization of a SAML provider, by the email address in a valid assertion. Anyone can create
 * an organization and a provider that asserts any address, so a sign-in grants access to this organization only, and
 * changes nothing about existing users elsewhere: an unknown address becomes a new user, without the invitations of
 * other organizations, and users who are not members become members, as with invitations by email address.
 *
 * @throws ReplayError if the request is already completed, or the assertion was used
 * @throws ContractError 403 if the membership of the user is disabled, or the organization would have too many members
 */
export async function signIn(
  trx: Transaction,
  services: SignInServices,
  { provider, request, assertion }: { provider: ActiveProvider; request: SamlRequest; assertion: Assertion },
): Promise<SignIn> {
  const { organization, id: samlProvider } = provider;
  const now = services.clock();
  await consume(trx, request, assertion);
  const user = await findOrCreateUser(trx, services, assertion);
  const member = await trx
    .selectFrom('members')
    .select(['disabled', 'sso'])
    .where('organization', '=', organization)
    .where('user', '=', user)
    .executeTakeFirst();
  if (member?.disabled === 1) {
    throw membershipDisabled();
  }
  if (!member) {
    await join(trx, services, provider, { user, email: assertion.email });
  } else if (member.sso === 0) {
    const resource = { type: 'user', id: user } as const;
    await services.audit(trx, {
      organization,
      action: 'member.sso_enabled',
      resource,
      details: { subject: subjectOf(provider) },
    });
  }
  await trx
    .updateTable('members')
    .set({ sso: 1, lastSeenAt: now.toISOString() })
    .where('organization', '=', organization)
    .where('user', '=', user)
    .execute();
  const { sessionEndsAt: endsAt } = assertion;
  return { user, session: await createSession(trx, { user, organization, samlProvider, now, endsAt }) };
}

/** Deletes the request, and stores the assertion: each can be used only once, by all processes. */
async function consume(
  trx: Transaction,
  { relayStateHash, samlProvider, organization }: SamlRequest,
  { id, expiresAt }: Assertion,
): Promise<void> {
  const { numDeletedRows } = await trx
    .deleteFrom('samlRequests')
    .where('relayStateHash', '=', relayStateHash)
    .executeTakeFirst();
  if (numDeletedRows === 0n) {
    throw new ReplayError('The request is already completed.');
  }
  const stored = await trx
    .insertInto('samlAssertions')
    .values({
      samlProvider,
      assertionHash: hashToken(id),
      organization,
      expiresAt: expiresAt.toISOString(),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('assertionHash')
    .executeTakeFirst();
  if (!stored) {
    throw new ReplayError('The assertion was already used.');
  }
}

async function findOrCreateUser(
  trx: Transaction,
  { clock, createId }: SignInServices,
  { email, displayName }: Assertion,
): Promise<string> {
  const existing = await trx.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst();
  if (existing) {
    return existing.id;
  }
  const row: Selectable<UsersTable> = {
    id: createId('usr'),
    email,
    displayName: displayName ?? email.slice(0, email.indexOf('@')),
    photoURL: null,
    createdAt: clock().toISOString(),
  };
  await trx.insertInto('users').values(row).execute();
  return row.id;
}

/** Adds a member with the role of the provider or of a pending invitation, whichever is higher, and to its team. */
async function join(
  trx: Transaction,
  { audit, clock, quotas }: SignInServices,
  provider: ActiveProvider,
  { user, email }: { user: string; email: string },
): Promise<void> {
  const { organization, defaultRole, defaultTeam: team } = provider;
  const now = clock();
  const invited = await acceptInvitation(trx, { organization, email, now });
  const role = highestLevel([defaultRole ?? undefined, invited]) ?? null;
  await addMember(trx, quotas, { organization, user, role, sso: true, now });
  const { details, ...added } = memberAddedEvent(organization, user, role);
  await audit(trx, { ...added, details: { ...details, subject: subjectOf(provider) } });
  if (team !== null) {
    await upsertTeamMember(trx, { organization, team, user, role: 'member' });
    await audit(trx, {
      organization,
      action: 'team.member_added',
      resource: { type: 'team', id: team },
      details: { subject: { type: 'user', id: user }, after: 'member' },
    });
  }
}

/** Accepts the pending invitation of this organization, if any, and returns its role. */
async function acceptInvitation(
  trx: Transaction,
  { organization, email, now }: { organization: string; email: string; now: Date },
): Promise<Role | undefined> {
  const invitation = await trx
    .updateTable('invites')
    .set({ acceptedAt: now.toISOString() })
    .where('organization', '=', organization)
    .where('email', '=', email)
    .where('acceptedAt', 'is', null)
    .returning('role')
    .executeTakeFirst();
  return invitation?.role ?? undefined;
}

const subjectOf = ({ id }: ActiveProvider) => ({ type: 'saml-provider', id }) as const;
