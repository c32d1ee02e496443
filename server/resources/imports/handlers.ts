import type { components } from '../../../generated/schema.d.ts';
import { commitTo } from '../../content/branch.ts';
import { addTo } from '../../content/convert/plan.ts';
import { type ConvertLimits, DEFAULT_LIMITS } from '../../content/convert/types.ts';
import { imageDimensions } from '../../content/repository/read/assets.ts';
import { PendingFiles } from '../../content/store/pending-files.ts';
import { unavailable } from '../../contract/errors.ts';
import { type OwnerSlotBounds, OwnerSlots } from '../../contract/slots.ts';
import type { Queries } from '../../database/database.ts';
import { type BranchPath, writableBranchFor } from '../../models/content-branches/queries.ts';
import { commitServices } from '../kit/indexing.ts';
import { located } from '../kit/location.ts';
import type { Context, HandlersOf, Services } from '../kit/slice.ts';
import { readSource } from './rules/source.ts';

type Schemas = components['schemas'];

/** Limits of concurrent imports per process. Fetched content may be held in memory. */
export const IMPORT_LIMITS: OwnerSlotBounds = { total: 6, perOwner: 2, waitingPerOwner: 20, waitMs: 30_000 };

/**
 * Creates the handlers of content imports into spaces and change requests. Imported pages are added at the end of the
 * tree; existing content is unchanged.
 *
 * @param limits limits of one import
 */
export function importHandlers(
  services: Services,
  limits: ConvertLimits = DEFAULT_LIMITS,
): HandlersOf<'importSpaceContent' | 'importChangeRequestContent'> {
  const slots = new OwnerSlots(IMPORT_LIMITS);
  const importContent = async (
    { path, body }: { path: BranchPath; body: Schemas['ContentImport'] },
    { caller, signal }: Context,
  ): Promise<Schemas['ImportedContent']> => {
    const user = caller.id;
    // Checks permission and edit mode before anything is fetched.
    const { space } = await writableBranchFor(services.database.query, user, path, 'edit');
    using _slot = await slots.enter(space.organization, unavailable);
    await using files = new PendingFiles(services, space.organization, imageDimensions);
    const { imported, total, ...addition } = await readSource(services, body, { files, limits, signal });
    const find = (queries: Queries) => writableBranchFor(queries, user, path, 'edit', files);
    const { revision } = await commitTo(commitServices(services), { find, files }, async ({ content }) => {
      const change = await addTo(content, addition);
      return change && { revision: { content: change, type: 'edits', createdBy: user } };
    });
    return located(
      { revision: revision.id, importedResources: imported, totalResources: total },
      services.addresses.at(`/v1/spaces/${revision.space}/revisions/${revision.id}`),
    );
  };
  return { importSpaceContent: importContent, importChangeRequestContent: importContent };
}
