import { ok } from '../../../client/platform/index.ts';
import { operations } from '../../../generated/operations.ts';
import { createId } from '../../../server/database/seams.ts';
import type { GitServer } from '../git/git-server.ts';
import { publishSite, TestResources } from '../resources.ts';
import type { TestServer } from '../server.ts';

/** A secret of the organization, which is stored sealed. */
export const STORED_SECRET = 'a-secret-of-a-script-6f1d';

const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Fills the organization of a server, so that each of its tables has rows. */
export async function fillOrganization(server: TestServer, git: GitServer): Promise<TestResources> {
  const resources = await TestResources.ofServer(server, git);
  for (const { path } of Object.values(operations)) {
    await resources.pathValues(path);
  }
  await publishSite(resources);
  const send = async (method: string, path: string, body: unknown) => {
    const response = await fetch(`${server.url}/v1/${path}`, {
      method,
      headers: { Authorization: `Bearer ${server.admin.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) {
      throw new Error(`${method} ${path} returned ${response.status}: ${await response.text()}`);
    }
  };
  const id = (parameter: string) => resources.idFor(parameter);
  const [space, site, page, organization] = [
    await id('spaceId'),
    await id('siteId'),
    await id('pageId'),
    server.organization,
  ];
  const other = await resources.fresh().idFor('spaceId');
  await send('POST', `orgs/${organization}/invites`, { emails: ['new@example.com'], role: 'read' });
  await send('PUT', `orgs/${organization}/space-map`, { spaceMap: { former1: space } });
  await send('POST', `collections/${await id('collectionId')}/move`, {
    parent: await resources.fresh().idFor('collectionId'),
  });
  await send('POST', `spaces/${other}/move`, { parent: await id('collectionId') });
  await send('POST', `orgs/${organization}/sites/${site}/redirects`, {
    source: '/old',
    destination: { kind: 'site-page', siteSpaceId: await id('siteSpaceId'), pageId: page },
  });
  await send('PUT', `orgs/${organization}/sites/${site}/adaptive-schema`, {
    jsonSchema: { type: 'object', properties: {}, additionalProperties: false },
  });
  const integration = await id('integrationName');
  await send('POST', `integrations/${integration}`, {
    visibility: 'public',
    categories: ['content'],
    scopes: ['space:content:read'],
    icon: PICTURE,
    secrets: { KEY: STORED_SECRET },
  });
  await send('PATCH', `integrations/${integration}/installations/${await id('installationId')}`, {
    externalIds: ['team-1'],
  });
  const changeRequest = await id('changeRequestId');
  const user = await id('userId');
  await send('POST', `spaces/${space}/change-requests/${changeRequest}/content`, {
    changes: [
      {
        operation: 'insert_page',
        title: 'Linked',
        document: {
          markdown: `See [another space](/spaces/${other}), [a page](/spaces/${space}/pages/${page}) and [a member](user:${user}), [an app](${server.url}/app/spaces/${other}).`,
        },
      },
    ],
  });
  await commentOnBlock(resources, changeRequest, space);
  await fillTables(resources, { site, space, page });
  return resources;
}

/** Inserts rows that only readers and services create. */
async function fillTables(
  resources: TestResources,
  { site, space, page }: { site: string; space: string; page: string },
): Promise<void> {
  const { server, organization } = resources;
  const { query } = server.database;
  const createdAt = '2026-01-01T00:00:00.000Z';
  await query
    .insertInto('siteFeedback')
    .values({
      id: createId('fbk'),
      organization,
      site,
      siteSpace: await resources.idFor('siteSpaceId'),
      space,
      page,
      url: 'https://docs.example.com/',
      rating: 'good',
      comment: null,
      createdAt,
    })
    .execute();
  await query
    .insertInto('commentReactions')
    .values({
      organization,
      comment: await resources.idFor('commentId'),
      emoji: '1f44d',
      user: server.admin.id,
      reactedAt: createdAt,
    })
    .execute();
  await query
    .insertInto('translationSegments')
    .values({
      organization,
      translation: await resources.idFor('translationId'),
      hash: 'a hash',
      run: 1,
      text: '<p>Bonjour</p>',
    })
    .execute();
}

/** Posts a comment on the block with the links. */
async function commentOnBlock(
  { owner: { client } }: TestResources,
  changeRequestId: string,
  spaceId: string,
): Promise<void> {
  const path = { changeRequestId, spaceId };
  const { pages } = await ok(
    client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/pages', { params: { path } }),
  );
  const page = pages.find(({ title }) => title === 'Linked')?.id ?? '';
  const read = await ok(
    client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}', {
      params: { path: { ...path, pageId: page } },
    }),
  );
  const node = /"key":"(\w+)"/.exec(JSON.stringify(read))?.[1] ?? '';
  await ok(
    client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments', {
      params: { path },
      body: { page, node, body: { markdown: 'Is this the right page?' } },
    }),
  );
}
