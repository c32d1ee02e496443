import { answerSortedList } from '../../kit/list.ts';
import { withLocation } from '../../kit/location.ts';
import type { Slice } from '../../kit/slice.ts';
import { orderedSections } from '../../spaces/publications/structure.ts';
import {
  changedStructure,
  changeSite,
  readPublishedStructure,
  type SitePath,
  siteNameOf,
} from '../structure/read.ts';
import { createSection, deleteSection, moveSection, type SectionName, updateSection } from './rules.ts';

/** Handlers of the sections of sites. */
export const siteSectionHandlers = {
  async listSiteSections({ path, query }, ctx) {
    const { structure, presenter } = await readPublishedStructure(ctx, path, query.shareKey);
    const page = answerSortedList(ctx, orderedSections(structure), query, {
      list: 'listSiteSections',
      filters: path,
      keyOf: ({ key }) => key,
    });
    return { ...page, items: await Promise.all(page.items.map(({ entry }) => presenter.section(entry))) };
  },

  async createSiteSection({ path, body }, ctx) {
    return await changeSite(ctx, path, async (trx) => {
      const created = await createSection(trx, ctx, { ...siteNameOf(path), ...body });
      const section = await changedStructure(trx, ctx, created).sectionById(created.row.id);
      const { organization, site, id } = created.row;
      const { location } = ctx.resourceUrls.siteEntry({ organization, site }, 'sections', id);
      return withLocation(section, location);
    });
  },

  async updateSiteSection({ path, body }, ctx) {
    return await changeSite(ctx, path, async (trx) => {
      const updated = await updateSection(trx, ctx, { name: sectionNameOf(path), ...body });
      return await changedStructure(trx, ctx, updated).sectionById(path.siteSectionId);
    });
  },

  async deleteSiteSection({ path }, ctx) {
    await changeSite(ctx, path, (trx) => deleteSection(trx, ctx, sectionNameOf(path)));
  },

  async moveSiteSection({ path, body }, ctx) {
    return await changeSite(ctx, path, async (trx) => {
      const moved = await moveSection(trx, ctx, { ...sectionNameOf(path), ...body });
      return await changedStructure(trx, ctx, moved).sectionById(path.siteSectionId);
    });
  },
} satisfies Slice;

const sectionNameOf = (path: SitePath & { siteSectionId: string }): SectionName => ({
  ...siteNameOf(path),
  section: path.siteSectionId,
});
