import { requireMember } from '../../../identity/membership.ts';
import { accessFinder } from '../../kit/access.ts';
import { answerList } from '../../kit/list.ts';
import { creationLock } from '../../kit/locks.ts';
import type { Slice } from '../../kit/slice.ts';
import { spacePresenter } from '../spaces/present.ts';
import { spacesIn } from '../spaces/queries.ts';
import { presentCollection } from './present.ts';
import { visibleCollections } from './queries/visible.ts';
import { collectionFor } from './queries.ts';
import {
  copyCollectionAhead,
  createCollection,
  deleteCollection,
  moveCollection,
  transferCollection,
  updateCollection,
} from './rules.ts';

/** Handlers of collections, which are folders of spaces and of other collections. */
export const collectionHandlers = {
  async listCollections({ path, query }, ctx) {
    const { query: queries } = ctx.database;
    const member = await requireMember(queries, ctx.caller.id, path.organizationId);
    const accessTo = accessFinder(queries, member, 'collection');
    const { rows, count } = await visibleCollections(queries, member, query);
    return await answerList(ctx, rows.selectAll('collections'), query, {
      list: 'listCollections',
      filters: { organization: path.organizationId, nested: query.nested },
      order: [
        { column: query.nested ? 'collections.createdAt' : 'collections.position', direction: 'asc' },
        { column: 'collections.id', direction: 'asc' },
      ],
      count,
      present: async (row) => presentCollection(row, await accessTo(row), ctx.resourceUrls),
    });
  },

  async createCollection({ path, body }, ctx) {
    const organization = path.organizationId;
    const { row, access } = await ctx.database.transaction(
      (trx) => createCollection(trx, ctx, { organization, ...body }),
      { lock: creationLock(organization) },
    );
    return presentCollection(row, access, ctx.resourceUrls);
  },

  async getCollection({ path }, { caller, database, resourceUrls }) {
    const { row, access } = await collectionFor(database.query, caller.id, path.collectionId, 'view');
    return presentCollection(row, access, resourceUrls);
  },

  async updateCollection({ path, body }, ctx) {
    const changes = { id: path.collectionId, ...body };
    const { row, access } = await ctx.database.transaction((trx) => updateCollection(trx, ctx, changes));
    return presentCollection(row, access, ctx.resourceUrls);
  },

  async deleteCollection({ path }, ctx) {
    await ctx.database.transaction((trx) => deleteCollection(trx, ctx, { id: path.collectionId }));
  },

  async listCollectionSpaces({ path, query }, ctx) {
    const { query: queries } = ctx.database;
    const { row: collection, access } = await collectionFor(
      queries,
      ctx.caller.id,
      path.collectionId,
      'view',
    );
    const accessTo = accessFinder(queries, access, 'space');
    const present = spacePresenter(queries, ctx.resourceUrls);
    return await answerList(ctx, spacesIn(queries, path.collectionId), query, {
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
      present: async (row) => await present(row, await accessTo(row)),
    });
  },

  async moveCollection({ path, body }, ctx) {
    const move = { id: path.collectionId, ...body };
    const { row, access } = await ctx.database.transaction((trx) => moveCollection(trx, ctx, move));
    return presentCollection(row, access, ctx.resourceUrls);
  },

  async transferCollection({ path, body }, ctx) {
    const transfer = { id: path.collectionId, ...body };
    const copied = await copyCollectionAhead(ctx, transfer);
    const { row, access } = await ctx.database.transaction((trx) =>
      transferCollection(trx, ctx, { ...transfer, copied }),
    );
    return presentCollection(row, access, ctx.resourceUrls);
  },
} satisfies Slice;
