import { type Client, ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';

type Schemas = components['schemas'];

/** The main content of a space, or a change request. */
export interface BranchPath {
  spaceId: string;
  changeRequestId?: string;
}

/** Query of a list of links. */
export interface LinkQuery {
  status?: Schemas['LinkStatus'];
  limit?: number;
  page?: string;
}

/** Lists the links of content, or of one of its pages. */
export function listLinks(client: Client, branch: BranchPath, page?: string, query: LinkQuery = {}) {
  const { spaceId, changeRequestId } = branch;
  if (changeRequestId === undefined) {
    if (page === undefined) {
      return client.GET('/v1/spaces/{spaceId}/links', { params: { path: { spaceId }, query } });
    }
    return client.GET('/v1/spaces/{spaceId}/content/page/{pageId}/links', {
      params: { path: { spaceId, pageId: page }, query },
    });
  }
  const path = { spaceId, changeRequestId };
  if (page === undefined) {
    return client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/links', {
      params: { path, query },
    });
  }
  const { status: _, ...others } = query;
  return client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}/links', {
    params: { path: { ...path, pageId: page }, query: others },
  });
}

/** Returns the sources of links to a page or a file, by title. */
export async function listBacklinks(
  client: Client,
  { spaceId, changeRequestId }: BranchPath,
  to: { pageId: string } | { fileId: string },
): Promise<string[]> {
  const results =
    changeRequestId === undefined
      ? 'pageId' in to
        ? await ok(
            client.GET('/v1/spaces/{spaceId}/content/page/{pageId}/backlinks', {
              params: { path: { spaceId, ...to } },
            }),
          )
        : await ok(
            client.GET('/v1/spaces/{spaceId}/content/files/{fileId}/backlinks', {
              params: { path: { spaceId, ...to } },
            }),
          )
      : 'pageId' in to
        ? await ok(
            client.GET(
              '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}/backlinks',
              { params: { path: { spaceId, changeRequestId, ...to } } },
            ),
          )
        : await ok(
            client.GET(
              '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/files/{fileId}/backlinks',
              { params: { path: { spaceId, changeRequestId, ...to } } },
            ),
          );
  return results.items.map(describeLocation).sort();
}

/** Returns the title, name or URL of a location; `?` if there is none. */
export function describeLocation(location: Schemas['Location'] | undefined): string {
  switch (location?.kind) {
    case undefined:
      return '?';
    case 'page': {
      const at = location.internalLocation;
      return location.page.title + (at?.type === 'anchor' ? `#${at.anchor}` : '');
    }
    case 'file':
      return location.file.name;
    case 'reusable-content':
      return location.reusableContent.title;
    case 'space':
      return location.space.title;
    case 'url':
      return location.url;
    case 'openapi':
      return location.openAPISpec.slug;
    case 'user':
      return location.user.displayName;
    case 'collection':
      return location.collection.title;
  }
}

/** Formats links as one line each, sorted: status, target and sources. */
export const linkLines = ({ items }: Schemas['LinkList']): string[] =>
  items
    .map(
      ({ status, targetReference, locationReferences }) =>
        `${status} ${describeLocation(targetReference)} < ${locationReferences.map(describeLocation).sort().join(', ')}`,
    )
    .sort();
