import type { components } from '../../../generated/schema.d.ts';
import { listScope, openCursor, sealCursor } from '../../database/cursors.ts';
import type { Page } from '../../database/keyset.ts';
import { type SearchHit, type SearchRequest, searchSections } from '../../database/search.ts';
import { requireMember } from '../../identity/access.ts';
import type { Addresses } from '../../models/addresses.ts';
import { batched } from '../../models/batched.ts';
import { spaceFor } from '../../models/spaces/queries.ts';
import { visibleSpaceCondition } from '../../models/spaces/visible.ts';
import type { ListQuery } from '../kit/list.ts';
import type { HandlersOf, Services } from '../kit/slice.ts';

type Schemas = components['schemas'];

/** Creates the handlers of full-text search in an organization or a space. Results are visible to the caller. */
export function searchHandlers(services: Services): HandlersOf<'searchOrganization' | 'searchSpace'> {
  const { database, addresses } = services;
  return {
    async searchOrganization({ path, query }, { caller }) {
      const access = await requireMember(database.query, caller.id, path.organizationId);
      const titleOf = batched(async (ids: string[]) => {
        const titles = await database.query
          .selectFrom('spaces')
          .select(['id', 'title'])
          .where('id', 'in', ids)
          .execute();
        return (space: string) => titles.find(({ id }) => id === space)?.title ?? '';
      });
      return await answerSearch(
        services,
        query,
        {
          organization: path.organizationId,
          condition: await visibleSpaceCondition(database.query, access),
          groupBy: 'space',
        },
        async (hits, space) => ({
          id: space,
          title: await titleOf(space),
          pages: [...Map.groupBy(hits, ({ page }) => page)].map(([page, pageHits]) =>
            presentPage(page, pageHits, addresses),
          ),
        }),
      );
    },

    async searchSpace({ path, query }, { caller }) {
      const { row } = await spaceFor(database.query, caller.id, path.spaceId, 'view');
      return await answerSearch(
        services,
        query,
        { organization: row.organization, space: row.id, spaces: [row.id], groupBy: 'page' },
        (hits, page) => presentPage(page, hits, addresses),
      );
    },
  };
}

/**
 * Returns one page of a ranked list. Unlike in other lists, the cursor contains an offset, because any change of the
 * content can change the ranking.
 */
async function answerSearch<Item>(
  { database, secretKey }: Services,
  { query, limit, page }: ListQuery & { query: string },
  where: Pick<SearchRequest, 'organization' | 'spaces' | 'condition' | 'groupBy'> & { space?: string },
  present: (hits: SearchHit[], group: string) => Item | Promise<Item>,
): Promise<Page<Item>> {
  const { organization, groupBy, space } = where;
  const filters = { organization, space, query };
  const scope = { key: secretKey, scope: listScope('search', filters) };
  const offset = page === undefined ? 0 : Number(openCursor(page, scope));
  const { count, groups } = await searchSections(database.query, { ...where, query, offset, limit });
  const end = offset + limit;
  return {
    items: await Promise.all(groups.flatMap((hits) => (hits[0] ? [present(hits, hits[0][groupBy])] : []))),
    ...(limit > 0 && end < count && { next: { page: sealCursor(end, scope) } }),
    count,
  };
}

function presentPage(id: string, hits: SearchHit[], addresses: Addresses): Schemas['SearchedPage'] {
  const [best] = hits;
  if (!best) {
    throw new Error('A page is found by one of its sections.');
  }
  const urls = addresses.page(best.space, id);
  return {
    id,
    title: best.pageTitle,
    path: best.pagePath,
    sections: hits.map(({ section, title, anchor, body }) => ({
      id: section,
      title,
      path: `${best.pagePath}${anchor}`,
      body,
      urls: { app: `${urls.app}${encodeURI(anchor)}` },
    })),
    urls,
  };
}
