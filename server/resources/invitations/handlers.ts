import type { Selectable } from 'kysely';
import type { components } from '../../../generated/schema.d.ts';
import type { LinkInvitesTable } from '../../database/schema/invitations.ts';
import { requireMember } from '../../identity/access.ts';
import { organizationPermissions } from '../../identity/permissions.ts';
import type { Addresses } from '../../models/addresses.ts';
import { memberPresenter } from '../../models/members/present.ts';
import { memberOf } from '../../models/members/queries.ts';
import { answerList } from '../kit/list.ts';
import type { HandlersOf, Services } from '../kit/slice.ts';
import { acceptInvite } from './rules/acceptance.ts';
import { createLink, deleteLink, linkFor, linksFor, updateLink } from './rules/links.ts';
import { inviteUsers } from './rules/people.ts';

/** Creates the handlers of invitations to an organization, by link and by email address. */
export function invitationHandlers(
  services: Services,
): HandlersOf<
  | 'listLinkInvites'
  | 'createLinkInvite'
  | 'getLinkInvite'
  | 'updateLinkInvite'
  | 'deleteLinkInvite'
  | 'inviteUsers'
  | 'acceptInvite'
> {
  const { database, addresses } = services;
  const named = (path: { organizationId: string; inviteId: string }) => ({
    organization: path.organizationId,
    invite: path.inviteId,
  });
  return {
    async listLinkInvites({ path, query }, { caller }) {
      const { organizationId: organization } = path;
      const member = await requireMember(database.query, caller.id, organization);
      return await answerList(services, linksFor(database.query, member), query, {
        list: 'listLinkInvites',
        filters: { organization },
        order: [
          { column: 'linkInvites.createdAt', direction: 'asc' },
          { column: 'linkInvites.id', direction: 'asc' },
        ],
        count: organizationPermissions(member.role).admin
          ? { organization, kind: 'link invites' }
          : undefined,
        present: (row) => presentLink(row, addresses),
      });
    },

    async createLinkInvite({ path, body }, context) {
      return await database.transaction(async (trx) => {
        const invite = await createLink(trx, services, context, path.organizationId, body);
        const name = { organization: path.organizationId, invite };
        return presentLink(await linkFor(trx, context.caller.id, name), addresses);
      });
    },

    async getLinkInvite({ path }, { caller }) {
      return presentLink(await linkFor(database.query, caller.id, named(path)), addresses);
    },

    async updateLinkInvite({ path, body }, context) {
      return await database.transaction(async (trx) => {
        await updateLink(trx, context, named(path), body);
        return presentLink(await linkFor(trx, context.caller.id, named(path)), addresses);
      });
    },

    async deleteLinkInvite({ path }, context) {
      await database.transaction((trx) => deleteLink(trx, context, named(path)));
    },

    async inviteUsers({ path, body }, context) {
      return await database.transaction((trx) =>
        inviteUsers(trx, services, context, path.organizationId, body),
      );
    },

    async acceptInvite({ path }, context) {
      return await database.transaction(async (trx) => {
        await acceptInvite(trx, services, context, named(path));
        const row = await memberOf(trx, path.organizationId, context.caller.id);
        return await memberPresenter(trx, { ...row, role: row.role ?? undefined }, addresses)(row);
      });
    },
  };
}

/** Presents an invite link to an organization, a space or a collection. */
function presentLink(
  row: Selectable<LinkInvitesTable>,
  addresses: Addresses,
): components['schemas']['LinkInvite'] {
  const { id, organization, createdAt, target, level } = row;
  const invite = {
    object: 'invite' as const,
    id,
    createdAt,
    urls: addresses.linkInvite(organization, id),
  };
  if (target === null || level === null) {
    return { ...invite, role: row.role };
  }
  return row.targetKind === 'space'
    ? { ...invite, level, space: target }
    : { ...invite, level, collection: target };
}
