import type { components } from '../../../generated/schema.d.ts';
import type { BranchPath } from '../../models/content-branches/queries.ts';
import { withLocation } from '../kit/location.ts';
import type { Context, Slice } from '../kit/slice.ts';
import { importContent } from './rules.ts';

type Schemas = components['schemas'];

/** Handlers of content imports into spaces and into change requests. Both share one function. */
export const importHandlers = {
  importSpaceContent: importBranchContent,
  importChangeRequestContent: importBranchContent,
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
