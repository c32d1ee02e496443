import type { components } from '../../../../generated/schema.d.ts';
import type { Queries, Transaction } from '../../../database/database.ts';
import type { TokenScope } from '../../../database/schema/accounts/access-tokens.ts';
import {
  fieldInvalid,
  tokenExpiryExceeded,
  tokenScopesExceeded,
  tokensManagedElsewhere,
} from '../../../errors/errors.ts';
import type { CallerToken } from '../../../identity/caller.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import { requireMember, requireOrganizationPermission } from '../../../identity/membership.ts';
import { includesScope, TOKEN_SCOPES } from '../../../identity/scopes.ts';
import type { CreatedToken } from '../../../identity/tokens.ts';
import type { Context } from '../../kit/slice.ts';
import { readTime } from '../../kit/times.ts';
import { type MemberName, memberOf } from '../members/queries.ts';
import { issueToken, managingOrganization, revokeToken, tokensOf } from './queries.ts';

/**
 * Creates a token of the caller.
 *
 * @throws ContractError 400 if the expiry is not in the future; ContractError 403 if the token would have more
 *   scopes, or expire later, than the token of the request; ContractError 409 if the user has too many tokens
 */
export async function createAccessToken(
  trx: Transaction,
  { caller, audit, clock, createId }: Context,
  { label, scopes: requested, expiresAt }: components['schemas']['UserAccessTokenCreate'],
): Promise<CreatedToken> {
  const now = clock();
  const expiry = readTime(expiresAt, { in: 'body', path: 'expiresAt' });
  const scopes = requested && TOKEN_SCOPES.filter((scope) => requested.includes(scope));
  requireSubset(caller.token, scopes, expiry);
  if (expiry && expiry <= now) {
    throw fieldInvalid('expiresAt', 'must be in the future');
  }
  return await issueToken(trx, audit, { user: caller.id, label, scopes, expiresAt: expiry, now, createId });
}

/** Throws if a token would have more scopes, or expire later, than the token it is created with. */
function requireSubset(
  callerToken: CallerToken,
  scopes: TokenScope[] | undefined,
  expiry: Date | undefined,
): void {
  const beyond =
    callerToken.scopes &&
    (scopes ? scopes.find((scope) => !includesScope(callerToken.scopes, scope)) : 'all');
  if (beyond) {
    throw tokenScopesExceeded(callerToken.scopes?.join(', ') ?? '');
  }
  if (callerToken.expiresAt !== null && (!expiry || expiry.toISOString() > callerToken.expiresAt)) {
    throw tokenExpiryExceeded(callerToken.expiresAt);
  }
}

/** Revokes a token of the caller. */
export async function revokeAccessToken(
  trx: Transaction,
  { caller, audit, clock }: Context,
  { token }: { token: string },
): Promise<void> {
  const row = await tokensOf(trx, caller.id).where('id', '=', token).executeTakeFirst();
  if (row) {
    await revokeToken(trx, audit, row, clock());
  }
}

/**
 * Selects the tokens of a member, for an admin of the organization that manages them.
 *
 * @throws ContractError 404 if the user is not a member, 403 if the caller is not an admin or another organization
 *   manages the tokens
 */
export async function memberTokensFor(
  queries: Queries,
  { caller }: Pick<Context, 'caller'>,
  { organization, user }: MemberName,
) {
  const access = await requireMember(queries, caller.id, organization);
  await memberOf(queries, { organization, user });
  requireOrganizationPermission(access, 'admin');
  if ((await managingOrganization(queries, user)) !== organization) {
    throw tokensManagedElsewhere();
  }
  return tokensOf(queries, user);
}

/** Revokes a token of a member. */
export async function revokeMemberAccessToken(
  trx: Transaction,
  ctx: Context,
  { token, ...member }: MemberName & { token: string },
): Promise<void> {
  const tokens = await unlessNotFound(memberTokensFor(trx, ctx, member));
  const row = await tokens?.where('id', '=', token).executeTakeFirst();
  if (row) {
    await revokeToken(trx, ctx.audit, row, ctx.clock());
  }
}
