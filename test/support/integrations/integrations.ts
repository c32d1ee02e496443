import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import type { Person } from '../server.ts';

type Schemas = components['schemas'];

/** Path parameters of an integration. */
export const named = (integrationName: string) => ({ params: { path: { integrationName } } });

/** Path parameters of an installation. */
export const installed = (integrationName: string, installationId: string) => ({
  params: { path: { integrationName, installationId } },
});

/** Publishes an integration. */
export const publish = async (
  person: Pick<Person, 'client'>,
  name: string,
  body: Schemas['IntegrationPublication'],
) => await person.client.POST('/v1/integrations/{integrationName}', { ...named(name), body });

/** Installs an integration in an organization. */
export const install = async (person: Pick<Person, 'client'>, name: string, organization: string) =>
  await ok(
    person.client.POST('/v1/integrations/{integrationName}/installations', {
      ...named(name),
      body: { organization },
    }),
  );

/** Creates an access token of an installation. */
export const tokenOf = async (person: Pick<Person, 'client'>, name: string, installation: string) =>
  await ok(
    person.client.POST('/v1/integrations/{integrationName}/installations/{installationId}/tokens', {
      ...installed(name, installation),
    }),
  );
