import { answerList } from '../../kit/list.ts';
import { numberLock } from '../../kit/locks.ts';
import type { Slice } from '../../kit/slice.ts';
import { spaceFor } from '../../spaces/spaces/queries.ts';
import { presentChangeRequest } from './present.ts';
import { changeRequestFor, changeRequestsMatching } from './queries.ts';
import { mergeChangeRequest, syncChangeRequest } from './rules/merging.ts';
import { createChangeRequest, updateChangeRequest } from './rules.ts';

/** Handlers of change requests, which are branches of a space's content. */
export const changeRequestHandlers = {
  async listChangeRequests({ path, query }, ctx) {
    const { query: queries } = ctx.database;
    const { row } = await spaceFor(queries, ctx.caller.id, path.spaceId, 'view');
    const { status, contributor, creator, requestedReviewer } = query;
    const filter = { status, contributor, creator, requestedReviewer };
    const rows = changeRequestsMatching(queries, row.id, filter);
    return await answerList(ctx, rows, query, {
      list: 'listChangeRequests',
      filters: { space: row.id, ...filter },
      order: [
        { column: 'changeRequests.createdAt', direction: 'asc' },
        { column: 'changeRequests.id', direction: 'asc' },
      ],
      count:
        contributor === undefined && creator === undefined && requestedReviewer === undefined
          ? { organization: row.organization, kind: `change requests ${status}`, owner: row.id }
          : undefined,
      present: (changeRequest) => presentChangeRequest(changeRequest, ctx.resourceUrls),
    });
  },

  async createChangeRequest({ path, body }, ctx) {
    const created = await ctx.database.transaction(
      (trx) => createChangeRequest(trx, ctx, { ...path, ...body }),
      { lock: numberLock(path.spaceId) },
    );
    return presentChangeRequest(created, ctx.resourceUrls);
  },

  async getChangeRequest({ path }, { caller, database, resourceUrls }) {
    const { changeRequest } = await changeRequestFor(database.query, caller.id, path, 'view');
    return presentChangeRequest(changeRequest, resourceUrls);
  },

  async updateChangeRequest({ path, body }, ctx) {
    const updated = await ctx.database.transaction((trx) =>
      updateChangeRequest(trx, ctx, { ...path, ...body }),
    );
    return presentChangeRequest(updated, ctx.resourceUrls);
  },

  async mergeChangeRequest({ path }, ctx) {
    const { revision, merged } = await mergeChangeRequest(ctx, path);
    return { revision: revision.id, result: merged ? 'merge' : 'conflicts' };
  },

  async syncChangeRequest({ path }, ctx) {
    const { revision, conflicts } = await syncChangeRequest(ctx, path);
    return { revision: revision.id, result: conflicts ? 'conflicts' : 'update' };
  },
} satisfies Slice;
