import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { branch, editSpace, merge, pageInsertion, pageTitled } from '../../support/content/branches.ts';
import { createSpace, outline, readSpace, readTree } from '../../support/content/imports.ts';
import { isFirstEngine } from '../../support/database/engines.ts';
import type { SiteResponse } from '../../support/http/site.ts';
import { untilJobsEnd } from '../../support/jobs.ts';
import { type Person, startTestServer, type TestServer } from '../../support/server.ts';
import { docx, zip } from '../../support/zip.ts';
import { useSites, WEBSITE } from './websites.ts';

type Schemas = components['schemas'];
type Source = Schemas['ImportRunSource'];
type Target = Schemas['ImportRunTarget'];

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const IMPORTS = '/v1/org/{organizationId}/imports';

let server: TestServer;
let [editor, reader, guest]: Person[] = [];
const serve = useSites();

beforeAll(async () => {
  server = await startTestServer();
  editor = await server.member('Editor', 'edit');
  reader = await server.member('Reader', 'read');
  guest = await server.member('Guest', null);
});
afterAll(() => server.stop());

const send = (
  source: Source,
  target: Target,
  as: Person = server.admin,
  organizationId = server.organization,
) => as.client.POST(IMPORTS, { params: { path: { organizationId } }, body: { source, target } });

const readRun = (importId: string, as: Person = server.admin) =>
  as.client.GET(`${IMPORTS}/{importId}`, {
    params: { path: { organizationId: server.organization, importId } },
  });

const cancel = (importId: string, as: Person = server.admin) =>
  as.client.POST(`${IMPORTS}/{importId}/cancel`, {
    params: { path: { organizationId: server.organization, importId } },
  });

/** Waits until a run has ended. */
async function ended({ id }: { id: string }): Promise<Schemas['ImportRun']> {
  return await vi.waitUntil(
    async () => {
      const run = await ok(readRun(id));
      return run.status === 'pending' || run.status === 'in-progress' ? undefined : run;
    },
    { timeout: 60_000 },
  );
}

const start = async (source: Source, target: Target) => await ok(send(source, target));
const imported = async (source: Source, target: Target) => await ended(await start(source, target));
const file = (...files: string[]): Source => ({ type: 'file', files });
const treeOf = async (space: string) => outline(await readTree(server.admin.client, space));

/** A response that is sent once it is released, and what resolves when it was requested. */
function held(body: string) {
  const [requested, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const respond: SiteResponse = (response) => {
    requested.resolve();
    void released.promise.then(() => response.setHeader('Content-Type', 'text/markdown').end(body));
  };
  return { respond, requested: requested.promise, release: released.resolve };
}

describe('an import run', () => {
  test('imports a website, and reports its result', async () => {
    const { id: space } = await createSpace(server);
    const { url } = await serve(WEBSITE);
    const source: Source = { type: 'website', url: `${url}/docs/` };
    const { data, response } = await send(source, { space }, editor);
    expect(response.status).toBe(201);
    expect(response.headers.get('location')).toBe(data?.urls.location);
    expect(data).toEqual({
      object: 'import-run',
      id: expect.stringMatching(/^run_/),
      status: 'pending',
      source: { type: 'website', url: `${url}/docs/` },
      target: { space },
      createdBy: editor?.id,
      createdAt: expect.any(String),
      updatedAt: data?.createdAt,
      counts: { pages: 0, files: 0, problems: 0 },
      problems: [],
      urls: { location: `${server.url}/v1/org/${server.organization}/imports/${data?.id}` },
    });
    const run = await ended({ id: data?.id ?? '' });
    expect(run).toMatchObject({
      status: 'completed',
      startedAt: expect.any(String),
      completedAt: run.updatedAt,
      counts: { pages: 3, files: 1 },
      revision: (await readSpace(server.admin.client, space)).revision,
    });
    expect(await treeOf(space)).toEqual([
      'document Welcome /welcome',
      '  document Install /welcome/install',
      '  group Guide /welcome/guide',
      '    document Tables /welcome/guide/tables',
    ]);
  });

  test('imports files of several types in one revision, below a page of a change request', async () => {
    const { client } = server.admin;
    const { id: space } = await createSpace(server);
    await editSpace(client, space, pageInsertion('Manual'), pageInsertion('End'));
    const { id: changeRequest, number } = await branch(client, space);
    const { url } = await serve({
      '/one.md': '# One\n\nFirst.\n',
      '/again/one.md': '# One\n\nSecond.\n',
      '/two.HTML': '<h1>Two</h1><p>Text.</p>',
      '/three.docx': (response) =>
        response.setHeader('Content-Type', DOCX).end(docx([['Heading1', 'Three']])),
      '/four.zip': zip({ 'four.md': '# Four\n', 'five.md': '# Five\n' }),
    });
    const paths = ['/one.md', '/again/one.md', '/two.HTML', '/three.docx', '/four.zip'];
    const page = await pageTitled(client, 'Manual', space);
    const run = await imported(file(...paths.map((path) => url + path)), {
      space,
      changeRequest: String(number),
      page,
    });
    expect(run, run.reason).toMatchObject({
      status: 'completed',
      target: { space, changeRequest, page },
      counts: { pages: 6 },
    });
    const params = { path: { spaceId: space, changeRequestId: changeRequest } };
    const { pages } = await ok(
      client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/pages', { params }),
    );
    expect(outline(pages)).toEqual([
      'document Manual /manual',
      '  document One /manual/one',
      '  document One /manual/one-1',
      '  document Two /manual/two',
      '  document Three /manual/three',
      '  document Five /manual/five',
      '  document Four /manual/four',
      'document End /end',
    ]);
    expect(await treeOf(space)).toEqual(['document Manual /manual', 'document End /end']);
  });

  test('imports all files or none, and states the cause', async () => {
    const { id: space } = await createSpace(server);
    const { url } = await serve({ '/one.md': '# One\n' });
    const run = await imported(file(`${url}/one.md`, `${url}/none.md?key=s3cret`), { space });
    expect(run).toMatchObject({ status: 'failed', reason: expect.stringContaining('404') });
    expect(run.reason).toContain('source.files.1');
    expect(run).not.toHaveProperty('completedAt');
    expect(run.source).toEqual(file(`${url}/one.md`, `${url}/none.md`));
    const jobs = await server.database.query.selectFrom('jobs').select(['payload', 'lastError']).execute();
    expect(JSON.stringify([run, jobs])).not.toContain('s3cret');
    expect(await treeOf(space)).toEqual([]);
  });

  test('changes nothing once it is cancelled, also while it is in progress', async () => {
    const { id: space } = await createSpace(server);
    const slow = held('# Slow\n');
    const { url } = await serve({ '/slow.md': slow.respond });
    const { id } = await start(file(`${url}/slow.md`), { space });
    await slow.requested;
    expect(await ok(readRun(id))).toMatchObject({ status: 'in-progress' });
    const cancelled = await ok(cancel(id, editor));
    expect(cancelled).toMatchObject({ id, status: 'cancelled' });
    slow.release();
    await untilJobsEnd(server.database, server.organization);
    expect(await ok(readRun(id))).toEqual(cancelled);
    expect(await ok(cancel(id))).toEqual(cancelled);
    expect(await treeOf(space)).toEqual([]);
  });

  test('is unchanged by a cancellation after its end', async () => {
    const { id: space } = await createSpace(server);
    const { url } = await serve({ '/one.md': '# One\n' });
    const run = await imported(file(`${url}/one.md`), { space });
    expect(await ok(cancel(run.id))).toEqual(run);
  });

  test('fails if its page was deleted meanwhile', async () => {
    const { client } = server.admin;
    const { id: space } = await createSpace(server);
    await editSpace(client, space, pageInsertion('Manual'));
    const page = await pageTitled(client, 'Manual', space);
    const slow = held('# One\n');
    const { url } = await serve({ '/one.md': slow.respond });
    const run = await start(file(`${url}/one.md`), { space, page });
    await slow.requested;
    await editSpace(client, space, { operation: 'delete_page', page });
    slow.release();
    expect(await ended(run)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('target.page'),
    });
    expect(await treeOf(space)).toEqual([]);
  });

  test('fails if the user who started it may not edit the space any more', async () => {
    const { id: space } = await createSpace(server);
    const slow = held('# One\n');
    const { url } = await serve({ '/one.md': slow.respond });
    const leaver = await server.member('Leaver', 'edit');
    const run = await ok(send(file(`${url}/one.md`), { space }, leaver));
    await slow.requested;
    const params = { path: { organizationId: server.organization, userId: leaver.id } };
    await ok(
      server.admin.client.PATCH('/v1/orgs/{organizationId}/members/{userId}', {
        params,
        body: { role: 'read' },
      }),
    );
    slow.release();
    expect(await ended(run)).toMatchObject({ status: 'failed' });
    expect(await treeOf(space)).toEqual([]);
  });
});

describe('a request for an import', () => {
  const source = file('https://example.com/one.md');

  test('is rejected with the field that cannot be used', async () => {
    const { client } = server.admin;
    const { id: space } = await createSpace(server);
    const { id: organization } = await ok(client.POST('/v1/orgs', { body: { title: 'Elsewhere' } }));
    const params = { path: { organizationId: organization } };
    const { id: foreign } = await ok(client.POST('/v1/orgs/{organizationId}/spaces', { params, body: {} }));
    const cases: [Source, Target, string][] = [
      [source, { space: foreign }, 'target.space'],
      [source, { space: 'none' }, 'target.space'],
      [source, { space, changeRequest: 'none' }, 'target.changeRequest'],
      [source, { space, page: 'none' }, 'target.page'],
      [file('https://example.com/one.md', 'https://example.com/one.pdf'), { space }, 'source.files.1'],
      [file('https://example.com/one.md?as=.md', 'https://example.com/md'), { space }, 'source.files.1'],
      [file('https://example.com/one?as=.md'), { space }, 'source.files.0'],
      [file('https://ada:s3cret@example.com/one.md'), { space }, 'source.files.0'],
      [{ type: 'website', url: 'http://10.0.0.1/' }, { space }, 'source.url'],
    ];
    for (const [sent, target, field] of cases) {
      const { response, error } = await send(sent, target);
      expect([response.status, error?.details?.map(({ path }) => path)], field).toEqual([400, [field]]);
    }
    expect((await send(source, { space: foreign }, reader, organization)).response.status).toBe(404);
  });

  test('requires a target that can be written to', async () => {
    const { client } = server.admin;
    const { id: space } = await createSpace(server);
    expect((await send(source, { space }, reader)).response.status).toBe(403);
    expect((await send(source, { space }, guest)).error?.details).toMatchObject([{ path: 'target.space' }]);
    const { id: changeRequest } = await branch(client, space);
    await merge(client, space, changeRequest);
    expect((await send(source, { space, changeRequest })).error?.reason).toBe('change_request_merged');
    await ok(
      client.PATCH('/v1/spaces/{spaceId}', {
        params: { path: { spaceId: space } },
        body: { editMode: 'locked' },
      }),
    );
    expect((await send(source, { space })).error?.reason).toBe('space_locked');
  });

  test.runIf(isFirstEngine)('accepts the option of other services to improve the content', async () => {
    const { id: space } = await createSpace(server);
    const { url } = await serve({ '/one.md': '# One\n' });
    const body = { source: file(`${url}/one.md`), target: { space }, enhance: true };
    const params = { path: { organizationId: server.organization } };
    expect(await ended(await ok(server.admin.client.POST(IMPORTS, { params, body })))).toMatchObject({
      status: 'completed',
    });
  });
});

describe('the list of import runs', () => {
  test('has the runs of visible spaces, newest first, by space, change request and status', async () => {
    const { client } = server.admin;
    const { id: organizationId } = await ok(client.POST('/v1/orgs', { body: { title: 'Listed' } }));
    const params = { path: { organizationId } };
    const space = async () =>
      (await ok(client.POST('/v1/orgs/{organizationId}/spaces', { params, body: {} }))).id;
    const [first, second] = [await space(), await space()];
    const { id: changeRequest } = await branch(client, first);
    const slow = held('# Slow\n');
    const { url } = await serve({ '/one.md': '# One\n', '/slow.md': slow.respond });
    const run = async (path: string, target: Target) =>
      await ok(client.POST(IMPORTS, { params, body: { source: file(url + path), target } }));
    const list = async (query: Record<string, string> = {}, as: Person = server.admin) => {
      const { items, count } = await ok(as.client.GET(IMPORTS, { params: { ...params, query } }));
      expect(count).toBe(items.length);
      return items.map(({ id }) => id);
    };
    const one = await run('/one.md', { space: first });
    await vi.waitUntil(async () => (await list({ status: 'completed' })).length === 1, { timeout: 60_000 });
    const two = await run('/none.md', { space: first, changeRequest });
    await vi.waitUntil(async () => (await list({ status: 'failed' })).length === 1, { timeout: 60_000 });
    const three = await run('/slow.md', { space: second });
    await slow.requested;
    expect(await list()).toEqual([three.id, two.id, one.id]);
    expect(await list({ space: first })).toEqual([two.id, one.id]);
    expect(await list({ changeRequest })).toEqual([two.id]);
    expect(await list({ status: 'active' })).toEqual([three.id]);
    expect(await list({ status: 'in-progress' })).toEqual([three.id]);
    expect(await list({ status: 'pending' })).toEqual([]);
    slow.release();

    const visitor = await server.member(`Visitor-${first.slice(-5)}`, null, organizationId);
    expect(await list({}, visitor)).toEqual([]);
    const grant = { users: [visitor.id], role: 'read' as const };
    await ok(
      client.POST('/v1/spaces/{spaceId}/permissions', { params: { path: { spaceId: second } }, body: grant }),
    );
    expect(await list({}, visitor)).toEqual([three.id]);
    const read = (importId: string) =>
      visitor.client.GET(`${IMPORTS}/{importId}`, { params: { path: { organizationId, importId } } });
    expect((await read(three.id)).response.status).toBe(200);
    expect((await read(one.id)).response.status).toBe(404);
    // It belongs to its organization.
    expect((await readRun(one.id)).response.status).toBe(404);
    await untilJobsEnd(server.database, organizationId);
  });
});
