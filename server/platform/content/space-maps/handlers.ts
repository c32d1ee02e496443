import type { Slice } from '../../kit/slice.ts';
import { replaceSpaceMap, spaceMapFor } from './rules.ts';

/** Handlers of space maps: the spaces that links to spaces of the platform that was left lead to. */
export const spaceMapHandlers = {
  async getSpaceMap({ path }, { caller, database }) {
    return await spaceMapFor(database.query, caller.id, path.organizationId);
  },

  async replaceSpaceMap({ path, body }, ctx) {
    const input = { organization: path.organizationId, ...body };
    return await ctx.database.transaction((trx) => replaceSpaceMap(trx, ctx, input));
  },
} satisfies Slice;
