import { ok, waitForRun } from '../../client/platform/index.ts';
import type { Target } from './target.ts';

/** Imports a repository as the attacker, and publishes it as a site. */
export async function publishFiles(
  { own, git, attacker: { client } }: Target,
  title: string,
  files: Record<string, string>,
): Promise<{ url: string; site: { organizationId: string; siteId: string }; space: string }> {
  const repository = await git.createRepository(files);
  const space = await own.fresh().idFor('spaceId');
  const body = { url: repository.url, ref: 'refs/heads/main' };
  const params = { path: { spaceId: space } };
  await waitForRun(client, client.POST('/v1/spaces/{spaceId}/git/import', { params, body }));
  const organization = { organizationId: own.organization };
  const { id } = await ok(
    client.POST('/v1/orgs/{organizationId}/sites', {
      params: { path: organization },
      body: { title, spaces: [space] },
    }),
  );
  const site = { ...organization, siteId: id };
  const { urls } = await ok(
    client.POST('/v1/orgs/{organizationId}/sites/{siteId}/publish', { params: { path: site } }),
  );
  return { url: urls.published ?? '', site, space };
}
