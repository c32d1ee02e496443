import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import type { components } from '../../../../generated/schema.d.ts';
import { type GitServer, startGitServer } from '../../../support/git/git-server.ts';
import type { ReceivedCall } from '../../../support/integrations/integration-receiver.ts';
import { installed } from '../../../support/integrations/integrations.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { publishSite, spaceFrom } from '../../../support/sites/published-site.ts';
import {
  type DevelopedIntegration,
  DevelopedIntegrations,
  rendered,
} from '../../../support/sites/site-integrations.ts';

type Schemas = components['schemas'];

const BOARD = 'https://boards.example.com/b/42?view=full';
const MARKDOWN = [
  `{% embed url="${BOARD}" %}\nThe board\n{% endembed %}`,
  'https://boards.example.com/b/43',
  'See [the board](https://boards.example.com/b/44) or https://boards.example.com/b/45.',
  'https://other.example.com/b/46',
  '{% @boards/board id="47" %}',
].join('\n\n');

let server: TestServer;
let git: GitServer;
let integrations: DevelopedIntegrations;
let space: string;
let other: string;
let boards: DevelopedIntegration;
let url: string;

/** A component that shows the number in the URL of a link, or in its properties, and fails for others. */
function board({ event }: ReceivedCall): Response {
  if (event.type !== 'ui_render') {
    return new Response('OK');
  }
  const { action, props } = event;
  const linked = action?.action === '@link.unfurl' ? /\/b\/(\d+)/.exec(String(action.url))?.[1] : undefined;
  const id = linked ?? props.id;
  return id === '43'
    ? Response.json({ error: 'The board is private.' }, { status: 403 })
    : rendered(
        { type: 'block', children: [{ type: 'text', children: `Board ${id}` }] },
        { props: { ...props, id } },
      );
}

beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
  integrations = new DevelopedIntegrations(server);
  const files = { 'README.md': `# Boards\n\n${MARKDOWN}\n` };
  const spaces = [
    await spaceFrom(server, git, 'Boards', files),
    await spaceFrom(server, git, 'Others', files),
  ];
  [space = '', other = ''] = spaces.map(({ space: { id } }) => id);
  ({ url } = await publishSite(server, { spaces: [space] }));
});
afterAll(async () => {
  await integrations[Symbol.asyncDispose]();
  await Promise.all([server.stop(), git.close()]);
});

async function read(spaceId: string, format: 'document' | 'markdown') {
  const { client } = server.admin;
  const { pages } = await ok(
    client.GET('/v1/spaces/{spaceId}/content/pages', { params: { path: { spaceId } } }),
  );
  const page = await ok(
    client.GET('/v1/spaces/{spaceId}/content/page/{pageId}', {
      params: { path: { spaceId, pageId: pages[0]?.id ?? '' }, query: { format } },
    }),
  );
  if (page.type !== 'document') {
    throw new Error(`Unexpected page of type ${page.type}.`);
  }
  return page;
}

const typesIn = async (spaceId: string) =>
  (await read(spaceId, 'document')).document?.nodes.map(({ type }) => type);

/** The frames of the published page, by their titles. */
async function frames(): Promise<string[]> {
  const html = await (await fetch(url)).text();
  return [...html.matchAll(/<iframe src="([^"]*)"[^>]* title="boards\/board"/g)].map(
    ([, src = '']) => new URL(src, url).href,
  );
}

const LINKS = ['embed', 'paragraph', 'paragraph', 'paragraph', 'integration'];
const BLOCKS = ['integration', 'integration', 'paragraph', 'paragraph', 'integration'];

async function select(selection: 'all' | 'some'): Promise<void> {
  await ok(
    server.admin.client.PATCH('/v1/integrations/{integrationName}/installations/{installationId}', {
      ...installed('boards', boards.installation),
      body: { space_selection: selection === 'all' ? 'all' : 'selected' },
    }),
  );
}

describe('a link in the content of a space', () => {
  test('is a link until an integration with a block for it is installed', async () => {
    expect(await typesIn(space)).toEqual(LINKS);
    expect(await frames()).toEqual([]);
    boards = await integrations.add(
      'boards',
      { blocks: [{ id: 'board', title: 'Board', urlUnfurl: ['https://boards.example.com/b/**'] }] },
      board,
    );
    expect(await typesIn(space)).toEqual(BLOCKS);
    expect(await frames()).toHaveLength(3);
  });

  test('is the block in documents, with its action, and a link in Markdown', async () => {
    const { document } = await read(space, 'document');
    const caption = [{ object: 'text', leaves: [{ object: 'leaf', text: 'The board', marks: [] }] }];
    expect(document?.nodes[0]).toMatchObject({
      data: {
        integration: 'boards',
        block: 'board',
        props: { url: BOARD },
        url: BOARD,
        action: { action: '@link.unfurl', url: BOARD },
      },
      fragments: [{ fragment: 'caption', nodes: [{ type: 'paragraph', nodes: caption }] }],
    });
    expect((await read(space, 'markdown')).markdown?.trim()).toBe(MARKDOWN);
  });

  test('can be rendered as its document describes', async () => {
    const { document } = await read(space, 'document');
    const data = document?.nodes[0]?.data;
    if (!data || !('action' in data) || data.action === undefined) {
      throw new Error('The block has no action.');
    }
    const result = await ok(
      server.admin.client.POST('/v1/integrations/{integrationName}/render', {
        params: { path: { integrationName: 'boards' } },
        body: {
          componentId: data.block,
          props: data.props,
          action: data.action,
          context: { type: 'document', spaceId: space, editable: false, theme: 'light' },
        },
      }),
    );
    expect(result).toMatchObject({ props: { id: '42' }, element: { children: [{ children: 'Board 42' }] } });
  });

  test('is drawn in a frame of its page, or as a link if its integration fails', async () => {
    const [embedded = '', failing = '', written = ''] = await frames();
    const shown = await fetch(embedded);
    expect(await shown.text()).toContain('<p>Board 42</p>');
    expect(boards.calls.at(-1)?.event).toMatchObject({
      type: 'ui_render',
      props: { url: BOARD },
      action: { action: '@link.unfurl', url: BOARD },
    });
    expect(await (await fetch(url)).text()).toContain('The board</figcaption>');
    expect(await (await fetch(written)).text()).toContain('<p>Board 47</p>');
    const failed = await fetch(failing);
    expect(failed.status).toBe(403);
    expect(await failed.text()).toContain('href="https://boards.example.com/b/43"');
  });

  test('keeps its text when its document is written', async () => {
    const { id, document, markdown } = {
      ...(await read(space, 'markdown')),
      ...(await read(space, 'document')),
    };
    const params = { path: { spaceId: space } };
    const { client } = server.admin;
    const { id: changeRequestId } = await ok(
      client.POST('/v1/spaces/{spaceId}/change-requests', { params, body: {} }),
    );
    const content = async (nodes: Schemas['Document']['nodes']) => {
      if (!document) {
        throw new Error('The page has no document.');
      }
      await ok(
        client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', {
          params: { path: { spaceId: space, changeRequestId } },
          body: { changes: [{ operation: 'update_page', page: id, document: { ...document, nodes } }] },
        }),
      );
      const page = await ok(
        client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}', {
          params: { path: { spaceId: space, changeRequestId, pageId: id }, query: { format: 'markdown' } },
        }),
      );
      return page.type === 'document' ? page.markdown : undefined;
    };
    const nodes = document?.nodes ?? [];
    expect(await content(nodes)).toBe(markdown);
    expect((await content(nodes.slice(0, 3)))?.trim()).toBe(MARKDOWN.split('\n\n').slice(0, 3).join('\n\n'));
  });

  test('is a link in spaces on which the integration is not installed, or paused', async () => {
    expect(await typesIn(other)).toEqual(BLOCKS);
    await select('some');
    expect(await typesIn(other)).toEqual(LINKS);
    const { client } = server.admin;
    const params = installed('boards', boards.installation);
    await ok(
      client.POST('/v1/integrations/{integrationName}/installations/{installationId}/spaces', {
        ...params,
        body: { space },
      }),
    );
    expect(await typesIn(space)).toEqual(BLOCKS);
    expect(await typesIn(other)).toEqual(LINKS);
    expect(await frames()).toHaveLength(3);
    await select('all');
    expect(await typesIn(other)).toEqual(BLOCKS);
  });

  test('is a link again once the integration is uninstalled', async () => {
    const { client } = server.admin;
    await ok(
      client.DELETE('/v1/integrations/{integrationName}/installations/{installationId}', {
        ...installed('boards', boards.installation),
      }),
    );
    expect(await typesIn(space)).toEqual(LINKS);
    expect(await frames()).toEqual([]);
    expect((await read(space, 'markdown')).markdown?.trim()).toBe(MARKDOWN);
  });
});
