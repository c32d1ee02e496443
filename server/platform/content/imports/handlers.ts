import type { components } from '../../../../generated/schema.d.ts';
import { withLocation } from '../../kit/location.ts';
import type { Context, Slice } from '../../kit/slice.ts';
import type { BranchPath } from '../content-branches/queries.ts';
import { presentContentImportRun } from '../runs/present.ts';
import { CONTENT_IMPORT_RUNS } from '../runs/queries.ts';
import { answerRun, answerRuns } from '../runs/read.ts';
import { importContent } from './rules.ts';

type Schemas = components['schemas'];

const contentImportRuns = { kinds: CONTENT_IMPORT_RUNS, present: presentContentImportRun };

/** Handlers of content imports and their runs. Imports into spaces and into change requests share one function. */
export const importHandlers = {
  importSpaceContent: importBranchContent,
  importChangeRequestContent: importBranchContent,

  async listContentImportRuns(request, ctx) {
    return await answerRuns(ctx, { ...request, list: 'listContentImportRuns' }, contentImportRuns);
  },

  async getContentImportRun({ path: { spaceId, importRunId } }, ctx) {
    return await answerRun(ctx, { space: spaceId, run: importRunId }, contentImportRuns);
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
