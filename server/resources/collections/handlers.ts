import type { Transaction } from '../../database/database.ts';
import { requireMember } from '../../identity/access.ts';
import type { CallerId } from '../../identity/caller.ts';
import { accessFinder } from '../../models/access.ts';
import { presentCollection } from '../../models/collections/present.ts';
import { collectionFor } from '../../models/collections/queries.ts';
import { visibleCollections } from '../../models/collections/visible.ts';
import { presentSpace } from '../../models/spaces/present.ts';
import { withCounts } from '../../models/spaces/queries.ts';
import { answerList } from '../kit/list.ts';
import { creationLock } from '../kit/locks.ts';
import type { HandlersOf, Services } from '../kit/slice.ts';
import {
  copyCollectionAhead,
  createCollection,
  deleteCollection,
  moveCollection,
  transferCollection,
  updateCollection,
} from './rules.ts';

/** Creates the handlers of collections, which are folders of spaces and of other collections. */
export function collectionHandlers(
  services: Services,
): HandlersOf<
  | 'listCollections'
  | 'createCollection'
  | 'getCollection'
  | 'updateCollection'
  | 'deleteCollection'
  | 'listCollectionSpaces'
  | 'moveCollection'
  | 'transferCollection'
> {
  const { database, addresses } = services;

  /** Changes a collection in a transaction, and returns it as the caller sees it afterwards. */
  const changed = async (
    user: CallerId,
    work: (trx: Transaction) => Promise<string>,
    options?: { lock: string },
  ) =>
    await database.transaction(async (trx) => {
      const { row, access } = await collectionFor(trx, user, await work(trx), 'view');
      return presentCollection(row, access, addresses);
    }, options);

  return {
    async listCollections({ path, query }, { caller }) {
      const member = await requireMember(database.query, caller.id, path.organizationId);
      const accessTo = accessFinder(database.query, member, 'collection');
      const { rows, count } = await visibleCollections(database.query, member, query);
      return await answerList(services, rows.selectAll('collections'), query, {
        list: 'listCollections',
        filters: { organization: path.organizationId, nested: query.nested },
        order: [
          { column: query.nested ? 'collections.createdAt' : 'collections.position', direction: 'asc' },
          { column: 'collections.id', direction: 'asc' },
        ],
        count,
        present: async (row) => presentCollection(row, await accessTo(row), addresses),
      });
    },

    async createCollection({ path, body = {} }, { caller }) {
      return await changed(
        caller.id,
        (trx) => createCollection(trx, services, caller.id, path.organizationId, body),
        { lock: creationLock(path.organizationId) },
      );
    },

    async getCollection({ path }, { caller }) {
      const { row, access } = await collectionFor(database.query, caller.id, path.collectionId, 'view');
      return presentCollection(row, access, addresses);
    },

    async updateCollection({ path, body }, context) {
      return await changed(context.caller.id, (trx) =>
        updateCollection(trx, context, path.collectionId, body),
      );
    },

    async deleteCollection({ path }, context) {
      await database.transaction((trx) => deleteCollection(trx, context, path.collectionId));
    },

    async listCollectionSpaces({ path, query }, { caller }) {
      const { row: collection, access } = await collectionFor(
        database.query,
        caller.id,
        path.collectionId,
        'view',
      );
      const accessTo = accessFinder(database.query, access, 'space');
      return await answerList(
        services,
        withCounts(database.query, database.query.selectFrom('spaces'))
          .where('spaces.parent', '=', path.collectionId)
          .where('spaces.deletedAt', 'is', null),
        query,
        {
          list: 'listCollectionSpaces',
          filters: { collection: path.collectionId },
          order: [
            { column: 'spaces.position', direction: 'asc' },
            { column: 'spaces.id', direction: 'asc' },
          ],
          count: {
            organization: collection.organization,
            kind: 'spaces in collection',
            owner: collection.id,
          },
          present: async (row) => presentSpace(row, await accessTo(row), addresses),
        },
      );
    },

    async moveCollection({ path, body }, context) {
      return await changed(context.caller.id, (trx) => moveCollection(trx, context, path.collectionId, body));
    },

    async transferCollection({ path, body }, context) {
      const copied = await copyCollectionAhead(services, context, path.collectionId, body.organization);
      return await changed(context.caller.id, (trx) =>
        transferCollection(trx, services, context, path.collectionId, body.organization, copied),
      );
    },
  };
}
