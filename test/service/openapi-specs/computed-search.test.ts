// Runs on one engine: computed pages are indexed like others, by search-index.test.ts.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { computedEntry, createComputedSpace } from '../../support/content/computed-pages.ts';
import { createSpace, flatten, importRepository, readTree } from '../../support/content/imports.ts';
import { createSpecification, PET_STORE, waitUntilProcessed } from '../../support/content/specifications.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

type Found = components['schemas']['SearchResultPage'];

const entry = (spec: string) => computedEntry(spec, { indent: '  ' });

const filesWith = (summary: string) => ({
  'README.md': '# Welcome\n',
  'api.md': '# API\n',
  'SUMMARY.md': `* [Welcome](README.md)\n* [API](api.md)\n${summary}`,
});

let server: TestServer;
let git: GitServer;

beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
});
afterAll(() => Promise.all([server.stop(), git.close()]));

const search = async (spaceId: string, query: string): Promise<Found[]> => {
  const params = { path: { spaceId }, query: { query } };
  return (await ok(server.admin.client.GET('/v1/spaces/{spaceId}/search', { params }))).items;
};

/** Waits until the found paths, in order, are the expected ones. */
const finds = (spaceId: string, query: string, paths: readonly string[]) =>
  vi.waitFor(
    async () =>
      expect((await search(spaceId, query)).map(({ path }) => path).toSorted()).toEqual(paths.toSorted()),
    { timeout: 60_000, interval: 25 },
  );

/** Updates the text of a specification, and waits until it is processed. */
async function updateText(specSlug: string, text: string): Promise<void> {
  await ok(
    server.admin.client.PUT('/v1/orgs/{organizationId}/openapi/{specSlug}', {
      params: { path: { organizationId: server.organization, specSlug } },
      body: { source: { text } },
    }),
  );
  await waitUntilProcessed(server.admin, server.organization, specSlug);
}

async function remove(specSlug: string): Promise<void> {
  const path = { organizationId: server.organization, specSlug };
  await ok(server.admin.client.DELETE('/v1/orgs/{organizationId}/openapi/{specSlug}', { params: { path } }));
}

/** Creates a space with an entry that is computed from its own specification. */
async function importWith(slug: string) {
  await createSpecification(server.admin, server.organization, slug);
  const { id } = await createSpace(server);
  const repository = await git.createRepository(filesWith(entry(slug)));
  await importRepository(server, id, repository);
  return { space: id, repository };
}

describe('search in a space with an entry that is computed from a specification', () => {
  test('finds text of operations, models and the specification on their pages', async () => {
    const { space } = await importWith('found');
    // An import has ended when its content is indexed for search.
    const results = await search(space, 'buy');
    expect(results).toMatchObject([{ title: 'Pets', path: 'api/found/pets' }]);
    expect(results[0]?.ancestors).toMatchObject([{ title: 'API' }, { title: expect.any(String) }]);
    expect(results[0]?.sections).toMatchObject([{ title: 'Buy a pet', path: 'api/found/pets#buy-a-pet' }]);
    expect(await search(space, 'listens')).toMatchObject([{ path: 'api/found/models' }]);
    expect(await search(space, 'sells every kind')).toMatchObject([{ path: 'api/found' }]);
    for (const { id, path, title } of [...results, ...(await search(space, 'sells'))]) {
      const page = await ok(
        server.admin.client.GET('/v1/spaces/{spaceId}/content/page/{pageId}', {
          params: { path: { spaceId: space, pageId: id } },
        }),
      );
      expect(page).toMatchObject({ id, path, title });
    }
  });

  test('finds the text of a new version, and no longer that of the previous one', async () => {
    const { space } = await importWith('renewed');
    const text = PET_STORE.replace('Buy a pet', 'Adopt an animal').replace(
      'summary: Is it well',
      'tags: [State]',
    );
    await updateText('renewed', text);
    await finds(space, 'adopt', ['api/renewed/pets']);
    expect(await search(space, 'buy')).toEqual([]);
    expect(await search(space, '"other operations"')).toEqual([]);
    await finds(space, 'health', ['api/renewed/state']);
  });

  test('finds the pages under a new path, even though no entry changed', async () => {
    const { space, repository } = await importWith('moved');
    const pages = { 'moved.md': '# Moved\n' };
    await repository.update({ ...filesWith(`  * [Moved](moved.md)\n${entry('moved')}`), ...pages });
    await importRepository(server, space, repository);
    expect(await search(space, 'buy')).toMatchObject([{ path: 'api/moved-1/pets' }]);
  });

  test('still finds the pages if the entry is written differently', async () => {
    const { space, repository } = await importWith('rewritten');
    for (const models of ['models: false', 'other: true']) {
      await repository.update(filesWith(entry('rewritten').replace('models: true', models)));
      await importRepository(server, space, repository);
      expect(await search(space, 'sells')).toMatchObject([{ path: 'api/rewritten' }]);
      expect(await search(space, 'buy')).toMatchObject([{ path: 'api/rewritten/pets' }]);
      // Without a page of models, operations describe their models.
      expect(await search(space, 'listens')).toMatchObject([{ path: 'api/rewritten/pets' }]);
    }
  });

  test('finds none of them once the entry is deleted', async () => {
    const { space, repository } = await importWith('dropped');
    expect(await search(space, 'buy')).toHaveLength(1);
    await repository.update(filesWith(''));
    await importRepository(server, space, repository);
    for (const query of ['buy', 'listens', 'sells']) {
      expect(await search(space, query)).toEqual([]);
    }
    expect(await search(space, 'welcome')).toHaveLength(1);
  });

  test('finds none of them once the specification is deleted, and all once there is another', async () => {
    const { space } = await importWith('deleted');
    await remove('deleted');
    await finds(space, 'buy', []);
    for (const query of ['listens', 'sells']) {
      expect(await search(space, query)).toEqual([]);
    }
    await createSpecification(server.admin, server.organization, 'deleted');
    await finds(space, 'buy', ['api/deleted/pets']);
  });

  test('finds none of them in another organization, which has no such specification', async () => {
    const { client } = server.admin;
    const { space } = await importWith('given');
    const { id: other } = await ok(client.POST('/v1/orgs', { body: { title: 'Other' } }));
    const createIn = async (organization: string) =>
      await ok(
        client.POST('/v1/spaces/{spaceId}/transfer', {
          params: { path: { spaceId: space } },
          body: { organization },
        }),
      );
    await createIn(other);
    await finds(space, 'buy', []);
    expect(await search(space, 'welcome')).toHaveLength(1);
    await createIn(server.organization);
    await finds(space, 'buy', ['api/given/pets']);
    const collection = await ok(
      client.POST('/v1/orgs/{organizationId}/collections', {
        params: { path: { organizationId: server.organization } },
        body: { title: 'Given' },
      }),
    );
    await ok(
      client.POST('/v1/spaces/{spaceId}/move', {
        params: { path: { spaceId: space } },
        body: { parent: collection.id },
      }),
    );
    await ok(
      client.POST('/v1/collections/{collectionId}/transfer', {
        params: { path: { collectionId: collection.id } },
        body: { organization: other },
      }),
    );
    await finds(space, 'buy', []);
  });
});

describe('search in a space whose whole content is computed', () => {
  test('finds the pages, and follows the specification', async () => {
    await createSpecification(server.admin, server.organization, 'whole');
    const { id } = await createComputedSpace(server, 'whole');
    await finds(id, 'buy', ['pet-store/pets']);
    const tree = flatten(await readTree(server.admin.client, id));
    expect(tree.map((page) => page.id)).toContain((await search(id, 'buy'))[0]?.id);
    expect(await search(id, 'buy')).toMatchObject([{ description: '', ancestors: [{ title: 'Pet store' }] }]);
    await updateText('whole', PET_STORE.replace('Pet store', 'Zoo'));
    await finds(id, 'buy', ['zoo/pets']);
    await remove('whole');
    await finds(id, 'buy', []);
  });
});

describe('search in a space that starts from the template of an API reference', () => {
  test('finds the pages of the specification', async () => {
    await createSpecification(server.admin, server.organization, 'templated');
    const specification = { kind: 'openapi', spec: 'templated' } as const;
    const template = { id: 'tpl_api_reference', params: { contentRefs: { specification } } } as const;
    const { id } = await ok(
      server.admin.client.POST('/v1/orgs/{organizationId}/spaces', {
        params: { path: { organizationId: server.organization } },
        body: { template },
      }),
    );
    await finds(id, 'buy a pet', ['reference/pets']);
  });
});
