import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { named } from '../../support/integrations/integrations.ts';
import type { Subject } from './step.ts';

type Schemas = components['schemas'];

/** Renders a component through the API, which validates the element. */
export const render = async (
  { service, manifest }: Subject,
  body: Schemas['RenderRequest'],
): Promise<Schemas['RenderResult']> =>
  await ok(
    service.admin.client.POST('/v1/integrations/{integrationName}/render', { ...named(manifest.name), body }),
  );
