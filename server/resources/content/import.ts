import type { components } from '../../../generated/schema.d.ts';
import { addTo } from '../../content/convert/plan.ts';
import { type ConvertLimits, DEFAULT_LIMITS } from '../../content/convert/types.ts';
import { type BasePath, baseFor, requireWritable, writeBase } from '../base.ts';
import { located } from '../location.ts';
import type { Services, Slice } from '../slice.ts';
import { readSource } from './import-source.ts';

type Schemas = components['schemas'];

/**
 * Content import into spaces and change requests (description, Space content). What comes in is added at the end
 * of the tree; what is there stays.
 *
 * @param limits what one import may take
 */
export function importHandlers(
  services: Services,
  limits: ConvertLimits = DEFAULT_LIMITS,
): Slice<'importSpaceContent' | 'importChangeRequestContent'> {
  const importContent = async (
    { path, body }: { path: BasePath; body: Schemas['ContentImport'] },
    { caller, signal }: { caller: { user: { id: string } }; signal: AbortSignal },
  ): Promise<Schemas['ImportedContent']> => {
    const user = caller.user.id;
    // Nothing is fetched for somebody who may not write, or where nothing can be written.
    const base = await baseFor(services.database.query, user, path, 'edit');
    requireWritable(base);
    const read = await readSource(services, body, { owner: base.space.organization, limits, signal });
    const { imported, total, ...addition } = read;
    const { base: written, revision } = await writeBase(
      services,
      { user, path, permission: 'edit' },
      async (content) => ({ ...(await addTo(content, addition)), bytes: addition.bytes }),
    );
    return located(
      { revision: revision.id, importedResources: imported, totalResources: total },
      services.addresses.at(`/v1/spaces/${written.space.id}/revisions/${revision.id}`),
    );
  };
  return { importSpaceContent: importContent, importChangeRequestContent: importContent };
}
