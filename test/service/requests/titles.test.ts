import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

interface Titled {
  id: string;
  title: string;
}

/** Resources with a title: its maximum length, and how it is created, updated and read. */
const RESOURCES: Record<
  string,
  {
    maxLength: number;
    create: (title: string) => Promise<Titled>;
    update: (id: string, title: string) => Promise<Titled>;
    read: (id: string) => Promise<Titled>;
  }
> = {
  team: {
    maxLength: 64,
    create: (title) =>
      ok(client().PUT('/v1/orgs/{organizationId}/teams', { ...organization(), body: { title } })),
    update: (teamId, title) =>
      ok(
        client().PATCH('/v1/orgs/{organizationId}/teams/{teamId}', {
          ...organization(teamId),
          body: { title },
        }),
      ),
    read: (teamId) => ok(client().GET('/v1/orgs/{organizationId}/teams/{teamId}', organization(teamId))),
  },
  collection: {
    maxLength: 50,
    create: (title) =>
      ok(client().POST('/v1/orgs/{organizationId}/collections', { ...organization(), body: { title } })),
    update: (collectionId, title) =>
      ok(
        client().PATCH('/v1/collections/{collectionId}', {
          params: { path: { collectionId } },
          body: { title },
        }),
      ),
    read: (collectionId) =>
      ok(client().GET('/v1/collections/{collectionId}', { params: { path: { collectionId } } })),
  },
  space: {
    maxLength: 50,
    create: (title) =>
      ok(client().POST('/v1/orgs/{organizationId}/spaces', { ...organization(), body: { title } })),
    update: (spaceId, title) =>
      ok(client().PATCH('/v1/spaces/{spaceId}', { params: { path: { spaceId } }, body: { title } })),
    read: (spaceId) => ok(client().GET('/v1/spaces/{spaceId}', { params: { path: { spaceId } } })),
  },
};

const client = () => server.admin.client;
const organization = (teamId = '') => ({
  params: { path: { organizationId: server.organization, teamId } },
});

/** Titles that are easily truncated, folded, trimmed or misinterpreted. */
const titles = (maxLength: number) => [
  'x'.repeat(maxLength),
  // Each is two UTF-16 code units, and one character (JSON Schema 2020-12, Validation, section 6.3.1).
  '📘'.repeat(maxLength),
  '文档 – Ελληνικά',
  'العربية \u200f',
  'e\u0301 is not \u00e9',
  ' both ends ',
  `<b>"quoted"</b> & 'more' \\ %00 {{}} ; --`,
  'null',
  '0',
];

describe.each(Object.entries(RESOURCES))(
  'the title of a %s',
  (_name, { maxLength, create, update, read }) => {
    test('is read as it was sent, up to the maximum length', async () => {
      for (const title of titles(maxLength)) {
        const created = create(title);
        await expect(created).resolves.toMatchObject({ title });
        expect((await read((await created).id)).title).toBe(title);
      }
    });

    test('is read as it was changed', async () => {
      const { id } = await create('Before');
      for (const title of titles(maxLength)) {
        expect((await update(id, title)).title).toBe(title);
        expect((await read(id)).title).toBe(title);
      }
    });
  },
);
