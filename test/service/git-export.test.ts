import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ok } from '../../client/index.ts';
import type { components } from '../../generated/schema.d.ts';
import { findRevision, writeRevision } from '../../server/content/store/revisions.ts';
import { type ContentChange, textObject } from '../../server/content/store/root.ts';
import { readJson, writeJson } from '../../server/database/json.ts';
import { makeId } from '../../server/database/seams.ts';
import { type GitServer, type ServedRepository, startGitServer } from '../support/git-server.ts';
import { createSpace, flatten, importRepository, outline, readSpace, readTree } from '../support/imports.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

type Schemas = components['schemas'];

let server: TestServer;
let git: GitServer;
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
});
afterAll(() => Promise.all([server.stop(), git.close()]));

const WAIT = { timeout: 60_000, interval: 25 };
const PENGUIN =
  '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="40"><rect width="30" height="40"/></svg>';
const GUIDE = {
  'README.md': '# Welcome\n\nThe guide to *everything*.\n',
  'SUMMARY.md':
    '# Table of contents\n\n* [Welcome](README.md)\n\n## Start\n\n* [Install](start/install.md)\n  * [On Linux](start/linux.md)\n* [Home](https://example.com/)\n',
  'start/install.md':
    '---\ndescription: How to install\nicon: download\nhidden: true\nauthor: Ada\n---\n\n# Install\n\nRun the **installer**.\n',
  'start/linux.md': '# On Linux\n\n![A picture](../.gitbook/assets/penguin.svg)\n',
  '.gitbook/assets/penguin.svg': PENGUIN,
  '.gitbook/includes/note.md': '---\ntitle: A note\n---\n\nNoted.\n',
  '.gitbook/vars.yaml': 'product: Harbour\n',
  LICENSE: 'MIT\n',
  'src/main.md': 'Code.\n',
};

type Body = Partial<Schemas['GitExport']>;
const request = async (spaceId: string, repository: Pick<ServedRepository, 'url'>, body: Body = {}) =>
  await server.admin.client.POST('/v1/spaces/{spaceId}/git/export', {
    params: { path: { spaceId } },
    body: { url: repository.url, ref: 'refs/heads/main', commitMessage: 'Export the guide', ...body },
  });

/** The jobs of a space that ended, in the order they ended in. */
const ended = async (spaceId: string) =>
  await server.database.query
    .selectFrom('jobs')
    .select(['id', 'kind', 'state', 'lastError', 'finishedAt'])
    .where('key', '=', `space ${spaceId}`)
    .where('kind', 'in', ['git-export', 'git-import'])
    .where('finishedAt', 'is not', null)
    .orderBy('finishedAt')
    .execute();

/** Asks for an export and waits for its end; answers how it ended. */
async function runExport(spaceId: string, repository: Pick<ServedRepository, 'url'>, body: Body = {}) {
  const before = new Set((await ended(spaceId)).map(({ id }) => id));
  expect((await request(spaceId, repository, body)).response.status).toBe(204);
  return await vi.waitFor(async () => {
    const [job] = (await ended(spaceId)).filter(({ id, kind }) => kind === 'git-export' && !before.has(id));
    if (!job) throw new Error('The export has not ended.');
    return job;
  }, WAIT);
}

async function exportTo(spaceId: string, repository: Pick<ServedRepository, 'url'>, body: Body = {}) {
  expect(await runExport(spaceId, repository, body)).toMatchObject({ state: 'done', lastError: null });
}

async function readRevision(spaceId: string): Promise<Schemas['Revision']> {
  return await ok(server.admin.client.GET('/v1/spaces/{spaceId}/content', { params: { path: { spaceId } } }));
}

async function imported(files = GUIDE): Promise<{ id: string; repository: ServedRepository }> {
  const repository = await git.createRepository(files);
  const { id } = await createSpace(server);
  await importRepository(server, id, repository);
  return { id, repository };
}

/** Changes the primary content of a space under the server, as an editor does. */
async function edit(spaceId: string, change: ContentChange): Promise<void> {
  await server.database.transaction(async (trx) => {
    const space = await trx
      .selectFrom('spaces')
      .selectAll()
      .where('id', '=', spaceId)
      .executeTakeFirstOrThrow();
    const base = await findRevision(trx, spaceId, space.revision);
    const { id } = await writeRevision(trx, {
      id: makeId('rev'),
      organization: space.organization,
      space: spaceId,
      type: 'edits',
      parents: [space.revision],
      createdBy: null,
      now: new Date(),
      base: base ?? null,
      change,
    });
    await trx.updateTable('spaces').set({ revision: id }).where('id', '=', spaceId).execute();
  });
}

/** A new page at the end of the top of a space. */
async function addPage(spaceId: string, slug: string, markdown: string): Promise<string> {
  const id = makeId('page');
  const text = textObject(markdown);
  const top = (await readTree(server.admin.client, spaceId)).map((page) => page.id);
  const page = {
    type: 'document' as const,
    id,
    parent: null,
    title: slug.toUpperCase(),
    slug,
    documentId: makeId('doc'),
    body: text.hash,
  };
  await edit(spaceId, {
    pages: new Map([[id, page]]),
    children: new Map([[null, [...top, id]]]),
    texts: [text],
  });
  return id;
}

async function removePage(spaceId: string, id: string): Promise<void> {
  const top = (await readTree(server.admin.client, spaceId)).map((page) => page.id);
  await edit(spaceId, {
    pages: new Map([[id, undefined]]),
    children: new Map([[null, top.filter((one) => one !== id)]]),
  });
}

/** What is the same of a page before and after a round through Git: all but dates. */
const identity = (pages: readonly Schemas['Page'][]) =>
  flatten(pages).map((page) => {
    const { createdAt: _, updatedAt: __, ...rest } = page;
    return { ...rest, pages: undefined };
  });

const gitPaths = (pages: readonly Schemas['Page'][]) =>
  flatten(pages).map((page) => ('git' in page ? page.git?.path : undefined));

describe('a Git export', () => {
  it('makes the first commit of an empty repository, and what is imported from it is the same', async () => {
    const { id } = await imported();
    await addPage(id, 'news', 'Nothing yet. See [the start](start/install.md).\n');
    const repository = await git.createEmptyRepository();
    await exportTo(id, repository, { repoCommitURL: 'https://example.com/commit/' });
    const files = await repository.read();
    expect(Object.keys(files).sort()).toEqual(
      [
        ...Object.keys(GUIDE).filter((path) => path !== 'LICENSE' && path !== 'src/main.md'),
        'news.md',
      ].sort(),
    );
    expect(files['.gitbook/assets/penguin.svg']).toBe(PENGUIN);
    const [commit] = await repository.log();
    expect(commit).toMatchObject({
      author: 'Colophon <colophon@noreply.invalid>',
      message: 'Export the guide',
    });
    const before = await readRevision(id);
    expect(before.git).toEqual({
      oid: commit?.oid,
      message: 'Export the guide',
      createdByService: true,
      ref: 'refs/heads/main',
      url: `https://example.com/commit/${commit?.oid}`,
    });
    expect(gitPaths(before.pages)).toEqual([
      'README.md',
      undefined,
      'start/install.md',
      'start/linux.md',
      undefined,
      'news.md',
    ]);
    expect((await readSpace(server.admin.client, id)).gitSync?.url).toBe(repository.url);

    await importRepository(server, id, repository, { force: true });
    const after = await readRevision(id);
    expect(after.id).not.toBe(before.id);
    expect(after.git?.createdByService).toBe(true);
    expect(identity(after.pages)).toEqual(identity(before.pages));
    expect([after.files, after.reusableContents, after.variables]).toEqual([
      before.files,
      before.reusableContents,
      before.variables,
    ]);
  });

  it('changes what changed and leaves everything else as its authors wrote it', async () => {
    const { id, repository } = await imported();
    const news = await addPage(id, 'news', 'Nothing yet.\n');
    await exportTo(id, repository);
    expect(await repository.read()).toEqual({
      ...GUIDE,
      'SUMMARY.md': `${GUIDE['SUMMARY.md']}\n***\n\n* [NEWS](news.md)\n`,
      'news.md': '# NEWS\n\nNothing yet.\n',
    });
    await removePage(id, news);
    await exportTo(id, repository);
    expect(await repository.read()).toEqual(GUIDE);
    expect(await repository.log()).toHaveLength(3);

    const revision = await readSpace(server.admin.client, id);
    await exportTo(id, repository, { force: true });
    expect(await repository.log()).toHaveLength(3);
    expect((await readSpace(server.admin.client, id)).revision).toBe(revision.revision);
  });

  it('keeps pages who they are while both sides change', async () => {
    const { id, repository } = await imported();
    const news = await addPage(id, 'news', 'Nothing yet.\n');
    await exportTo(id, repository);
    const before = new Map(
      flatten(await readTree(server.admin.client, id)).map((page) => [page.title, page.id]),
    );
    await repository.update({
      'news.md': '# NEWS\n\nSomething.\n',
      'start/linux.md': null,
      'start/mac.md': '# On a Mac\n',
      'SUMMARY.md':
        '# Contents\n\n* [NEWS](news.md)\n* [Welcome](README.md)\n\n## Start\n\n* [Set up](start/install.md)\n  * [On a Mac](start/mac.md)\n',
    });
    await importRepository(server, id, repository);
    const pages = flatten(await readTree(server.admin.client, id));
    expect(pages.map((page) => page.title)).toEqual(['NEWS', 'Welcome', 'Start', 'Set up', 'On a Mac']);
    expect(pages.slice(0, 4).map((page) => page.id)).toEqual([
      news,
      before.get('Welcome'),
      before.get('Start'),
      before.get('Install'),
    ]);
    await addPage(id, 'more', 'More.\n');
    await exportTo(id, repository);
    const files = await repository.read();
    expect(files['news.md']).toBe('# NEWS\n\nSomething.\n');
    expect(files['more.md']).toBe('# MORE\n\nMore.\n');
    expect(files['start/linux.md']).toBeUndefined();
  });

  it('writes nothing over commits that the space has not, and says what to do', async () => {
    const { id, repository } = await imported();
    await addPage(id, 'news', 'Ours.\n');
    const theirs = await repository.update({
      'README.md': '# Welcome\n\nTheirs.\n',
      'their.md': 'Theirs.\n',
    });
    const before = await readRevision(id);
    const job = await runExport(id, repository);
    expect(job.state).toBe('failed');
    expect(job.lastError).toMatch(/has commits that this space has not.*Import the branch first.*"force"/);
    expect((await repository.log())[0]?.oid).toBe(theirs);
    expect(await readRevision(id)).toEqual(before);
    expect(await revisionsOf(id)).toHaveLength(3);

    await exportTo(id, repository, { force: true });
    const files = await repository.read();
    expect([files['README.md'], files['their.md'], files['news.md']]).toEqual([
      GUIDE['README.md'],
      'Theirs.\n',
      '# NEWS\n\nOurs.\n',
    ]);
    expect((await repository.log())[1]?.oid).toBe(theirs);
  });

  it('is a conflict with a repository that the space was never in step with', async () => {
    const { id } = await imported();
    const other = await git.createRepository({ 'README.md': 'Theirs.\n', 'start/install.md': 'Theirs.\n' });
    expect((await runExport(id, other)).lastError).toContain('last in step with');
    const fresh = await createSpace(server);
    expect((await runExport(fresh.id, other)).lastError).toContain('never in step');
    await exportTo(id, other, { ref: 'refs/heads/docs' });
    expect(await other.read()).toEqual({ 'README.md': 'Theirs.\n', 'start/install.md': 'Theirs.\n' });
    expect((await other.read('docs'))['README.md']).toBe(GUIDE['README.md']);
  });

  it('stays within a directory', async () => {
    const repository = await git.createRepository({
      'README.md': '# The code\n',
      'docs/README.md': '# The docs\n\n[Code](../src/main.ts)\n',
      'docs/.gitbook.yaml': 'structure:\n  summary: toc.md\n',
      'docs/toc.md': '* [The docs](README.md)\n',
    });
    const { id } = await createSpace(server);
    const body = { repoProjectDirectory: 'docs', repoTreeURL: 'https://example.com/tree/main' };
    await importRepository(server, id, repository, body);
    const page = flatten(await readTree(server.admin.client, id))[0];
    const text = await ok(
      server.admin.client.GET('/v1/spaces/{spaceId}/content/page/{pageId}', {
        params: { path: { spaceId: id, pageId: page?.id ?? '' }, query: { format: 'markdown' } },
      }),
    );
    expect(text).toMatchObject({ markdown: '[Code](https://example.com/tree/main/src/main.ts)\n' });
    const before = await repository.read();
    await addPage(id, 'news', 'Nothing yet.\n');
    await exportTo(id, repository, { repoProjectDirectory: '/docs/' });
    expect(await repository.read()).toEqual({
      ...before,
      'docs/toc.md': '# Table of contents\n\n* [The docs](README.md)\n* [NEWS](news.md)\n',
      'docs/news.md': '# NEWS\n\nNothing yet.\n',
    });
    expect(gitPaths(await readTree(server.admin.client, id))).toEqual(['docs/README.md', 'docs/news.md']);
  });

  it('loses no edit that is made while it runs', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const slow = await startGitServer({
      before: ({ url }) => (url?.endsWith('/git-receive-pack') ? held : undefined),
    });
    const { id } = await imported();
    const repository = await slow.createEmptyRepository();
    const news = await addPage(id, 'news', 'First.\n');
    const running = runExport(id, repository);
    await vi.waitFor(() => {
      expect(slow.requests.some(({ url }) => url.endsWith('/git-receive-pack'))).toBe(true);
    }, WAIT);
    const later = await addPage(id, 'later', 'Later.\n');
    await removePage(id, news);
    release();
    expect((await running).state).toBe('done');
    const pages = await readTree(server.admin.client, id);
    expect(outline(pages).at(-1)).toBe('document LATER /later');
    expect(pages.find((page) => page.id === later)).not.toHaveProperty('git');
    expect(gitPaths(pages)).toContain('start/linux.md');
    await exportTo(id, repository);
    const files = await repository.read();
    expect([files['news.md'], files['later.md']]).toEqual([undefined, '# LATER\n\nLater.\n']);
    await slow.close();
  });

  it('is done from a locked space, in whose name only who may edit asks', async () => {
    const { id, repository } = await imported();
    await addPage(id, 'news', 'Nothing yet.\n');
    await ok(
      server.admin.client.PATCH('/v1/spaces/{spaceId}', {
        params: { path: { spaceId: id } },
        body: { editMode: 'locked' },
      }),
    );
    await exportTo(id, repository);
    expect((await repository.read())['news.md']).toBeDefined();
    const { error } = await request(id, { url: 'http://10.0.0.1/x.git' });
    expect(error?.error).toMatchObject({ code: 400, details: [{ in: 'body', path: 'url' }] });
  });

  it('says that credentials are wrong, and keeps them to itself', async () => {
    const guarded = await startGitServer({ credentials: { username: 'ada', password: 's3cr3t/+' } });
    const repository = await guarded.createRepository({ 'README.md': '# Guide\n' });
    const { id } = await createSpace(server);
    const url = (password: string) => repository.url.replace('//', `//ada:${password}@`);
    const addresses = {
      repoCommitURL: url('s3cr3t%2F%2B'),
      gitInfo: { provider: 'github', url: url('s3cr3t%2F%2B') },
    } as const;
    const job = await runExport(id, { url: url('wr0ng-p4ss') }, addresses);
    expect(job).toMatchObject({
      state: 'failed',
      lastError: expect.stringContaining('refused the credentials'),
    });
    await importRepository(server, id, { url: url('s3cr3t%2F%2B') }, addresses);
    await addPage(id, 'news', 'Nothing yet.\n');
    await exportTo(id, { url: url('s3cr3t%2F%2B') }, addresses);
    const { query } = server.database;
    const everything = [
      await query.selectFrom('jobs').selectAll().execute(),
      await query.selectFrom('spaces').selectAll().execute(),
      await query.selectFrom('revisions').selectAll().execute(),
      await readSpace(server.admin.client, id),
      await readRevision(id),
    ];
    expect(JSON.stringify(everything)).not.toMatch(/s3cr3t|wr0ng-p4ss/);
    await guarded.close();
  });
});

const revisionsOf = async (spaceId: string) =>
  await server.database.query.selectFrom('revisions').selectAll().where('space', '=', spaceId).execute();

describe('imports and exports of a space', () => {
  it('are done in the order of what they answer to', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const slow = await startGitServer({ before: () => held });
    const first = await slow.createRepository({ 'README.md': '# First\n' });
    const { id } = await createSpace(server);
    const importInto = async (timestamp: string, url: string) =>
      await ok(
        server.admin.client.POST('/v1/spaces/{spaceId}/git/import', {
          params: { path: { spaceId: id } },
          body: { url, ref: 'refs/heads/main', timestamp },
        }),
      );
    await importInto('2026-01-01T00:00:00Z', first.url);
    await vi.waitFor(() => expect(slow.requests.length).toBeGreaterThan(0), WAIT);
    const second = await git.createRepository({ 'README.md': '# Second\n' });
    const target = await git.createEmptyRepository();
    // Asked for in the other order: the export has what the first import brought, not the second.
    await importInto('2026-01-03T00:00:00+01:00', second.url);
    await request(id, target, { timestamp: '2026-01-02T12:00:00Z' });
    release();
    await vi.waitFor(async () => expect(await ended(id)).toHaveLength(3), WAIT);
    expect((await ended(id)).map(({ kind }) => kind)).toEqual(['git-import', 'git-export', 'git-import']);
    expect((await target.read())['README.md']).toBe('# First\n');
    expect(outline(await readTree(server.admin.client, id))).toEqual(['document Second /readme']);

    await exportTo(id, target, { timestamp: '2026-01-02T13:00:00Z' });
    expect((await target.read())['README.md']).toBe('# First\n');
    await slow.close();
  });

  it('make no revision of a commit that the space has had, unless they are forced', async () => {
    const { id, repository } = await imported();
    const { revision } = await readSpace(server.admin.client, id);
    await importRepository(server, id, repository);
    expect((await readSpace(server.admin.client, id)).revision).toBe(revision);
    const news = await addPage(id, 'news', 'Nothing yet.\n');
    await importRepository(server, id, repository);
    expect(flatten(await readTree(server.admin.client, id)).at(-1)?.id).toBe(news);
    await importRepository(server, id, repository, { force: true });
    expect(flatten(await readTree(server.admin.client, id)).map((page) => page.id)).not.toContain(news);
  });

  it('leave what a standalone import made to who knows its id', async () => {
    const { id, repository } = await imported();
    const before = await revisionsOf(id);
    await repository.update({ 'README.md': '# Hello\n' });
    await ok(
      server.admin.client.POST('/v1/spaces/{spaceId}/git/import', {
        params: { path: { spaceId: id } },
        body: { url: repository.url, ref: 'refs/heads/main', standalone: true },
      }),
    );
    await vi.waitFor(async () => expect(await revisionsOf(id)).toHaveLength(before.length + 1), WAIT);
    const made = (await revisionsOf(id)).find((one) => !before.some(({ id }) => id === one.id));
    const params = { path: { spaceId: id, revisionId: made?.id ?? '' } };
    const alone = await ok(
      server.admin.client.GET('/v1/spaces/{spaceId}/revisions/{revisionId}', { params }),
    );
    expect(alone.git?.createdByService).toBe(false);
    expect(alone.pages[0]?.title).toBe('Welcome');
    expect((await readSpace(server.admin.client, id)).gitSync).toBeDefined();
  });
});

describe('a legacy Git installation', () => {
  const forget = async (spaceId: string, client = server.admin.client) =>
    (await client.DELETE('/v1/spaces/{spaceId}/git/legacy-installation', { params: { path: { spaceId } } }))
      .response.status;

  it('is forgotten, and no other one is', async () => {
    const { id } = await imported();
    expect(await forget(id)).toBe(204);
    const space = await readSpace(server.admin.client, id);
    expect(space.gitSync).toBeDefined();
    const { query } = server.database;
    const row = await query.selectFrom('spaces').select('git').where('id', '=', id).executeTakeFirstOrThrow();
    if (!row.git) throw new Error('The import left nothing.');
    const legacy = writeJson({ ...readJson(row.git), installationProvider: 'github-legacy' as const });
    await query.updateTable('spaces').set({ git: legacy }).where('id', '=', id).execute();
    const editor = await server.member('Forgetful', 'edit');
    expect(await forget(id, editor.client)).toBe(403);
    expect(await forget(id)).toBe(204);
    expect((await readSpace(server.admin.client, id)).gitSync).toBeUndefined();
    expect(await forget(id)).toBe(204);
  });
});
