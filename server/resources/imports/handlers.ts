import type { components } from '../../../generated/schema.d.ts';
import type { BranchPath } from '../../models/content-branches/queries.ts';
import { presentContentImportRun } from '../../models/runs/present.ts';
import { CONTENT_IMPORT_RUNS, findRun, runBytes, runsOf } from '../../models/runs/queries.ts';
import { spaceFor } from '../../models/spaces/queries.ts';
import { answerList } from '../kit/list.ts';
import { withLocation } from '../kit/location.ts';
import type { Context, Slice } from '../kit/slice.ts';
import { importContent } from './rules.ts';

type Schemas = components['schemas'];

/** Handlers of content imports and their runs. Imports into spaces and into change requests share one function. */
export const importHandlers = {
  importSpaceContent: importBranchContent,
  importChangeRequestContent: importBranchContent,

  async listContentImportRuns({ path, query }, ctx) {
    const { query: queries } = ctx.database;
    await spaceFor(queries, ctx.caller.id, path.spaceId, 'view');
    const context = { resourceUrls: ctx.resourceUrls, now: ctx.clock() };
    return await answerList(ctx, runsOf(queries, path.spaceId, CONTENT_IMPORT_RUNS), query, {
      list: 'listContentImportRuns',
      filters: path,
      order: [
        { column: 'runs.createdAt', direction: 'desc' },
        { column: 'runs.id', direction: 'desc' },
      ],
      bytes: runBytes,
      present: (row) => presentContentImportRun(row, context),
    });
  },

  async getContentImportRun({ path }, { caller, clock, database: { query }, resourceUrls }) {
    await spaceFor(query, caller.id, path.spaceId, 'view');
    const row = await findRun(query, path.spaceId, path.importRunId, CONTENT_IMPORT_RUNS);
    return presentContentImportRun(row, { resourceUrls, now: clock() });
  },
} satisfies Slice;

async function importBranchContent(
  { path, body }: { path: BranchPath; body: Schemas['ContentImport'] },
  ctx: Context,
): Promise<Schemas['ImportedContent']> {
  const { revision, imported, total } = await importContent(ctx, { ...path, ...body });
  return withLocation(
    { revision: revision.id, importedResources: imported, totalResources: total },
    ctx.resourceUrls.at(`/v1/spaces/${revision.space}/revisions/${revision.id}`),
  );
}
