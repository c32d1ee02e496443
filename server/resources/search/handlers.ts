import type { components } from '../../../generated/schema.d.ts';
import { listScope, openCursor, sealCursor } from '../../database/cursors.ts';
import type { Page } from '../../database/keyset.ts';
import { type SearchHit, searchSections } from '../../database/search.ts';
import { requireMember } from '../../identity/access.ts';
import type { Addresses } from '../../models/addresses.ts';
import { spaceFor } from '../../models/space/queries.ts';
import { spacesVisibleTo } from '../../models/space/visible.ts';
import type { ListQuery } from '../list.ts';
import type { Services, Slice } from '../slice.ts';

type Schemas = components['schemas'];

/** Full-text search in an organization and in one space; it sees what the caller sees. */
export function searchHandlers(services: Services): Slice<'searchOrganization' | 'searchSpace'> {
  const { database, addresses } = services;
  return {
    async searchOrganization({ path, query }, { caller }) {
      const access = await requireMember(database.query, caller.user.id, path.organizationId);
      const visible = await spacesVisibleTo(database.query, access)
        .select(['spaces.id', 'spaces.title'])
        .execute();
      const titles = new Map(visible.map(({ id, title }) => [id, title]));
      return await answerSearch(
        services,
        query,
        { organization: path.organizationId, spaces: [...titles.keys()], groupBy: 'space' },
        (hits, space) => ({
          id: space,
          title: titles.get(space) ?? '',
          pages: [...Map.groupBy(hits, ({ page }) => page)].map(([page, found]) =>
            presentPage(page, found, addresses),
          ),
        }),
      );
    },

    async searchSpace({ path, query }, { caller }) {
      const { row } = await spaceFor(database.query, caller.user.id, path.spaceId, 'view');
      return await answerSearch(
        services,
        query,
        { organization: row.organization, spaces: [row.id], groupBy: 'page' },
        (hits, page) => presentPage(page, hits, addresses),
      );
    },
  };
}

/**
 * One page of a ranked list. Unlike other lists it goes on by number: its order changes with the words of
 * every page (additions, order of lists).
 */
async function answerSearch<Item>(
  { database, secretKey }: Services,
  { query, limit, page }: ListQuery & { query: string },
  where: { organization: string; spaces: string[]; groupBy: 'page' | 'space' },
  present: (hits: SearchHit[], group: string) => Item,
): Promise<Page<Item>> {
  const { organization, groupBy, spaces } = where;
  const filters = { organization, space: groupBy === 'page' ? spaces[0] : undefined, query };
  const scope = { key: secretKey, scope: listScope('search', filters) };
  const offset = page === undefined ? 0 : Number(openCursor(page, scope));
  const { count, groups } = await searchSections(database.query, { ...where, query, offset, limit });
  const end = offset + limit;
  return {
    items: groups.flatMap((hits) => (hits[0] ? [present(hits, hits[0][groupBy])] : [])),
    ...(limit > 0 && end < count && { next: { page: sealCursor(end, scope) } }),
    count,
  };
}

function presentPage(id: string, hits: SearchHit[], addresses: Addresses): Schemas['SearchedPage'] {
  const [best] = hits;
  if (!best) throw new Error('A page is found by one of its sections.');
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
