import { answerList } from '../../kit/list.ts';
import type { Slice } from '../../kit/slice.ts';
import type { MemberName } from '../members/queries.ts';
import { presentToken } from './present.ts';
import { tokensOf } from './queries.ts';
import { createAccessToken, memberTokensFor, revokeAccessToken, revokeMemberAccessToken } from './rules.ts';

const OLDEST_FIRST = [
  { column: 'tokens.createdAt', direction: 'asc' },
  { column: 'tokens.id', direction: 'asc' },
] as const;

/** Handlers of access tokens: the caller's own, and for admins those of members. */
export const accessTokenHandlers = {
  async listAccessTokens({ query }, ctx) {
    return await answerList(ctx, tokensOf(ctx.database.query, ctx.caller.id), query, {
      list: 'listAccessTokens',
      filters: { user: ctx.caller.id },
      order: OLDEST_FIRST,
      present: presentToken,
    });
  },

  async createAccessToken({ body }, ctx) {
    const { row, token } = await ctx.database.transaction((trx) => createAccessToken(trx, ctx, body));
    return { ...presentToken(row), token };
  },

  async revokeAccessToken({ path }, ctx) {
    await ctx.database.transaction((trx) => revokeAccessToken(trx, ctx, { token: path.tokenId }));
  },

  async listMemberAccessTokens({ path, query }, ctx) {
    const member = memberNameOf(path);
    const tokens = await memberTokensFor(ctx.database.query, ctx, member);
    return await answerList(ctx, tokens, query, {
      list: 'listMemberAccessTokens',
      filters: member,
      order: OLDEST_FIRST,
      present: presentToken,
    });
  },

  async revokeMemberAccessToken({ path }, ctx) {
    const token = { ...memberNameOf(path), token: path.tokenId };
    await ctx.database.transaction((trx) => revokeMemberAccessToken(trx, ctx, token));
  },
} satisfies Slice;

function memberNameOf(path: { organizationId: string; userId: string }): MemberName {
  return { organization: path.organizationId, user: path.userId };
}
