import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ok, RunFailedError, waitForRun } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { pagesOfSpace } from '../../../server/database/migrations/quotas.ts';
import {
  branch,
  edit,
  editSpace,
  pageInsertion,
  pageTitled,
  requestMerge,
} from '../../support/content/branches.ts';
import { flatten, readTree } from '../../support/content/imports.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { importContent, useSites, WEBSITE } from '../content/websites.ts';
import { createLimited, expectExceeded, type LimitedOrganization, statusesOf } from './organizations.ts';

type Schemas = components['schemas'];

let server: TestServer;
let git: GitServer;
const serve = useSites();
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
});
afterAll(() => Promise.all([server.stop(), git.close()]));

const create = ({ client, params }: LimitedOrganization, body: Schemas['SpaceCreate'] = {}) =>
  client.POST('/v1/orgs/{organizationId}/spaces', { params, body });
const at = (spaceId: string) => ({ params: { path: { spaceId } } });
const insertions = (...titles: string[]) => titles.map((title) => pageInsertion(title));

/** Creates a space, and a change request on it that adds pages. */
async function proposed(organization: LimitedOrganization, ...titles: string[]) {
  const { id } = await ok(create(organization));
  return { id, merge: await proposedOn(id, ...titles) };
}

/** Creates a change request that adds pages. Returns a function that merges it. */
async function proposedOn(space: string, ...titles: [string, ...string[]] | string[]) {
  const { client } = server.admin;
  const { id } = await branch(client, space);
  const [first = pageInsertion('Page'), ...others] = insertions(...titles);
  await edit(client, space, id, first, ...others);
  return () => requestMerge(client, space, id);
}

/** Returns the number of pages that the spaces of an organization have, read from their content. */
async function countPages({ client, params }: LimitedOrganization): Promise<number> {
  const { items } = await ok(client.GET('/v1/orgs/{organizationId}/spaces', { params }));
  const trees = await Promise.all(items.map(({ id }) => readTree(client, id)));
  return trees.flatMap((tree) => flatten(tree)).length;
}

describe('a quota of pages', () => {
  test('counts the pages of spaces, and rejects a merge that adds too many', async () => {
    const organization = await createLimited(server, { pages: 3 });
    const first = await proposed(organization, 'One', 'Two');
    expect(await organization.used('pages')).toBe(0);
    await ok(first.merge());
    expect((await organization.read()).pages).toEqual({ used: 2, limit: 3 });
    const second = await proposed(organization, 'Three', 'Four');
    await expectExceeded(second.merge(), { name: 'pages', limit: 3, used: 2 });
    expect(await readTree(server.admin.client, second.id)).toEqual([]);
    await organization.limit({ pages: 4 });
    await ok(second.merge());
    expect(await organization.used('pages')).toBe(4);
    expect(await countPages(organization)).toBe(4);
  });

  test('is freed by the deletion of a page, and of a space', async () => {
    const organization = await createLimited(server, { pages: 2 });
    const { client } = organization;
    const { id, merge } = await proposed(organization, 'One', 'Two');
    await ok(merge());
    const more = await proposed(organization, 'Three');
    await expectExceeded(more.merge(), { name: 'pages', limit: 2, used: 2 });
    await editSpace(client, id, { operation: 'delete_page', page: await pageTitled(client, 'Two', id) });
    await ok(more.merge());
    expect(await organization.used('pages')).toBe(2);
    await ok(client.DELETE('/v1/spaces/{spaceId}', at(id)));
    expect(await organization.used('pages')).toBe(1);
    await ok((await proposedOn(more.id, 'Four'))());
    await expectExceeded(client.POST('/v1/spaces/{spaceId}/restore', at(id)), {
      name: 'pages',
      limit: 2,
      used: 2,
    });
    await organization.limit({ pages: 3 });
    await ok(client.POST('/v1/spaces/{spaceId}/restore', at(id)));
    expect(await organization.used('pages')).toBe(3);
    expect(await countPages(organization)).toBe(3);
  });

  test('that is exceeded still admits edits that add no page', async () => {
    const organization = await createLimited(server);
    const { id, merge } = await proposed(organization, 'One', 'Two');
    await ok(merge());
    await organization.limit({ pages: 1 });
    const page = await pageTitled(server.admin.client, 'One', id);
    await editSpace(server.admin.client, id, {
      operation: 'update_page',
      page,
      title: 'Uno',
      document: { markdown: 'Another text.' },
    });
    await editSpace(server.admin.client, id, { operation: 'delete_page', page }, pageInsertion('Three'));
    expect((await organization.read()).pages).toEqual({ used: 2, limit: 1 });
  });

  test('admits one of two merges for the last place at once', async () => {
    for (let round = 0; round < 3; round++) {
      const organization = await createLimited(server, { pages: 1 });
      const both = [await proposed(organization, 'One'), await proposed(organization, 'One')];
      expect(await statusesOf(both.map(({ merge }) => merge()))).toEqual([200, 403]);
      expect(await organization.used('pages')).toBe(1);
    }
  });

  test('limits duplicates, templates and transfers', async () => {
    const organization = await createLimited(server);
    const { client } = organization;
    const { id, merge } = await proposed(organization, 'One', 'Two');
    await ok(merge());
    await organization.limit({ pages: 3 });
    const full = { name: 'pages', limit: 3, used: 2 } as const;
    await expectExceeded(client.POST('/v1/spaces/{spaceId}/duplicate', at(id)), full);
    await expectExceeded(create(organization, { template: { id: 'tpl_handbook' } }), full);
    await expectExceeded(
      client.POST('/v1/spaces/{spaceId}/content/template', { ...at(id), body: { id: 'tpl_handbook' } }),
      full,
    );
    const target = await createLimited(server, { pages: 1 });
    const transfer = () =>
      client.POST('/v1/spaces/{spaceId}/transfer', {
        ...at(id),
        body: { organization: target.organizationId },
      });
    await expectExceeded(transfer(), { name: 'pages', limit: 1, used: 0 });
    await organization.limit({ pages: 18 });
    await ok(client.POST('/v1/spaces/{spaceId}/duplicate', at(id)));
    await ok(create(organization, { template: { id: 'tpl_handbook' } }));
    await ok(
      client.POST('/v1/spaces/{spaceId}/content/template', { ...at(id), body: { id: 'tpl_handbook' } }),
    );
    expect(await organization.used('pages')).toBe(18);
    expect(await countPages(organization)).toBe(18);
    await target.limit({ pages: 9 });
    await ok(transfer());
    expect([await organization.used('pages'), await target.used('pages')]).toEqual([9, 9]);
  });

  test('counts the pages of large spaces, and those that existed before they were counted', async () => {
    const organization = await createLimited(server);
    const { id, merge } = await proposed(
      organization,
      ...Array.from({ length: 45 }, (_, at) => `Page ${at}`),
    );
    await ok(merge());
    await ok((await proposedOn(id, ...Array.from({ length: 40 }, (_, at) => `More ${at}`)))());
    expect(await organization.used('pages')).toBe(85);
    expect(await countPages(organization)).toBe(85);
    const { query } = server.database;
    // As the migration counts them.
    const wrong = query
      .selectFrom('spaces')
      .select('id')
      .where(sql<boolean>`"pageCount" <> ${pagesOfSpace(query)}`);
    expect(await wrong.execute()).toEqual([]);
  });

  test('limits imports of content, and their runs state the reason', async () => {
    const organization = await createLimited(server, { pages: 2 });
    const { client, organizationId } = organization;
    const { id } = await ok(create(organization));
    const { url } = await serve(WEBSITE);
    const full = { name: 'pages', limit: 2, used: 0 } as const;
    await expectExceeded(importContent(client, id, { url: `${url}/docs/`, source: 'website' }), full);
    const start = async () => {
      const { id: importId } = await ok(
        client.POST('/v1/org/{organizationId}/imports', {
          params: { path: { organizationId } },
          body: { source: { type: 'website', url: `${url}/docs/` }, target: { space: id } },
        }),
      );
      return await endedImport(organization, importId);
    };
    expect(await start()).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/would exceed its quota of pages: it uses 0 of 2/),
    });
    expect(await readTree(client, id)).toEqual([]);
    await organization.limit({ pages: 4 });
    expect(await start()).toMatchObject({ status: 'completed' });
    expect(await organization.used('pages')).toBe(4);
  });

  test('limits imports from Git, which write nothing then', async () => {
    const organization = await createLimited(server, { pages: 1 });
    const { client } = organization;
    const { id } = await ok(create(organization));
    const repository = await git.createRepository({ 'README.md': '# One\n', 'two.md': '# Two\n' });
    const started = () =>
      client.POST('/v1/spaces/{spaceId}/git/import', {
        ...at(id),
        body: { url: repository.url, ref: 'refs/heads/main' },
      });
    const error = await waitForRun(client, started(), { timeout: 60_000 }).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(RunFailedError);
    expect(error).toMatchObject({ run: { failure: { reason: 'quota_exceeded' } } });
    expect(await readTree(client, id)).toEqual([]);
    await organization.limit({ pages: 2 });
    await waitForRun(client, started(), { timeout: 60_000 });
    expect(await organization.used('pages')).toBe(2);
    expect(await countPages(organization)).toBe(2);
  });
});

/** Waits until an import has ended. */
async function endedImport({ client, organizationId }: LimitedOrganization, importId: string) {
  const params = { path: { organizationId, importId } };
  return await vi.waitUntil(
    async () => {
      const run = await ok(client.GET('/v1/org/{organizationId}/imports/{importId}', { params }));
      return run.status !== 'pending' && run.status !== 'in-progress' && run;
    },
    { timeout: 60_000 },
  );
}
