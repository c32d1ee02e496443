// Runs on one engine: runs are stored by git/runs.test.ts.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { createSpace, readSpace } from '../../support/content/imports.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let git: GitServer;
let wiki: string;
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
  const files = { 'Home.md': '# Home\n', 'Setup.md': '# Setup\n' };
  wiki = (await git.createRepository(files)).url;
});
afterAll(() => Promise.all([server.stop(), git.close()]));

const runsOf = async (spaceId: string) => {
  const params = { path: { spaceId } };
  return (await ok(server.admin.client.GET('/v1/spaces/{spaceId}/content/import/runs', { params }))).items;
};

describe('the run of a content import', () => {
  test('reports the result, and no credentials', async () => {
    const { id } = await createSpace(server);
    const params = { path: { spaceId: id } };
    const url = wiki.replace('//', '//ada:s3cret@');
    const imported = await ok(
      server.admin.client.POST('/v1/spaces/{spaceId}/content/import', {
        params,
        body: { url, source: 'github-wiki' },
      }),
    );
    const [run] = await runsOf(id);
    expect(run).toEqual({
      object: 'content-import-run',
      id: expect.stringMatching(/^run_/),
      url: wiki,
      source: 'github-wiki',
      status: 'completed',
      progress: 100,
      counts: { pages: 2, files: 0, problems: 0 },
      problems: [],
      revision: imported.revision,
      createdAt: expect.any(String),
      startedAt: expect.any(String),
      endedAt: expect.any(String),
      urls: { location: `${server.url}/v1/spaces/${id}/content/import/runs/${run?.id}` },
    });
    const path = { spaceId: id, importRunId: run?.id ?? '' };
    const one = server.admin.client.GET('/v1/spaces/{spaceId}/content/import/runs/{importRunId}', {
      params: { path },
    });
    expect(await ok(one)).toEqual(run);
    // It is not a Git run.
    const asGit = await server.admin.client.GET('/v1/spaces/{spaceId}/git/runs/{runId}', {
      params: { path: { spaceId: id, runId: path.importRunId } },
    });
    expect(asGit.response.status).toBe(404);
  });

  test('states the cause of a failure, as the response does, without the query of the URL', async () => {
    const { id } = await createSpace(server);
    const { error } = await server.admin.client.POST('/v1/spaces/{spaceId}/content/import', {
      params: { path: { spaceId: id } },
      body: { url: `${server.url}/docs?signature=s3cret`, source: 'docx' },
    });
    const [run] = await runsOf(id);
    expect(run).toMatchObject({
      url: `${server.url}/docs`,
      status: 'failed',
      failure: { reason: 'source_invalid', message: error?.message },
      endedAt: expect.any(String),
    });
    expect(run?.revision).toBeUndefined();
    expect(JSON.stringify(run)).not.toContain('s3cret');
  });

  test('lists the problems of the source', async () => {
    const { id } = await createSpace(server);
    const setup = '---\nlayout:\n  width: huge\n---\n\n# Setup\n';
    const { url } = await git.createRepository({ 'Home.md': '# Home\n', 'Setup.md': setup });
    await ok(
      server.admin.client.POST('/v1/spaces/{spaceId}/content/import', {
        params: { path: { spaceId: id } },
        body: { url, source: 'github-wiki' },
      }),
    );
    const [run] = await runsOf(id);
    expect(run?.counts).toEqual({ pages: 2, files: 0, problems: 1 });
    expect(run?.problems).toEqual([
      { file: 'Setup.md', reason: 'invalid_value', message: expect.stringContaining('layout.width') },
    ]);
  });

  test('names the change request that content was imported into', async () => {
    const { id } = await createSpace(server);
    const params = { path: { spaceId: id } };
    const created = await ok(
      server.admin.client.POST('/v1/spaces/{spaceId}/change-requests', { params, body: {} }),
    );
    await ok(
      server.admin.client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/import', {
        params: { path: { spaceId: id, changeRequestId: created.id } },
        body: { url: wiki, source: 'github-wiki' },
      }),
    );
    const [run] = await runsOf(id);
    expect(run).toMatchObject({ status: 'completed', changeRequest: created.id });
    expect((await readSpace(server.admin.client, id)).revision).not.toBe(run?.revision);
  });

  test('failed if the process ended before the import', async () => {
    const { id } = await createSpace(server);
    await ok(
      server.admin.client.POST('/v1/spaces/{spaceId}/content/import', {
        params: { path: { spaceId: id } },
        body: { url: wiki, source: 'github-wiki' },
      }),
    );
    const interrupt = (expiresAt: string) =>
      server.database.query
        .updateTable('runs')
        .set({ status: 'running', endedAt: null, expiresAt })
        .where('space', '=', id)
        .execute();
    await interrupt('2999-01-01T00:00:00.000Z');
    expect(await runsOf(id)).toMatchObject([{ status: 'running' }]);
    const expiresAt = '2020-01-01T00:00:00.000Z';
    await interrupt(expiresAt);
    const [run] = await runsOf(id);
    expect(run).toMatchObject({ status: 'failed', failure: { reason: 'interrupted' }, endedAt: expiresAt });
  });

  test('is not recorded for a caller who may not import', async () => {
    const { id } = await createSpace(server);
    const reader = await server.member('Reader', 'read');
    const { response } = await reader.client.POST('/v1/spaces/{spaceId}/content/import', {
      params: { path: { spaceId: id } },
      body: { url: wiki, source: 'github-wiki' },
    });
    expect(response.status).toBe(403);
    expect(await runsOf(id)).toEqual([]);
  });
});
