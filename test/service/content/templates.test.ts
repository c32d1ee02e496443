// Runs on one engine: templates are applied as edits.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { createSpace, flatten, outline, readSpace, readTree } from '../../support/content/imports.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

type Schemas = components['schemas'];

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const client = () => server.admin.client;
const apply = (spaceId: string, body: Schemas['TemplateChoice']) =>
  client().POST('/v1/spaces/{spaceId}/content/template', { params: { path: { spaceId } }, body });
const create = (body: Schemas['SpaceCreate']) =>
  client().POST('/v1/orgs/{organizationId}/spaces', {
    params: { path: { organizationId: server.organization } },
    body,
  });
const readContent = (spaceId: string) =>
  ok(client().GET('/v1/spaces/{spaceId}/content', { params: { path: { spaceId } } }));
const readMarkdown = async (spaceId: string, title: string) => {
  const page = flatten(await readTree(client(), spaceId)).find((item) => item.title === title);
  const read = await ok(
    client().GET('/v1/spaces/{spaceId}/content/page/{pageId}', {
      params: { path: { spaceId, pageId: page?.id ?? '' }, query: { format: 'markdown' } },
    }),
  );
  return read.type === 'document' ? read.markdown : undefined;
};

const HANDBOOK = [
  'document Start here /start-here',
  'document How we work /how-we-work',
  '  document Meetings /how-we-work/meetings',
  '  document Decisions /how-we-work/decisions',
  'document People /people',
  '  document The first week /people/the-first-week',
  '  document Time off /people/time-off',
];
const logo = { kind: 'url', url: 'https://example.com/logo (1) <b>.png' } as const;
const specification = { kind: 'openapi', spec: 'petstore' } as const;
const ALL: Schemas['TemplateChoice'][] = [
  { id: 'tpl_product_guide', params: { contentRefs: { logo } } },
  { id: 'tpl_api_reference', params: { contentRefs: { specification } } },
  { id: 'tpl_handbook' },
  { id: 'tpl_release_notes' },
];

describe('a template that is applied to a space', () => {
  test('creates a new revision that is indexed for search', async () => {
    const { id, revision } = await createSpace(server);
    expect((await apply(id, { id: 'tpl_handbook' })).response.status).toBe(204);
    expect(await readContent(id)).toMatchObject({ type: 'edits', parents: [revision] });
    expect(outline(await readTree(client(), id))).toEqual(HANDBOOK);
    await vi.waitFor(
      async () => {
        const { items } = await ok(
          client().GET('/v1/spaces/{spaceId}/search', {
            params: { path: { spaceId: id }, query: { query: 'takes over' } },
          }),
        );
        expect(items).toMatchObject([{ title: 'Time off' }]);
      },
      { timeout: 60_000, interval: 25 },
    );
  });

  test('is appended to the existing content, which is unchanged', async () => {
    const { id } = await createSpace(server);
    await ok(apply(id, { id: 'tpl_handbook' }));
    const before = await readTree(client(), id);
    await ok(apply(id, { id: 'tpl_handbook' }));
    const after = await readTree(client(), id);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(outline(after.slice(before.length))[0]).toBe('document Start here /start-here-2');
  });

  test('accepts references for its placeholders', async () => {
    const { id } = await createSpace(server);
    await ok(apply(id, ALL[0] ?? { id: '' }));
    const welcome = await readMarkdown(id, 'Welcome');
    expect(welcome).toContain('![Logo](<https://example.com/logo%20(1)%20%3Cb%3E.png>)');
    const { files } = await readContent(id);
    expect(files).toMatchObject([{ name: 'overview.svg', dimensions: { width: 640, height: 160 } }]);
    expect(welcome).toContain(`](/files/${files[0]?.id})`);

    const own = { kind: 'file', file: files[0]?.id ?? '' } as const;
    await ok(apply(id, { id: 'tpl_product_guide', params: { contentRefs: { logo: own } } }));
    const last = (await readTree(client(), id)).findLast(({ title }) => title === 'Welcome');
    const page = await ok(
      client().GET('/v1/spaces/{spaceId}/content/page/{pageId}', {
        params: { path: { spaceId: id, pageId: last?.id ?? '' }, query: { format: 'markdown' } },
      }),
    );
    expect(page).toHaveProperty('markdown', expect.stringContaining(`![Logo](</files/${own.file}>)`));
  });

  test('is rejected by a locked space', async () => {
    const { id } = await createSpace(server);
    await ok(
      client().PATCH('/v1/spaces/{spaceId}', {
        params: { path: { spaceId: id } },
        body: { editMode: 'locked' },
      }),
    );
    expect((await apply(id, { id: 'tpl_handbook' })).error).toMatchObject({
      status: 409,
      reason: 'space_locked',
    });
  });

  test.each<[path: string, why: string, body: Schemas['TemplateChoice']]>([
    ['id', 'is unknown', { id: 'tpl_nothing' }],
    ['params.contentRefs.logo', 'is missing', { id: 'tpl_product_guide' }],
    [
      'params.contentRefs.logo',
      'is of another kind',
      { id: 'tpl_product_guide', params: { contentRefs: { logo: specification } } },
    ],
    [
      'params.contentRefs.logo',
      'is no file of the space',
      { id: 'tpl_product_guide', params: { contentRefs: { logo: { kind: 'file', file: 'nowhere' } } } },
    ],
    [
      'params.contentRefs.constructor',
      'is no place',
      { id: 'tpl_handbook', params: { contentRefs: { constructor: logo } } },
    ],
  ])('names %s if it %s', async (path, _reason, body) => {
    const space = await createSpace(server);
    expect((await apply(space.id, body)).error).toMatchObject({
      status: 400,
      details: [{ in: 'body', path }],
    });
    expect((await create({ template: body })).error).toMatchObject({
      status: 400,
      details: [{ in: 'body', path: `template.${path}` }],
    });
    expect((await readSpace(client(), space.id)).revision).toBe(space.revision);
  });
});

describe('a space that is created from a template', () => {
  test('has its pages, which are indexed for search', async () => {
    const space = await ok(create({ title: 'Handbook', template: { id: 'tpl_handbook' } }));
    expect(outline(await readTree(client(), space.id))).toEqual(HANDBOOK);
    expect(await readContent(space.id)).toMatchObject({ id: space.revision, parents: [] });
    await vi.waitFor(
      async () => {
        const { items } = await ok(
          client().GET('/v1/spaces/{spaceId}/search', {
            params: { path: { spaceId: space.id }, query: { query: 'takes over' } },
          }),
        );
        expect(items).toMatchObject([{ title: 'Time off' }]);
      },
      { timeout: 60_000, interval: 25 },
    );
  });

  test.each(ALL)('has no broken links: $id', async (template) => {
    const { id } = await ok(create({ template }));
    const { pages, files } = await readContent(id);
    const ids = new Set([...flatten(pages), ...files].map((item) => item.id));
    for (const page of flatten(pages)) {
      if (page.type !== 'document') {
        continue;
      }
      const markdown = (await readMarkdown(id, page.title)) ?? '';
      expect(markdown).not.toMatch(/\{\{/);
      for (const [, id] of markdown.matchAll(/\/(?:pages|files)\/([\w-]+)/g)) {
        expect(ids).toContain(id);
      }
    }
  });

  test('has a reference that is computed from the specification', async () => {
    const { id } = await ok(create({ template: ALL[1] ?? { id: '' } }));
    expect((await readTree(client(), id)).find(({ title }) => title === 'Reference')).toMatchObject({
      type: 'computed',
      computed: { type: 'builtin:openapi', dependencies: { spec: { ref: specification } } },
    });
  });

  test('cannot also be computed', async () => {
    const computedSource = {
      type: 'builtin:openapi',
      props: {},
      dependencies: { spec: { ref: specification } },
    } as const;
    const { error } = await create({ template: { id: 'tpl_handbook' }, computedSource });
    expect(error).toMatchObject({ status: 400, details: [{ path: 'computedSource' }] });
  });
});
