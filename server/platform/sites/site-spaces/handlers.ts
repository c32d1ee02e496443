import { answerSortedList } from '../../kit/list.ts';
import { withLocation } from '../../kit/location.ts';
import type { Slice } from '../../kit/slice.ts';
import { firstSiteSpaceOf, orderedSiteSpaces } from '../../spaces/publications/structure.ts';
import {
  changedStructure,
  changeSite,
  readPublishedStructure,
  type SitePath,
  siteNameOf,
} from '../structure/read.ts';
import {
  createSiteSpace,
  deleteSiteSpace,
  moveSiteSpace,
  type SiteSpaceName,
  updateSiteSpace,
} from './rules.ts';

/** Handlers of site spaces, the spaces as shown on a site. */
export const siteSpaceHandlers = {
  async listSiteSpaces({ path, query }, ctx) {
    const { structure, presenter } = await readPublishedStructure(ctx, path, query.shareKey);
    const first = firstSiteSpaceOf(structure)?.row.id;
    const siteSpaces = orderedSiteSpaces(structure).filter(
      ({ entry }) => query.default === undefined || query.default === (entry.row.id === first),
    );
    const page = answerSortedList(ctx, siteSpaces, query, {
      list: 'listSiteSpaces',
      filters: { ...path, default: query.default },
      keyOf: ({ key }) => key,
    });
    return { ...page, items: await presenter.siteSpaces(page.items.map(({ entry }) => entry)) };
  },

  async createSiteSpace({ path, body }, ctx) {
    return await changeSite(ctx, path, async (trx) => {
      const created = await createSiteSpace(trx, ctx, { ...siteNameOf(path), ...body });
      const siteSpace = await changedStructure(trx, ctx, created).siteSpaceById(created.row.id);
      const { organization, site, id } = created.row;
      const { location } = ctx.resourceUrls.siteEntry({ organization, site }, 'site-spaces', id);
      return withLocation(siteSpace, location);
    });
  },

  async updateSiteSpace({ path, body }, ctx) {
    return await changeSite(ctx, path, async (trx) => {
      const updated = await updateSiteSpace(trx, ctx, { ...siteSpaceNameOf(path), ...body });
      return await changedStructure(trx, ctx, updated).siteSpaceById(path.siteSpaceId);
    });
  },

  async deleteSiteSpace({ path }, ctx) {
    await changeSite(ctx, path, (trx) => deleteSiteSpace(trx, ctx, siteSpaceNameOf(path)));
  },

  async moveSiteSpace({ path, body }, ctx) {
    return await changeSite(ctx, path, async (trx) => {
      const moved = await moveSiteSpace(trx, ctx, { ...siteSpaceNameOf(path), ...body });
      return await changedStructure(trx, ctx, moved).siteSpaceById(path.siteSpaceId);
    });
  },
} satisfies Slice;

const siteSpaceNameOf = (path: SitePath & { siteSpaceId: string }): SiteSpaceName => ({
  ...siteNameOf(path),
  siteSpace: path.siteSpaceId,
});
