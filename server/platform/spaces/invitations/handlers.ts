import { requireMember } from '../../../identity/membership.ts';
import { organizationPermissions } from '../../../identity/permissions.ts';
import { memberPresenter } from '../../accounts/members/present.ts';
import { answerList } from '../../kit/list.ts';
import type { Slice } from '../../kit/slice.ts';
import { presentLink } from './present.ts';
import { acceptInvite } from './rules/acceptance.ts';
import { inviteUsers } from './rules/email-invitations.ts';
import { createLink, deleteLink, type InviteName, linkFor, linksFor, updateLink } from './rules/links.ts';

/** Handlers of invitations to an organization, by link and by email address. */
export const invitationHandlers = {
  async listLinkInvites({ path, query }, ctx) {
    const { query: queries } = ctx.database;
    const { organizationId: organization } = path;
    const access = await requireMember(queries, ctx.caller.id, organization);
    return await answerList(ctx, linksFor(queries, access), query, {
      list: 'listLinkInvites',
      filters: { organization },
      order: [
        { column: 'linkInvites.createdAt', direction: 'asc' },
        { column: 'linkInvites.id', direction: 'asc' },
      ],
      count: organizationPermissions(access.role).admin ? { organization, kind: 'link invites' } : undefined,
      present: (row) => presentLink(row, access, ctx.resourceUrls),
    });
  },

  async createLinkInvite({ path, body }, ctx) {
    const organization = path.organizationId;
    const { row, access } = await ctx.database.transaction((trx) =>
      createLink(trx, ctx, { organization, body }),
    );
    return presentLink(row, access, ctx.resourceUrls);
  },

  async getLinkInvite({ path }, { caller, database, resourceUrls }) {
    const { row, access } = await linkFor(database.query, caller.id, inviteNameOf(path));
    return presentLink(row, access, resourceUrls);
  },

  async updateLinkInvite({ path, body }, ctx) {
    const change = { ...inviteNameOf(path), body };
    const { row, access } = await ctx.database.transaction((trx) => updateLink(trx, ctx, change));
    return presentLink(row, access, ctx.resourceUrls);
  },

  async deleteLinkInvite({ path }, ctx) {
    await ctx.database.transaction((trx) => deleteLink(trx, ctx, inviteNameOf(path)));
  },

  async inviteUsers({ path, body }, ctx) {
    const invitations = { organization: path.organizationId, ...body };
    return await ctx.database.transaction((trx) => inviteUsers(trx, ctx, invitations));
  },

  async acceptInvite({ path }, ctx) {
    const { row, access } = await ctx.database.transaction((trx) =>
      acceptInvite(trx, ctx, inviteNameOf(path)),
    );
    return await memberPresenter(ctx.database.query, access, ctx.resourceUrls)(row);
  },
} satisfies Slice;

function inviteNameOf(path: { organizationId: string; inviteId: string }): InviteName {
  return { organization: path.organizationId, invite: path.inviteId };
}
