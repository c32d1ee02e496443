import { type Client, ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { createSpace, flatten, importRepository, readTree } from '../../support/content/imports.ts';
import type { GitServer } from '../../support/git/git-server.ts';
import type { TestServer } from '../../support/server.ts';

/** A space with the content of a repository, and its pages by title. */
export interface Imported {
  id: string;
  pages: ReadonlyMap<string, string>;
}

/** Creates a space with the content of a repository. */
export async function spaceWith(
  server: TestServer,
  git: GitServer,
  title: string,
  files: Record<string, string>,
  body: Partial<components['schemas']['GitImport']> = {},
): Promise<Imported> {
  const repository = await git.createRepository(files);
  const { id } = await createSpace(server, title);
  await importRepository(server, id, repository, body);
  return { id, pages: await pagesOf(server.admin.client, id) };
}

/** Returns the IDs of the pages of a space by title. */
export const pagesOf = async (client: Client, space: string): Promise<Map<string, string>> =>
  new Map(flatten(await readTree(client, space)).map((page) => [page.title, page.id]));

/** Replaces the space map of the organization of a server. */
export const replaceMap = (server: TestServer, spaceMap: Record<string, string>) =>
  server.admin.client.PUT('/v1/orgs/{organizationId}/space-map', {
    params: { path: { organizationId: server.organization } },
    body: { spaceMap },
  });

/** Lets a guest read a space. */
export async function letRead(server: TestServer, space: string, user: string): Promise<void> {
  await ok(
    server.admin.client.POST('/v1/spaces/{spaceId}/permissions', {
      params: { path: { spaceId: space } },
      body: { users: [user], role: 'read' },
    }),
  );
}

/** A repository about bills. */
export const BILLING = {
  'SUMMARY.md': '* [Start](README.md)\n* [Guide](guide/README.md)\n  * [Invoices](guide/invoices.md)\n',
  'README.md': '# Start\n',
  'guide/README.md': '# Guide\n',
  'guide/invoices.md': '---\nicon: receipt\n---\n\n# Invoices\n\n## Due dates\n\ntext\n',
};

/** Returns the URL of a path in the app of the platform that was left. */
export const former = (path: string): string => `https://app.gitbook.com/${path}`;

/** Returns the URL that the page about invoices had on the platform that was left. */
export const invoices = (space: string): string => former(`s/${space}/guide/invoices`);
