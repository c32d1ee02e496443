import { expect, vi } from 'vitest';
import { ok } from '../../client/index.ts';
import type { components } from '../../generated/schema.d.ts';
import { writeRevision } from '../../server/content/branch.ts';
import { findRevision } from '../../server/content/store/revisions.ts';
import type { ContentChange } from '../../server/content/tree/change.ts';
import { textObject } from '../../server/content/tree/objects.ts';
import { makeId } from '../../server/database/seams.ts';
import type { GitServer, ServedRepository } from './git-server.ts';
import { createSpace, importRepository, readTree } from './imports.ts';
import type { TestServer } from './server.ts';

type Schemas = components['schemas'];

/** How long a job may take on a busy machine. */
export const WAIT = { timeout: 60_000, interval: 25 };
const PENGUIN =
  '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="40"><rect width="30" height="40"/></svg>';
/** A small guide in a repository with more than it. */
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
/** Asks for an export of the admin's. */
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

/** The jobs of a space that ended, in the order they ended in. */
export const endedTransfers = async (server: TestServer, spaceId: string) =>
  await server.database.query
    .selectFrom('jobs')
    .select(['id', 'kind', 'state', 'lastError', 'finishedAt'])
    .where('key', '=', `space ${spaceId}`)
    .where('kind', 'in', ['git-export', 'git-import'])
    .where('finishedAt', 'is not', null)
    .orderBy('finishedAt')
    .execute();

/** Asks for an export and waits for its end; answers how it ended. */
export async function runExport(
  server: TestServer,
  spaceId: string,
  repository: Pick<ServedRepository, 'url'>,
  body: Body = {},
) {
  const before = new Set((await endedTransfers(server, spaceId)).map(({ id }) => id));
  expect((await requestExport(server, spaceId, repository, body)).response.status).toBe(204);
  return await vi.waitFor(async () => {
    const [job] = (await endedTransfers(server, spaceId)).filter(
      ({ id, kind }) => kind === 'git-export' && !before.has(id),
    );
    if (!job) {
      throw new Error('The export has not ended.');
    }
    return job;
  }, WAIT);
}

/** Exports a space, which has to go well. */
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

/** The active revision of a space. */
export async function readRevision(server: TestServer, spaceId: string): Promise<Schemas['Revision']> {
  return await ok(server.admin.client.GET('/v1/spaces/{spaceId}/content', { params: { path: { spaceId } } }));
}

/** Changes the primary content of a space under the server, as an editor does. */
async function edit(server: TestServer, spaceId: string, change: ContentChange): Promise<void> {
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
export async function addPage(
  server: TestServer,
  spaceId: string,
  slug: string,
  markdown: string,
): Promise<string> {
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
  await edit(server, spaceId, {
    pages: new Map([[id, page]]),
    children: new Map([[null, [...top, id]]]),
    texts: [text],
  });
  return id;
}

/** Takes a page away from the top of a space. */
export async function removePage(server: TestServer, spaceId: string, id: string): Promise<void> {
  const top = (await readTree(server.admin.client, spaceId)).map((page) => page.id);
  await edit(server, spaceId, {
    pages: new Map([[id, undefined]]),
    children: new Map([[null, top.filter((one) => one !== id)]]),
  });
}

/** Every revision of a space, seen or not. */
export const revisionsOf = async (server: TestServer, spaceId: string) =>
  await server.database.query.selectFrom('revisions').selectAll().where('space', '=', spaceId).execute();

/** A space with the guide, and the repository that it came from. */
export async function importedGuide(
  server: TestServer,
  git: GitServer,
): Promise<{ id: string; repository: ServedRepository }> {
  const repository = await git.createRepository(GUIDE);
  const { id } = await createSpace(server);
  await importRepository(server, id, repository);
  return { id, repository };
}
