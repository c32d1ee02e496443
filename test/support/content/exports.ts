import { expect, vi } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { writeRevision } from '../../../server/content/new-revision.ts';
import { findRevision } from '../../../server/content/store/revisions.ts';
import type { ContentChange } from '../../../server/content/tree/change.ts';
import { textObject } from '../../../server/content/tree/objects.ts';
import { createId } from '../../../server/database/seams.ts';
import type { GitServer, ServedRepository } from '../git/git-server.ts';
import type { TestServer } from '../server.ts';
import { createSpace, importRepository, readTree } from './imports.ts';

type Schemas = components['schemas'];

/** Deadline and interval of polls for a job. */
export const WAIT_OPTIONS = { timeout: 60_000, interval: 25 };
const PENGUIN =
  '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="40"><rect width="30" height="40"/></svg>';
/** A repository with a small guide and unrelated files. */
export const GUIDE = {
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
/** Requests an export as the admin. */
export const requestExport = async (
  server: TestServer,
  spaceId: string,
  repository: Pick<ServedRepository, 'url'>,
  body: Body = {},
) =>
  await server.admin.client.POST('/v1/spaces/{spaceId}/git/export', {
    params: { path: { spaceId } },
    body: { url: repository.url, ref: 'refs/heads/main', commitMessage: 'Export the guide', ...body },
  });

/** Returns the finished imports and exports of a space, in the order of their end. */
export const finishedTransfers = async (server: TestServer, spaceId: string) =>
  await server.database.query
    .selectFrom('jobs')
    .select(['id', 'kind', 'state', 'lastError', 'finishedAt'])
    .where('key', '=', `space ${spaceId}`)
    .where('kind', 'in', ['git-export', 'git-import'])
    .where('finishedAt', 'is not', null)
    .orderBy('finishedAt')
    .execute();

/** Requests an export and waits for its end. Returns its job. */
export async function runExport(
  server: TestServer,
  spaceId: string,
  repository: Pick<ServedRepository, 'url'>,
  body: Body = {},
) {
  const before = new Set((await finishedTransfers(server, spaceId)).map(({ id }) => id));
  expect((await requestExport(server, spaceId, repository, body)).response.status).toBe(204);
  return await vi.waitFor(async () => {
    const [job] = (await finishedTransfers(server, spaceId)).filter(
      ({ id, kind }) => kind === 'git-export' && !before.has(id),
    );
    if (!job) {
      throw new Error('The export has not ended.');
    }
    return job;
  }, WAIT_OPTIONS);
}

/** Exports a space and expects success. */
export async function exportTo(
  server: TestServer,
  spaceId: string,
  repository: Pick<ServedRepository, 'url'>,
  body: Body = {},
) {
  expect(await runExport(server, spaceId, repository, body)).toMatchObject({
    state: 'done',
    lastError: null,
  });
}

/** Reads the current revision of a space. */
export async function readRevision(server: TestServer, spaceId: string): Promise<Schemas['Revision']> {
  return await ok(server.admin.client.GET('/v1/spaces/{spaceId}/content', { params: { path: { spaceId } } }));
}

/** Changes the primary content of a space in the database, without a request. */
async function edit(server: TestServer, spaceId: string, change: ContentChange): Promise<void> {
  await server.database.transaction(async (trx) => {
    const space = await trx
      .selectFrom('spaces')
      .selectAll()
      .where('id', '=', spaceId)
      .executeTakeFirstOrThrow();
    const base = await findRevision(trx, spaceId, space.revision);
    const { id } = await writeRevision(trx, {
      id: createId('rev'),
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

/** Adds a page after the last top-level page of a space. */
export async function addPage(
  server: TestServer,
  spaceId: string,
  slug: string,
  markdown: string,
): Promise<string> {
  const id = createId('page');
  const text = textObject(markdown);
  const top = (await readTree(server.admin.client, spaceId)).map((page) => page.id);
  const page = {
    type: 'document' as const,
    id,
    parent: null,
    title: slug.toUpperCase(),
    slug,
    documentId: createId('doc'),
    body: text.hash,
  };
  await edit(server, spaceId, {
    pages: new Map([[id, page]]),
    children: new Map([[null, [...top, id]]]),
    texts: [text],
  });
  return id;
}

/** Removes a top-level page of a space. */
export async function removePage(server: TestServer, spaceId: string, id: string): Promise<void> {
  const top = (await readTree(server.admin.client, spaceId)).map((page) => page.id);
  await edit(server, spaceId, {
    pages: new Map([[id, undefined]]),
    children: new Map([[null, top.filter((pageId) => pageId !== id)]]),
  });
}

/** Returns every revision of a space. */
export const revisionsOf = async (server: TestServer, spaceId: string) =>
  await server.database.query.selectFrom('revisions').selectAll().where('space', '=', spaceId).execute();

/** Creates a space with the guide and the repository that it is imported from. */
export async function importGuide(
  server: TestServer,
  git: GitServer,
): Promise<{ id: string; repository: ServedRepository }> {
  const repository = await git.createRepository(GUIDE);
  const { id } = await createSpace(server);
  await importRepository(server, id, repository);
  return { id, repository };
}
