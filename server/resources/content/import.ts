import type { components } from '../../../generated/schema.d.ts';
import { addTo, planAddition } from '../../content/convert/plan.ts';
import { type ConvertLimits, countTaken, DEFAULT_LIMITS } from '../../content/convert/types.ts';
import { unavailable } from '../../contract/errors.ts';
import { type BasePath, baseFor, requireWritable, writeBase } from '../base.ts';
import { located } from '../location.ts';
import type { Services, Slice } from '../slice.ts';
import { readSource } from './import-source.ts';

type Schemas = components['schemas'];

/** Imports that a process does at a time: what they read waits in memory until it is stored. */
const MOST_AT_ONCE = 4;

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
  let running = 0;
  const importContent = async (
    { path, body }: { path: BasePath; body: Schemas['ContentImport'] },
    { caller, signal }: { caller: { user: { id: string } }; signal: AbortSignal },
  ): Promise<Schemas['ImportedContent']> => {
    const user = caller.user.id;
    // Nothing is fetched for somebody who may not write, or where nothing can be written.
    requireWritable(await baseFor(services.database.query, user, path, 'edit'));
    if (running >= MOST_AT_ONCE) throw unavailable();
    running++;
    try {
      return await importInto(services, { user, path, body }, limits, signal);
    } finally {
      running--;
    }
  };
  return { importSpaceContent: importContent, importChangeRequestContent: importContent };
}

async function importInto(
  services: Services,
  { user, path, body }: { user: string; path: BasePath; body: Schemas['ContentImport'] },
  limits: ConvertLimits,
  signal: AbortSignal,
): Promise<Schemas['ImportedContent']> {
  const { makeId, clock, addresses } = services;
  const converted = await readSource(services, body, limits, signal);
  const addition = planAddition(converted, { makeId, now: clock() });
  const { base, revision } = await writeBase(
    services,
    { user, path, permission: 'edit' },
    async (content) => ({
      ...(await addTo(content, addition)),
      bytes: addition.bytes,
    }),
  );
  return located(
    {
      revision: revision.id,
      importedResources: countTaken(converted),
      totalResources: converted.found,
    },
    addresses.at(`/v1/spaces/${base.space.id}/revisions/${revision.id}`),
  );
}
