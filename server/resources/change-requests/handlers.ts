import type { Transaction } from '../../database/database.ts';
import { presentChangeRequest } from '../../models/change-requests/present.ts';
import { changeRequestFor, selectChangeRequests } from '../../models/change-requests/queries.ts';
import { spaceFor } from '../../models/spaces/queries.ts';
import { answerList } from '../kit/list.ts';
import { numberLock } from '../kit/locks.ts';
import type { HandlersOf, Services } from '../kit/slice.ts';
import { mergeChangeRequest, syncChangeRequest } from './rules/merging.ts';
import { createChangeRequest, updateChangeRequest } from './rules.ts';

/** Creates the handlers of change requests, which are branches of a space's content. */
export function changeRequestHandlers(
  services: Services,
): HandlersOf<
  | 'listChangeRequests'
  | 'createChangeRequest'
  | 'getChangeRequest'
  | 'updateChangeRequest'
  | 'mergeChangeRequest'
  | 'syncChangeRequest'
> {
  const { database, addresses } = services;
  return {
    async listChangeRequests({ path, query }, { caller }) {
      const { row } = await spaceFor(database.query, caller.id, path.spaceId, 'view');
      const { status, contributor } = query;
      const ofSpace = selectChangeRequests(database.query)
        .where('changeRequests.space', '=', row.id)
        .where('changeRequests.status', '=', status);
      const rows =
        contributor === undefined
          ? ofSpace
          : ofSpace.where('changeRequests.id', 'in', (revision) =>
              revision
                .selectFrom('revisions')
                .select('revisions.changeRequest')
                .where('revisions.space', '=', row.id)
                .where('revisions.createdBy', '=', contributor)
                .where('revisions.changeRequest', 'is not', null)
                .$narrowType<{ changeRequest: string }>(),
            );
      return await answerList(services, rows, query, {
        list: 'listChangeRequests',
        filters: { space: row.id, status, contributor },
        order: [
          { column: 'changeRequests.createdAt', direction: 'asc' },
          { column: 'changeRequests.id', direction: 'asc' },
        ],
        count:
          contributor === undefined
            ? { organization: row.organization, kind: `change requests ${status}`, owner: row.id }
            : undefined,
        present: (changeRequest) => presentChangeRequest(changeRequest, addresses),
      });
    },

    async createChangeRequest({ path, body }, { caller }) {
      const create = async (trx: Transaction) => {
        const changeRequestId = await createChangeRequest(trx, services, caller.id, path.spaceId, body);
        const created = { spaceId: path.spaceId, changeRequestId };
        const { changeRequest } = await changeRequestFor(trx, caller.id, created, 'view');
        return presentChangeRequest(changeRequest, addresses);
      };
      return await database.transaction(create, { lock: numberLock(path.spaceId) });
    },

    async getChangeRequest({ path }, { caller }) {
      const { changeRequest } = await changeRequestFor(database.query, caller.id, path, 'view');
      return presentChangeRequest(changeRequest, addresses);
    },

    async updateChangeRequest({ path, body }, { caller }) {
      return await database.transaction(async (trx) => {
        await updateChangeRequest(trx, services, caller.id, path, body);
        const { changeRequest } = await changeRequestFor(trx, caller.id, path, 'view');
        return presentChangeRequest(changeRequest, addresses);
      });
    },

    mergeChangeRequest: ({ path }, { caller }) => mergeChangeRequest(services, caller.id, path),
    syncChangeRequest: ({ path }, { caller }) => syncChangeRequest(services, caller.id, path),
  };
}
