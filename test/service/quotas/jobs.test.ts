import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { startGitServer } from '../../support/git/git-server.ts';
import { untilJobsEnd } from '../../support/jobs.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { createLimited, expectExceeded, type LimitedOrganization, statusesOf } from './organizations.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const createSpace = async ({ client, params }: LimitedOrganization) =>
  (await ok(client.POST('/v1/orgs/{organizationId}/spaces', { params, body: { language: 'en' } }))).id;

test('a quota of jobs limits those that have not ended, of all kinds that members start', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const git = await startGitServer({ before: () => released });
  try {
    const organization = await createLimited(server, { jobs: 2 });
    const { client, params, organizationId } = organization;
    const [space, other] = [await createSpace(organization), await createSpace(organization)];
    // The indexing of spaces is not started by members.
    expect((await organization.read()).jobs).toEqual({ used: 0, limit: 2 });
    const { url } = await git.createRepository({ 'README.md': '# Docs\n' });
    const body = { url, ref: 'refs/heads/main' };
    const startImport = (spaceId: string) =>
      client.POST('/v1/spaces/{spaceId}/git/import', { params: { path: { spaceId } }, body });
    await ok(startImport(space));
    expect(await statusesOf([startImport(other), startImport(space)])).toEqual([204, 429]);
    expect(await organization.used('jobs')).toBe(2);
    const full = { name: 'jobs', limit: 2, used: 2 } as const;
    await expectExceeded(
      client.POST('/v1/spaces/{spaceId}/git/export', {
        params: { path: { spaceId: space } },
        body: { ...body, commitMessage: 'Export' },
      }),
      full,
    );
    await expectExceeded(
      client.POST('/v1/org/{organizationId}/imports', {
        params,
        body: { source: { type: 'website', url: 'http://127.0.0.1:1/' }, target: { space } },
      }),
      full,
    );
    await expectExceeded(
      client.POST('/v1/orgs/{organizationId}/translations', {
        params,
        body: { source: { space, language: 'en' }, language: 'de' },
      }),
      full,
    );
    const specification = { slug: 'api', source: { text: '{"openapi":"3.1.0"}' } };
    const rejected = client.POST('/v1/orgs/{organizationId}/openapi', { params, body: specification });
    await expectExceeded(rejected, full);
    const { response } = await rejected;
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    release();
    await untilJobsEnd(server.database, organizationId);
    await ok(client.POST('/v1/orgs/{organizationId}/openapi', { params, body: specification }));
    await untilJobsEnd(server.database, organizationId);
    expect(await organization.used('jobs')).toBe(0);
  } finally {
    release();
    await git.close();
  }
});
