import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok, paginate } from '../../../client/platform/index.ts';
import { operations } from '../../../generated/operations.ts';
import { createId } from '../../../server/database/seams.ts';
import { createToken } from '../../../server/identity/tokens.ts';
import { importRepository } from '../../support/content/imports.ts';
import { addVersion } from '../../support/content/specifications.ts';
import { isFirstEngine } from '../../support/database/engines.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { fillPath, type PathValues } from '../../support/http/requests.ts';
import { Wire } from '../../support/http/wire.ts';
import { install } from '../../support/integrations/integrations.ts';
import { untilEventsSettle } from '../../support/jobs.ts';
import {
  createGroup,
  createSection,
  importMissingFile,
  SMALL_REPOSITORY,
  TestResources,
} from '../../support/resources.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const lists = Object.entries(operations)
  .filter(([, { list }]) => list)
  .map(([id, { path }]) => ({ id, path }));

/** Queries that some lists need to have items. */
const QUERIES: Record<string, string> = {
  searchOrganization: 'query=welcome',
  searchSpace: 'query=welcome',
  listChangeRequests: 'status=draft',
};

/** On every page, so that each file and the first page have several backlinks. */
const pictures = '![A picture](.gitbook/assets/dot.svg) ![Another](.gitbook/assets/line.svg)';

interface Page {
  items: Record<string, unknown>[];
  count: number;
  next?: { page: string };
}

let server: TestServer;
let git: GitServer;
let wire: Wire;
let resources: TestResources;
/** Resources of the same organization, and of another. Their lists have separate cursors. */
let otherResources: TestResources[];
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
  wire = new Wire(server.url);
  const repository = await git.createRepository({
    ...SMALL_REPOSITORY,
    'SUMMARY.md': '* [Welcome](README.md)\n* [Welcome again](again.md)\n* [Goodbye](last.md)\n',
    'README.md': `# Welcome\n\n${pictures}\n`,
    'again.md': `# Welcome again\n\n${pictures} [Start](README.md)\n`,
    'last.md': `# Goodbye\n\n${pictures} [Start](README.md)\n`,
    '.gitbook/assets/line.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="2" height="1"></svg>',
  });
  resources = await TestResources.inNewOrganization(server, server.admin, repository);
  await several(resources);
  otherResources = [
    resources.fresh(),
    await TestResources.inNewOrganization(server, server.admin, repository),
  ];
});
afterAll(async () => {
  wire.close();
  await Promise.all([server.stop(), git.close()]);
});

/** Creates three items of every list for the same resources. */
async function several(resources: TestResources): Promise<void> {
  await resources.idFor('fileId');
  await resources.fresh().idFor('pageId');
  const [organizationId, spaceId, collectionId] = [
    resources.organization,
    await resources.idFor('spaceId'),
    await resources.idFor('collectionId'),
  ];
  const [teamId, userId] = [await resources.idFor('teamId'), await resources.idFor('userId')];
  const client = resources.owner.client;
  const inOrganization = { params: { path: { organizationId } } };
  const users = [userId];
  const teams = [teamId];
  for (const title of ['Two', 'Three']) {
    const more = resources.fresh();
    await more.idFor('specSlug');
    await more.idFor('translationId');
    await addVersion(resources.owner, organizationId, await resources.idFor('specSlug'), title);
    users.push(await more.idFor('userId'));
    teams.push(await more.idFor('teamId'));
    await more.idFor('inviteId');
    await more.idFor('samlProviderId');
    await ok(client.POST('/v1/orgs/{organizationId}/collections', { ...inOrganization, body: { title } }));
    for (const parent of [undefined, collectionId]) {
      await ok(
        client.POST('/v1/orgs/{organizationId}/spaces', {
          ...inOrganization,
          body: { title, ...(parent && { parent }) },
        }),
      );
    }
    await ok(client.POST('/v1/orgs', { body: { title } }));
    await ok(client.POST('/v1/orgs/{organizationId}/sites', { ...inOrganization, body: { title } }));
    const redirect = { kind: 'external' as const, url: 'https://example.com' };
    const body = { source: `/${encodeURIComponent(title)}`, destination: redirect };
    await ok(
      client.POST('/v1/orgs/{organizationId}/sites/{siteId}/redirects', {
        params: { path: { organizationId, siteId: await resources.idFor('siteId') } },
        body,
      }),
    );
    const image = { name: title, base64: btoa(`<svg><title>${title}</title></svg>`) };
    await ok(client.POST('/v1/orgs/{organizationId}/files', { ...inOrganization, body: image }));
    await createSection(resources);
    await createGroup(resources);
    const params = { path: { organizationId, siteId: await resources.idFor('siteId') } };
    await ok(
      client.POST('/v1/orgs/{organizationId}/sites/{siteId}/share-links', { params, body: { name: title } }),
    );
    await resources.server.database.query
      .insertInto('siteFeedback')
      .values({
        id: `fbk_${title}`,
        organization: organizationId,
        site: params.path.siteId,
        siteSpace: 'ssp_1',
        space: spaceId,
        page: 'page_1',
        url: 'https://docs.example.com/',
        rating: 'good',
        comment: null,
        createdAt: new Date().toISOString(),
      })
      .execute();
    await ok(
      client.POST('/v1/spaces/{spaceId}/change-requests', { params: { path: { spaceId } }, body: {} }),
    );
  }
  await resources.idFor('importId');
  for (let round = 0; round < 3; round++) {
    if (round > 0) {
      await importMissingFile(resources);
    }
    await importRepository(server, spaceId, resources.repository, {}, client);
    // Fails, and is listed too.
    await client.POST('/v1/spaces/{spaceId}/content/import', {
      params: { path: { spaceId } },
      body: { url: resources.repository.url, source: 'docx' },
    });
  }
  await resources.pathValues('/members/{userId}/tokens/{tokenId}');
  for (const user of [userId, userId, resources.owner.id, resources.owner.id]) {
    await server.database.transaction((trx) =>
      createToken(trx, { user, label: 'Another', now: new Date(), createId }),
    );
  }
  for (const body of [
    { role: 'edit', users },
    { role: 'edit', teams },
  ] as const) {
    await ok(client.POST('/v1/spaces/{spaceId}/permissions', { params: { path: { spaceId } }, body }));
    await ok(
      client.POST('/v1/collections/{collectionId}/permissions', { params: { path: { collectionId } }, body }),
    );
  }
  for (const team of teams) {
    await ok(
      client.PUT('/v1/orgs/{organizationId}/teams/{teamId}/members', {
        params: { path: { organizationId, teamId: team } },
        body: { add: users },
      }),
    );
  }
  await requestReviews(resources, users);
  await installIntegrations(resources);
  await untilEventsSettle(resources.server.database);
  await discuss(resources);
}

/** Requests members to review a change request, and reviews it several times. */
async function requestReviews(resources: TestResources, users: string[]): Promise<void> {
  const { client } = resources.owner;
  await resources.idFor('reviewId');
  const path = {
    spaceId: await resources.idFor('spaceId'),
    changeRequestId: await resources.idFor('changeRequestId'),
  };
  const base = '/v1/spaces/{spaceId}/change-requests/{changeRequestId}';
  await ok(client.POST(`${base}/requested-reviewers`, { params: { path }, body: { users } }));
  for (const status of ['changes-requested', 'approved'] as const) {
    await ok(client.POST(`${base}/reviews`, { params: { path }, body: { status } }));
  }
}

/** Publishes integrations, and installs one of them on organizations, spaces and sites. */
async function installIntegrations(resources: TestResources): Promise<void> {
  const { owner, organization } = resources;
  const params = {
    path: {
      integrationName: await resources.idFor('integrationName'),
      installationId: await resources.idFor('installationId'),
    },
  };
  const base = '/v1/integrations/{integrationName}/installations/{installationId}';
  for (const title of ['One', 'Two', 'Three']) {
    await resources.fresh().idFor('integrationName');
    const { id } = await ok(owner.client.POST('/v1/orgs', { body: { title } }));
    await install(owner, params.path.integrationName, id);
    const inOrganization = { params: { path: { organizationId: organization } }, body: { title } };
    const space = await ok(owner.client.POST('/v1/orgs/{organizationId}/spaces', inOrganization));
    await ok(owner.client.POST(`${base}/spaces`, { params, body: { space: space.id } }));
    const site = await ok(owner.client.POST('/v1/orgs/{organizationId}/sites', inOrganization));
    await ok(owner.client.POST(`${base}/sites`, { params, body: { site: site.id } }));
  }
}

/** Creates comments of several members on a space and on a change request of it. */
async function discuss(resources: TestResources): Promise<void> {
  const templates = operationPaths('createSpaceCommentReply', 'createChangeRequestCommentReply');
  for (const template of templates) {
    const replies = fillPath(template, await resources.pathValues(template));
    const comments = replies.slice(0, replies.lastIndexOf('/comments/') + '/comments'.length);
    for (const name of ['Ada', 'Grace']) {
      const { token } = await resources.server.member(
        `${name}-${comments.length}`,
        'comment',
        resources.organization,
      );
      for (const target of [comments, replies]) {
        const body = JSON.stringify({ body: { markdown: `${name} agrees.` } });
        const headers = { 'content-type': 'application/json' };
        const { status, text } = await wire.send({ method: 'POST', target, headers, body }, token);
        expect(status, text).toBe(201);
      }
    }
    await resources.idFor(
      template.includes('{changeRequestId}') ? 'changeRequest.commentReplyId' : 'commentReplyId',
    );
  }
}

const operationPaths = (...ids: (keyof typeof operations)[]): string[] =>
  ids.map((id) => operations[id].path);

/** Requests a page of a list; the result is a page only if its status is 200. */
async function read(list: { id: string; path: string }, query: string, path?: PathValues) {
  const target = fillPath(list.path, path ?? (await resources.pathValues(list.path)));
  const requested = [QUERIES[list.id], query].filter(Boolean).join('&');
  const response = await wire.send(
    { method: 'GET', target: `${target}?${requested}`, headers: {} },
    server.admin.token,
  );
  // The server validates its responses against the contract.
  const page = response.json as Page;
  // Each request here updates the last use of a token.
  for (const item of page.items ?? []) {
    delete item.lastUsedAt;
  }
  return { status: response.status, page, text: response.text };
}

/** Returns all items of a list from pages of a size. */
async function walk(list: { id: string; path: string }, limit: number): Promise<Page[]> {
  const pages: Page[] = [];
  for (let next: string | undefined = ''; next !== undefined; ) {
    const { status, page, text } = await read(
      list,
      `limit=${limit}${next && `&page=${encodeURIComponent(next)}`}`,
    );
    expect(status, text).toBe(200);
    pages.push(page);
    next = page.next?.page;
    expect(pages.length, 'The list has no end.').toBeLessThanOrEqual(200);
  }
  return pages;
}

const details = ({ text }: { text: string }): unknown => JSON.parse(text).error.details;
const rejected = [{ in: 'query', path: 'page' }];

// Limits and cursors are validated before any query.
describe.each(lists)('$id', (list) => {
  test('returns only the count with limit=0', async () => {
    // First, since the count of a complete page is remembered and not counted again.
    const counted = await read(list, 'limit=0');
    const { page } = await read(list, 'limit=1000');
    expect(counted).toMatchObject({ status: 200, page: { items: [], count: page.items.length } });
    expect(counted.page.next).toBeUndefined();
    expect(page.count).toBe(page.items.length);
    expect(page.next).toBeUndefined();
  });

  test('yields each item once, in the same order, with pages of any size', async () => {
    const allItems = (await walk(list, 1000)).flatMap(({ items }) => items);
    // Otherwise the list is empty, and the test proves nothing.
    expect(allItems.length).toBeGreaterThan(1);
    for (const limit of [1, 2]) {
      const pages = await walk(list, limit);
      expect(pages.flatMap(({ items }) => items)).toEqual(allItems);
      expect(pages.length).toBe(Math.ceil(allItems.length / limit));
      for (const { count } of pages) {
        expect(count).toBe(allItems.length);
      }
    }
    expect(new Set(allItems.map((item) => JSON.stringify(item))).size).toBe(allItems.length);
  });

  test.runIf(isFirstEngine)('rejects a limit beyond its bounds', async () => {
    for (const limit of ['1001', '-1', '1.5', '1e999', '-1e999']) {
      const response = await read(list, `limit=${limit}`);
      expect(response.status, `${limit}: ${response.text}`).toBe(400);
      expect(details(response)).toMatchObject([{ in: 'query', path: 'limit' }]);
    }
  });

  test.runIf(isFirstEngine)('rejects a cursor that it did not issue', async () => {
    const cursor = (await read(list, 'limit=1')).page.next?.page ?? '';
    expect(cursor).toMatch(/^[\w-]+$/);
    const other = lists.find(({ id }) => id !== list.id && id !== 'searchOrganization') ?? list;
    const foreign = (await read(other, 'limit=1')).page.next?.page ?? '';
    const changed = [
      cursor.slice(0, -1),
      `${cursor}A`,
      `${cursor}%21`,
      `%20${cursor}`,
      `${cursor.startsWith('A') ? 'B' : 'A'}${cursor.slice(1)}`,
    ];
    for (const page of ['x', '1', 'null', 'e30', 'A'.repeat(100), foreign, ...changed]) {
      const response = await read(list, `limit=1&page=${page}`);
      expect(response.status, `${page}: ${response.text}`).toBe(400);
      expect(details(response)).toMatchObject(rejected);
    }
  });

  test.runIf(isFirstEngine)('rejects a cursor of the same list of another resource', async () => {
    const path = await resources.pathValues(list.path);
    const others = await Promise.all(otherResources.map((other) => other.pathValues(list.path)));
    const cursor = (await read(list, 'limit=1')).page.next?.page ?? '';
    for (const values of others) {
      if (JSON.stringify(values) === JSON.stringify(path)) {
        continue;
      }
      const response = await read(list, `limit=1&page=${cursor}`, values);
      expect(response.status, response.text).toBe(400);
      expect(details(response)).toMatchObject(rejected);
    }
  });
});

describe('a cursor', () => {
  const collections = { id: 'listCollections', path: '/v1/orgs/{organizationId}/collections' };
  const members = { id: 'listMembers', path: '/v1/orgs/{organizationId}/members' };

  test.each([
    ['nested', collections, 'nested=true', 'nested=false'],
    ['order', members, 'order=asc', 'order=desc'],
    ['role', members, 'role=edit', 'role=admin'],
    ['sort', members, 'sort=joinedAt', 'sort=lastSeenAt'],
    ['search', members, '', 'search=some'],
  ])('continues only the list that issued it: not with another %s', async (_name, list, first, second) => {
    const firstPage = await read(list, `limit=1&${first}`);
    expect(firstPage.status, firstPage.text).toBe(200);
    const page = firstPage.page.next?.page;
    if (page === undefined) {
      throw new Error(`The list has one page only: ${firstPage.text}`);
    }
    expect((await read(list, `limit=1&${first}&page=${page}`)).status).toBe(200);
    const response = await read(list, `limit=1&${second}&page=${page}`);
    expect(response.status, response.text).toBe(400);
    expect(details(response)).toMatchObject(rejected);
  });

  test('is valid with another limit', async () => {
    const { page } = await read(collections, 'limit=1');
    const rest = await read(collections, `limit=1000&page=${page.next?.page}`);
    expect(rest.page.items.length).toBe(page.count - 1);
  });
});

describe('a list that is paginated while others write', () => {
  test('yields every remaining item exactly once', async () => {
    const { organization: organizationId, owner } = await TestResources.inNewOrganization(
      server,
      server.admin,
      resources.repository,
    );
    const path = { params: { path: { organizationId } } };
    const create = async (title: string) =>
      (await ok(owner.client.POST('/v1/orgs/{organizationId}/spaces', { ...path, body: { title } }))).id;
    const before: string[] = [];
    for (let index = 0; index < 24; index += 1) {
      before.push(await create(`Space ${index}`));
    }
    const deleted = new Set<string>();
    const seen: string[] = [];
    const walking = paginate(owner.client, '/v1/orgs/{organizationId}/spaces', {
      params: { path: { organizationId }, query: { limit: 3 } },
    });
    for await (const { id } of walking) {
      seen.push(id);
      if (seen.length % 2 === 1) {
        continue;
      }
      // One from an earlier page, one from a later page, and new ones before and after.
      const [behind, ahead] = [
        seen.at(-2),
        before.findLast((item) => !seen.includes(item) && !deleted.has(item)),
      ];
      for (const spaceId of [behind, ahead]) {
        if (spaceId === undefined || deleted.has(spaceId)) {
          continue;
        }
        deleted.add(spaceId);
        await ok(owner.client.DELETE('/v1/spaces/{spaceId}', { params: { path: { spaceId } } }));
      }
      const spaceId = await create('New');
      const first = before.find((item) => !deleted.has(item));
      if (seen.length % 4 === 0 && first !== undefined && seen.length < 24) {
        await ok(
          owner.client.POST('/v1/spaces/{spaceId}/move', {
            params: { path: { spaceId } },
            body: { position: { before: { type: 'space', space: first } } },
          }),
        );
      }
      if (seen.length > 60) {
        break;
      }
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(deleted.size).toBeGreaterThan(5);
    for (const id of before) {
      if (!deleted.has(id)) {
        expect(seen).toContain(id);
      }
    }
  });
});
