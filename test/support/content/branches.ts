import { type Client, ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { flatten } from './imports.ts';

type Schemas = components['schemas'];
type Change = Schemas['ContentChanges']['changes'][number];

/** Starts a change request. */
export async function branch(client: Client, spaceId: string): Promise<Schemas['ChangeRequest']> {
  const params = { path: { spaceId } };
  return await ok(client.POST('/v1/spaces/{spaceId}/change-requests', { params, body: {} }));
}

const at = (spaceId: string, changeRequestId: string) => ({ params: { path: { spaceId, changeRequestId } } });

/** Edits the content of a change request. */
export async function edit(
  client: Client,
  spaceId: string,
  changeRequestId: string,
  ...changes: [Change, ...Change[]]
): Promise<Schemas['ChangeRequest']> {
  return await ok(
    client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', {
      ...at(spaceId, changeRequestId),
      body: { changes },
    }),
  );
}

/** Requests a merge. Returns the response. */
export const requestMerge = (client: Client, spaceId: string, changeRequestId: string) =>
  client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge', at(spaceId, changeRequestId));

/** Merges a change request. Throws unless the response is a success. */
export const merge = (client: Client, spaceId: string, changeRequestId: string) =>
  ok(requestMerge(client, spaceId, changeRequestId));

/** Changes the primary content of a space with a change request that is merged immediately. */
export async function editSpace(
  client: Client,
  spaceId: string,
  ...changes: [Change, ...Change[]]
): Promise<void> {
  const { id } = await branch(client, spaceId);
  await edit(client, spaceId, id, ...changes);
  const { result } = await merge(client, spaceId, id);
  if (result !== 'merge') {
    throw new Error(`The primary content was not changed: ${result}.`);
  }
}

export const readChangeRequest = (client: Client, spaceId: string, changeRequestId: string) =>
  ok(client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}', at(spaceId, changeRequestId)));

/** Change that adds a page. */
export const pageInsertion = (title: string, markdown = `${title}.\n`) =>
  ({ operation: 'insert_page', title, document: { markdown } }) as const;

/** Change that replaces the text of a page. */
export const textUpdate = (page: string, markdown: string) =>
  ({ operation: 'update_page', page, document: { markdown } }) as const;

/** Returns the pages of a change request, or of a space, by title. */
export async function pagesByTitle(
  client: Client,
  spaceId: string,
  changeRequestId?: string,
): Promise<Map<string, Schemas['Page']>> {
  const { pages } =
    changeRequestId === undefined
      ? await ok(client.GET('/v1/spaces/{spaceId}/content/pages', { params: { path: { spaceId } } }))
      : await ok(
          client.GET(
            '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/pages',
            at(spaceId, changeRequestId),
          ),
        );
  return new Map(flatten(pages).map((page) => [page.title, page]));
}

/** Returns the id of the page with a title. */
export async function pageTitled(
  client: Client,
  title: string,
  ...where: [spaceId: string, changeRequestId?: string]
): Promise<string> {
  const page = (await pagesByTitle(client, ...where)).get(title);
  if (!page) {
    throw new Error(`There is no page "${title}".`);
  }
  return page.id;
}

/** Returns the text of a page as markdown. */
export async function pageText(
  client: Client,
  pageId: string,
  spaceId: string,
  changeRequestId?: string,
): Promise<string> {
  const query = { format: 'markdown' as const };
  const page =
    changeRequestId === undefined
      ? await ok(
          client.GET('/v1/spaces/{spaceId}/content/page/{pageId}', {
            params: { path: { spaceId, pageId }, query },
          }),
        )
      : await ok(
          client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}', {
            params: { path: { spaceId, changeRequestId, pageId }, query },
          }),
        );
  return page.type === 'document' ? (page.markdown ?? '') : '';
}
