import type { Transaction } from '../../database/database.ts';
import { requireMember } from '../../identity/access.ts';
import type { CallerId } from '../../identity/caller.ts';
import { accessFinder } from '../../models/access.ts';
import { presentSpace } from '../../models/spaces/present.ts';
import { countSpace, spaceFor, withCounts } from '../../models/spaces/queries.ts';
import { visibleSpaces } from '../../models/spaces/visible.ts';
import { answerList } from '../kit/list.ts';
import { creationLock } from '../kit/locks.ts';
import type { HandlersOf, Services } from '../kit/slice.ts';
import { createSpace, duplicateSpace } from './rules/creation.ts';
import { copySpaceAhead, deleteSpace, moveSpace, restoreSpace, transferSpace, updateSpace } from './rules.ts';

/** Creates the handlers of spaces, which contain pages and their history. */
export function spaceHandlers(
  services: Services,
): HandlersOf<
  | 'listSpaces'
  | 'createSpace'
  | 'getSpace'
  | 'updateSpace'
  | 'deleteSpace'
  | 'duplicateSpace'
  | 'restoreSpace'
  | 'moveSpace'
  | 'transferSpace'
> {
  const { database, addresses, clock } = services;

  /** Changes a space in a transaction, and returns it as the caller sees it afterwards. */
  const changed = async (
    user: CallerId,
    work: (trx: Transaction) => Promise<string>,
    options?: { lock: string },
  ) =>
    await database.transaction(async (trx) => {
      const { row, access } = await spaceFor(trx, user, await work(trx), 'view');
      return presentSpace(await countSpace(trx, row), access, addresses);
    }, options);

  return {
    async listSpaces({ path, query }, { caller }) {
      const member = await requireMember(database.query, caller.id, path.organizationId);
      const accessTo = accessFinder(database.query, member, 'space');
      const { rows, count } = await visibleSpaces(database.query, member);
      return await answerList(services, withCounts(database.query, rows), query, {
        list: 'listSpaces',
        filters: { organization: path.organizationId },
        order: [
          { column: 'spaces.createdAt', direction: 'asc' },
          { column: 'spaces.id', direction: 'asc' },
        ],
        count,
        present: async (row) => presentSpace(row, await accessTo(row), addresses),
      });
    },

    async createSpace({ path, body = {} }, { caller }) {
      return await changed(
        caller.id,
        (trx) => createSpace(trx, services, caller.id, path.organizationId, body),
        { lock: creationLock(path.organizationId) },
      );
    },

    async getSpace({ path }, { caller }) {
      const { row, access } = await spaceFor(database.query, caller.id, path.spaceId, 'view', {
        deletedAsOf: clock(),
      });
      return presentSpace(await countSpace(database.query, row), access, addresses);
    },

    async updateSpace({ path, body }, context) {
      return await changed(context.caller.id, (trx) =>
        updateSpace(trx, services, context, path.spaceId, body),
      );
    },

    async deleteSpace({ path }, context) {
      await database.transaction((trx) => deleteSpace(trx, services, context, path.spaceId));
    },

    async duplicateSpace({ path }, { caller }) {
      return await changed(caller.id, (trx) => duplicateSpace(trx, services, caller.id, path.spaceId));
    },

    async restoreSpace({ path }, context) {
      return await changed(context.caller.id, (trx) => restoreSpace(trx, services, context, path.spaceId));
    },

    async moveSpace({ path, body }, context) {
      return await changed(context.caller.id, (trx) => moveSpace(trx, context, path.spaceId, body));
    },

    async transferSpace({ path, body }, context) {
      const copied = await copySpaceAhead(services, context, path.spaceId, body.organization);
      return await changed(context.caller.id, (trx) =>
        transferSpace(trx, services, context, path.spaceId, body.organization, copied),
      );
    },
  };
}
