import { wordsOf } from '../../../content/search-excerpts.ts';
import { listScope, openCursor, sealCursor } from '../../../database/lists/cursors.ts';
import type { Page } from '../../../database/lists/keyset.ts';
import type { SearchHit, SearchRequest } from '../../../database/search/types.ts';
import { requireMember } from '../../../identity/membership.ts';
import { searchedSpaces } from '../../../identity/visible-spaces.ts';
import type { ListQuery } from '../../kit/list.ts';
import type { Services, Slice } from '../../kit/slice.ts';
import { spaceFor, spaceTitleFinder } from '../../spaces/spaces/queries.ts';
import { pageDescriber } from './present/page-descriptions.ts';
import { bestScoreOf, presentSearchResultPage } from './present.ts';

/** Handlers of full-text search in an organization or a space. Results are visible to the caller. */
export const searchHandlers = {
  async searchOrganization({ path, query }, ctx) {
    const { query: queries } = ctx.database;
    const access = await requireMember(queries, ctx.caller.id, path.organizationId);
    const titleOf = spaceTitleFinder(queries);
    const describe = pageDescriber(queries, path.organizationId);
    const words = wordsOf(query.query);
    return await answerSearch(
      ctx,
      query,
      {
        organization: path.organizationId,
        ...(await searchedSpaces(queries, access)),
        groupBy: 'space',
      },
      async (hits, space) => {
        const [title, pages] = await Promise.all([
          titleOf(space),
          Promise.all(
            [...Map.groupBy(hits, ({ page }) => page)].map(async ([page, pageHits]) =>
              presentSearchResultPage(
                { id: page, hits: pageHits, ...(await describe({ space, page })) },
                words,
                ctx.resourceUrls,
              ),
            ),
          ),
        ]);
        return { type: 'space' as const, id: space, title, score: bestScoreOf(pages), pages };
      },
    );
  },

  async searchSpace({ path, query }, ctx) {
    const { query: queries } = ctx.database;
    const { row } = await spaceFor(queries, ctx.caller.id, path.spaceId, 'view');
    const describe = pageDescriber(queries, row.organization);
    const words = wordsOf(query.query);
    return await answerSearch(
      ctx,
      query,
      {
        organization: row.organization,
        space: row.id,
        spaces: [row.id],
        languages: [row.language],
        groupBy: 'page',
      },
      async (hits, page) =>
        presentSearchResultPage(
          { id: page, hits, ...(await describe({ space: row.id, page })) },
          words,
          ctx.resourceUrls,
        ),
    );
  },
} satisfies Slice;

/**
 * Returns one page of a ranked list. Unlike in other lists, the cursor contains an offset, because any change of the
 * content can change the ranking.
 */
async function answerSearch<Item>(
  { searches, secretKey }: Services,
  { query, limit, page }: ListQuery & { query: string },
  where: Pick<SearchRequest, 'organization' | 'spaces' | 'visibleSpace' | 'languages' | 'groupBy'> & {
    space?: string;
  },
  present: (hits: SearchHit[], group: string) => Item | Promise<Item>,
): Promise<Page<Item>> {
  const { organization, groupBy, space } = where;
  const filters = { organization, space, query };
  const scope = { key: secretKey, scope: listScope('search', filters) };
  const offset = page === undefined ? 0 : Number(openCursor(page, scope));
  const { count, groups } = await searches.find({ ...where, query, offset, limit, searcher: 'member' });
  const end = offset + limit;
  return {
    items: await Promise.all(groups.flatMap((hits) => (hits[0] ? [present(hits, hits[0][groupBy])] : []))),
    ...(limit > 0 && end < count && { next: { page: sealCursor(end, scope) } }),
    count,
  };
}
