import { expect, vi } from 'vitest';
import { type Client, ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { createBranchOn } from '../content/branch-pages.ts';
import { flatten, readTree } from '../content/imports.ts';
import type { Person, TestServer } from '../server.ts';

type Schemas = components['schemas'];
type Changes = Schemas['ContentChanges']['changes'];

/** A page to add: its title, and its text. */
export type PageToAdd = readonly [title: string, markdown: string];

/** Changes the main content of a space, with a change request. */
export async function edit(
  person: Pick<Person, 'client' | 'token'>,
  spaceId: string,
  changes: Changes,
): Promise<void> {
  const { changeRequestId } = await createBranchOn(person, spaceId);
  const params = { path: { spaceId, changeRequestId } };
  await ok(
    person.client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', {
      params,
      body: { changes },
    }),
  );
  await ok(person.client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge', { params }));
}

/** Creates a space with pages. Returns its ID. */
export async function createSource(
  person: Pick<Person, 'client' | 'token'>,
  organizationId: string,
  pages: readonly PageToAdd[],
  body: Schemas['SpaceCreate'] = { title: 'Handbook' },
): Promise<string> {
  const params = { path: { organizationId } };
  const { id } = await ok(person.client.POST('/v1/orgs/{organizationId}/spaces', { params, body }));
  await edit(
    person,
    id,
    pages.map(([title, markdown]) => ({ operation: 'insert_page', title, document: { markdown } })),
  );
  return id;
}

/** Reads the pages of a space: the Markdown by path. */
export async function readPages(client: Client, spaceId: string): Promise<Record<string, string>> {
  const pages: Record<string, string> = {};
  for (const page of flatten(await readTree(client, spaceId))) {
    if (page.type === 'document') {
      const { markdown } = await readPage(client, spaceId, page.id);
      pages[page.path] = markdown ?? '';
    }
  }
  return pages;
}

/** Reads a page with its Markdown. */
async function readPage(client: Client, spaceId: string, pageId: string): Promise<Schemas['DocumentPage']> {
  const page = await ok(
    client.GET('/v1/spaces/{spaceId}/content/page/{pageId}', {
      params: { path: { spaceId, pageId }, query: { format: 'markdown' } },
    }),
  );
  if (page.type !== 'document') {
    throw new Error(`The page ${pageId} is not a document.`);
  }
  return page;
}

/** Creates a translation of a space from English to German as the admin. Returns its ID. */
export async function createTranslation(
  { admin, organization }: TestServer,
  space: string,
  body: Partial<Schemas['TranslationCreate']> = {},
): Promise<string> {
  const { id } = await ok(
    admin.client.POST('/v1/orgs/{organizationId}/translations', {
      params: { path: { organizationId: organization } },
      body: { source: { space, language: 'en' }, language: 'de', ...body },
    }),
  );
  return id;
}

const pathOf = ({ organization }: TestServer, translationId: string) => ({
  params: { path: { organizationId: organization, translationId } },
});

export const readTranslation = async (server: TestServer, id: string): Promise<Schemas['Translation']> =>
  await ok(
    server.admin.client.GET('/v1/orgs/{organizationId}/translations/{translationId}', pathOf(server, id)),
  );

export async function runTranslation(server: TestServer, id: string): Promise<void> {
  await ok(
    server.admin.client.POST(
      '/v1/orgs/{organizationId}/translations/{translationId}/run',
      pathOf(server, id),
    ),
  );
}

/** Waits until a number of runs are completed. Returns the translation with the ID of its result. */
export const untilCompleted = async (
  server: TestServer,
  id: string,
  runs = 1,
): Promise<Schemas['Translation'] & { space: string }> =>
  await vi.waitFor(
    async () => {
      const translation = await readTranslation(server, id);
      expect(translation).toMatchObject({ status: 'completed', stats: { runs } });
      return { ...translation, space: translation.result?.space ?? '' };
    },
    { timeout: 60_000, interval: 100 },
  );
