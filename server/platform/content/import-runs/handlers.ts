import { requireMember } from '../../../identity/membership.ts';
import { answerList } from '../../kit/list.ts';
import type { Slice } from '../../kit/slice.ts';
import { importRunFor, importRunsMatching, presentImportRun } from '../runs/imports.ts';
import { runBytes } from '../runs/queries.ts';
import { cancelImportRun, startImportRun } from './rules.ts';

/** Handlers of imports of websites and files, which jobs carry out. */
export const importRunHandlers = {
  async listImportRuns({ path: { organizationId }, query }, ctx) {
    const { query: queries } = ctx.database;
    const member = await requireMember(queries, ctx.caller.id, organizationId);
    const { space, changeRequest, status } = query;
    const filter = { space, changeRequest, status };
    return await answerList(ctx, importRunsMatching(queries, member, filter), query, {
      list: 'listImportRuns',
      filters: { organization: organizationId, ...filter },
      order: [
        { column: 'runs.createdAt', direction: 'desc' },
        { column: 'runs.id', direction: 'desc' },
      ],
      bytes: runBytes,
      present: (row) => presentImportRun(row, ctx.resourceUrls),
    });
  },

  async startImportRun({ path, body }, ctx) {
    return presentImportRun(await startImportRun(ctx, { ...path, ...body }), ctx.resourceUrls);
  },

  async getImportRun({ path: { organizationId, importId } }, ctx) {
    const name = { organization: organizationId, run: importId };
    return presentImportRun(await importRunFor(ctx.database.query, ctx.caller.id, name), ctx.resourceUrls);
  },

  async cancelImportRun({ path: { organizationId, importId } }, ctx) {
    const name = { organization: organizationId, run: importId };
    const row = await ctx.database.transaction((trx) => cancelImportRun(trx, ctx, name));
    return presentImportRun(row, ctx.resourceUrls);
  },
} satisfies Slice;
