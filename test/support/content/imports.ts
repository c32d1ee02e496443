import { type Client, ok, waitForRun } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import type { ServedRepository } from '../git/git-server.ts';
import type { TestServer } from '../server.ts';

type Schemas = components['schemas'];

/** Creates a space as the admin. */
export async function createSpace(server: TestServer, title = 'Docs'): Promise<Schemas['Space']> {
  return await ok(
    server.admin.client.POST('/v1/orgs/{organizationId}/spaces', {
      params: { path: { organizationId: server.organization } },
      body: { title },
    }),
  );
}

/**
 * Starts an import, as the admin by default, and waits until it is done: the content of the commit is published and
 * indexed for search.
 */
export async function importRepository(
  server: { admin: { client: Client } },
  space: string,
  repository: Pick<ServedRepository, 'url'>,
  body: Partial<Schemas['GitImport']> = {},
  client = server.admin.client,
): Promise<Schemas['Space']> {
  const started = client.POST('/v1/spaces/{spaceId}/git/import', {
    params: { path: { spaceId: space } },
    body: { url: repository.url, ref: 'refs/heads/main', ...body },
  });
  await waitForRun(client, started, { timeout: 60_000 });
  return await readSpace(client, space);
}

export async function readSpace(client: Client, spaceId: string): Promise<Schemas['Space']> {
  return await ok(client.GET('/v1/spaces/{spaceId}', { params: { path: { spaceId } } }));
}

/** Reads the whole page tree of a space. */
export async function readTree(client: Client, spaceId: string): Promise<Schemas['Page'][]> {
  const tree = await ok(client.GET('/v1/spaces/{spaceId}/content/pages', { params: { path: { spaceId } } }));
  return tree.pages;
}

/** Formats a page tree as an indented outline with a line per page: type, title, and path if any. */
export function outline(pages: readonly Schemas['Page'][], indent = ''): string[] {
  return pages.flatMap((page) => [
    `${indent}${page.type} ${page.title}${'path' in page ? ` /${page.path}` : ''}`,
    ...('pages' in page ? outline(page.pages, `${indent}  `) : []),
  ]);
}

/** Returns every page of a tree in order. */
export function flatten(pages: readonly Schemas['Page'][]): Schemas['Page'][] {
  return pages.flatMap((page) => [page, ...('pages' in page ? flatten(page.pages) : [])]);
}
