import { expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { createSpace } from '../../support/content/imports.ts';
import { tokenOf } from '../../support/integrations/integrations.ts';
import { publishSite } from '../../support/sites/published-site.ts';
import { developed, INSTALLATION, receiver, server, useReceivers } from './developed.ts';

// Installations that apply to all spaces and sites, also to those that they are not installed on.

useReceivers();

type Context = components['schemas']['RenderContext'];
type Kind = 'space' | 'site';

const SPACE = `${INSTALLATION}/spaces/{installedSpaceId}` as const;
const SITE = `${INSTALLATION}/sites/{installedSiteId}` as const;

const createTarget = async (kind: Kind): Promise<string> => {
  const { id } = await createSpace(server);
  return kind === 'space' ? id : (await publishSite(server, { spaces: [id] })).id;
};

/** Renders a form of a space or site, and returns the environment that the script received. */
async function environmentAt(name: string, kind: Kind, target: string) {
  const context: Context =
    kind === 'space'
      ? { type: 'configuration_space', theme: 'light', spaceId: target }
      : { type: 'configuration_site', theme: 'light', siteId: target };
  await server.admin.client.POST('/v1/integrations/{integrationName}/render', {
    params: { path: { integrationName: name } },
    body: { componentId: 'form', props: {}, context },
  });
  const rendered = receiver.received.findLast(({ payload }) => payload.type === 'ui_render');
  return rendered?.environment[kind === 'space' ? 'spaceInstallation' : 'siteInstallation'];
}

const SETTINGS = { properties: { limit: { type: 'number' as const, default: 5 } } };

test.each<Kind>(['space', 'site'])('a script receives its installation on every %s', async (kind) => {
  const { name, id, path } = await developed({ configurations: { [kind]: SETTINGS } });
  const target = await createTarget(kind);
  const environment = await environmentAt(name, kind, target);
  expect(environment).toMatchObject({
    installation: id,
    [kind]: target,
    status: 'active',
    configuration: { limit: 5 },
    externalIds: [],
  });
  expect(environment?.urls.publicEndpoint).toContain(target);
  // Its endpoint receives requests.
  await fetch(`${environment?.urls.publicEndpoint}/callback`);
  const call = receiver.received.findLast(({ payload }) => payload.type === 'fetch');
  expect(call?.environment[`${kind}Installation`]).toEqual(environment);

  const select = { [`${kind}_selection`]: 'selected' };
  await ok(server.admin.client.PATCH(INSTALLATION, { ...path, body: select }));
  expect(await environmentAt(name, kind, target)).toBeUndefined();
  expect((await fetch(`${environment?.urls.publicEndpoint}/callback`)).status).toBe(404);
});

test.each<Kind>(['space', 'site'])(
  'a script stores settings on a %s that it is not installed on',
  async (kind) => {
    const { name, id } = await developed({ configurations: { [kind]: SETTINGS } });
    const target = await createTarget(kind);
    const script = server.as((await tokenOf(server.admin, name, id)).token);
    const base = { integrationName: name, installationId: id };
    const read = async (client = script) =>
      kind === 'space'
        ? await client.GET(SPACE, { params: { path: { ...base, installedSpaceId: target } } })
        : await client.GET(SITE, { params: { path: { ...base, installedSiteId: target } } });
    const body = { configuration: { limit: 7, token: 'secret' } };
    expect((await read()).data).toMatchObject({ configuration: { limit: 5 } });
    // It is not installed there for persons, who can install it.
    expect((await read(server.admin.client)).response.status).toBe(404);
    await (kind === 'space'
      ? ok(script.PATCH(SPACE, { params: { path: { ...base, installedSpaceId: target } }, body }))
      : ok(script.PATCH(SITE, { params: { path: { ...base, installedSiteId: target } }, body })));
    expect((await read(server.admin.client)).data).toMatchObject(body);
    expect(await environmentAt(name, kind, target)).toMatchObject(body);
  },
);

test('an integration for spaces has no installation on sites', async () => {
  const { name } = await developed({ target: 'space' });
  expect(await environmentAt(name, 'site', await createTarget('site'))).toBeUndefined();
});

test('a space of another organization has no installation', async () => {
  const { name, id } = await developed();
  const other = await server.person('Foreign');
  const { id: organizationId } = await ok(other.client.POST('/v1/orgs', { body: { title: 'Foreign' } }));
  const params = { path: { organizationId } };
  const foreign = await ok(
    other.client.POST('/v1/orgs/{organizationId}/spaces', { params, body: { title: 'Foreign' } }),
  );
  const script = server.as((await tokenOf(server.admin, name, id)).token);
  const path = { integrationName: name, installationId: id, installedSpaceId: foreign.id };
  expect((await script.GET(SPACE, { params: { path } })).response.status).toBe(404);
});
