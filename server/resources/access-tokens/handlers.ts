import { presentToken } from '../../models/access-tokens/present.ts';
import { tokensOf } from '../../models/access-tokens/queries.ts';
import { answerList } from '../kit/list.ts';
import type { HandlersOf, Services } from '../kit/slice.ts';
import { createAccessToken, memberTokensFor, revokeAccessToken, revokeMemberAccessToken } from './rules.ts';

/** Creates the handlers of access tokens: the caller's own, and for admins those of members. */
export function accessTokenHandlers(
  services: Services,
): HandlersOf<
  | 'listAccessTokens'
  | 'createAccessToken'
  | 'revokeAccessToken'
  | 'listMemberAccessTokens'
  | 'revokeMemberAccessToken'
> {
  const { database } = services;
  const oldestFirst = [
    { column: 'tokens.createdAt', direction: 'asc' },
    { column: 'tokens.id', direction: 'asc' },
  ] as const;
  return {
    async listAccessTokens({ query }, { caller }) {
      return await answerList(services, tokensOf(database.query, caller.id), query, {
        list: 'listAccessTokens',
        filters: { user: caller.id },
        order: oldestFirst,
        present: presentToken,
      });
    },

    async createAccessToken({ body }, context) {
      const { row, token } = await database.transaction((trx) =>
        createAccessToken(trx, services, context, body),
      );
      return { ...presentToken(row), token };
    },

    async revokeAccessToken({ path }, context) {
      await database.transaction((trx) => revokeAccessToken(trx, services, context, path.tokenId));
    },

    async listMemberAccessTokens({ path, query }, { caller }) {
      const name = { organization: path.organizationId, user: path.userId };
      const tokens = await memberTokensFor(database.query, caller.id, name);
      return await answerList(services, tokens, query, {
        list: 'listMemberAccessTokens',
        filters: name,
        order: oldestFirst,
        present: presentToken,
      });
    },

    async revokeMemberAccessToken({ path }, context) {
      const name = { organization: path.organizationId, user: path.userId, token: path.tokenId };
      await database.transaction((trx) => revokeMemberAccessToken(trx, services, context, name));
    },
  };
}
