/** A published site with sections, a group and variants, made from repositories. */
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { importRepository } from '../content/imports.ts';
import type { GitServer, ServedRepository } from '../git/git-server.ts';
import type { TestServer } from '../server.ts';

type Schemas = components['schemas'];

/** A server with an organization, and the client of its admin. */
type Publisher = Pick<TestServer, 'organization'> & { admin: Pick<TestServer['admin'], 'client'> };

/** Creates a space with the content of a repository. */
export async function spaceFrom(
  server: Publisher,
  git: GitServer,
  title: string,
  files: Parameters<GitServer['createRepository']>[0],
  language?: Schemas['Language'],
): Promise<{ space: Schemas['Space']; repository: ServedRepository }> {
  const repository = await git.createRepository(files);
  const { id } = await ok(
    server.admin.client.POST('/v1/orgs/{organizationId}/spaces', {
      params: { path: { organizationId: server.organization } },
      body: { title, ...(language && { language }) },
    }),
  );
  return { space: await importRepository(server, id, repository), repository };
}

/** Creates and publishes a site with spaces at the root. */
export async function publishSite(
  server: Publisher,
  body: Schemas['SiteCreate'],
): Promise<Schemas['Site'] & { url: string }> {
  const { client } = server.admin;
  const site = await ok(
    client.POST('/v1/orgs/{organizationId}/sites', {
      params: { path: { organizationId: server.organization } },
      body: { title: 'Meridian', ...body },
    }),
  );
  const path = { organizationId: server.organization, siteId: site.id };
  const published = await ok(
    client.POST('/v1/orgs/{organizationId}/sites/{siteId}/publish', { params: { path } }),
  );
  const { published: url = '' } = published.urls;
  return { ...published, url };
}
