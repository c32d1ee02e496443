// Runs on one engine: the link is derived from fields that other tests read on both.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import { createSpace, importRepository } from '../../../support/content/imports.ts';
import { type GitServer, startGitServer } from '../../../support/git/git-server.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { publishSite } from '../../../support/sites/published-site.ts';

let server: TestServer;
let git: GitServer;
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
});
afterAll(() => Promise.all([server.stop(), git.close()]));

test('pages link to the editor of their file if the site shows edit links', async () => {
  const repository = await git.createRepository({ 'README.md': '# Start\n', 'guide/a b.md': '# Guide\n' });
  const { id } = await createSpace(server, 'Docs');
  await importRepository(server, id, repository, {
    repoTreeURL: 'https://git.acme.example/acme/docs/tree/v2/',
  });
  const site = await publishSite(server, { title: 'Edited', spaces: [id] });
  const path = { organizationId: server.organization, siteId: site.id };
  const Customization = '/v1/orgs/{organizationId}/sites/{siteId}/customization';
  const { client } = server.admin;
  const show = async (showEditLink: boolean) => {
    const current = await ok(client.GET(Customization, { params: { path } }));
    await ok(client.PUT(Customization, { params: { path }, body: { ...current, git: { showEditLink } } }));
  };
  const pageAt = async (address: string) => await (await fetch(`${site.url}${address}`)).text();
  await show(true);
  expect(await pageAt('')).toContain('href="https://git.acme.example/acme/docs/edit/v2/README.md"');
  expect(await pageAt('/guide/a-b')).toContain(
    'href="https://git.acme.example/acme/docs/edit/v2/guide/a%20b.md"',
  );
  await show(false);
  expect(await pageAt('')).not.toContain('git.acme.example');
});
