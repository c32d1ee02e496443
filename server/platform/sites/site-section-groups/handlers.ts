import { answerSortedList } from '../../kit/list.ts';
import { withLocation } from '../../kit/location.ts';
import type { Context, Slice } from '../../kit/slice.ts';
import { groupsOf, orderKey } from '../../spaces/publications/structure.ts';
import {
  changedStructure,
  changeSite,
  readSiteStructure,
  type SitePath,
  siteNameOf,
} from '../structure/read.ts';
import {
  addSectionToGroup,
  createGroup,
  deleteGroup,
  type GroupName,
  moveGroup,
  removeSectionFromGroup,
  updateGroup,
} from './rules.ts';

/** Handlers of section groups, which show sections of a site under one heading. */
export const siteSectionGroupHandlers = {
  async listSiteSectionGroups({ path, query }, ctx) {
    const { structure, presenter } = await readSiteStructure(ctx, path);
    const page = answerSortedList(ctx, groupsOf(structure), query, {
      list: 'listSiteSectionGroups',
      filters: path,
      keyOf: ({ row }) => orderKey(row),
    });
    return { ...page, items: await Promise.all(page.items.map((group) => presenter.group(group))) };
  },

  async createSiteSectionGroup({ path, body }, ctx) {
    return await changeSite(ctx, path, async (trx) => {
      const created = await createGroup(trx, ctx, { ...siteNameOf(path), ...body });
      const group = await changedStructure(trx, ctx, created).groupById(created.row.id);
      return withLocation(group, locationOf(ctx, { ...siteNameOf(path), group: created.row.id }));
    });
  },

  async updateSiteSectionGroup({ path, body }, ctx) {
    return await changeSite(ctx, path, async (trx) => {
      const updated = await updateGroup(trx, ctx, { name: groupNameOf(path), ...body });
      return await changedStructure(trx, ctx, updated).groupById(path.siteSectionGroupId);
    });
  },

  async deleteSiteSectionGroup({ path }, ctx) {
    await changeSite(ctx, path, (trx) => deleteGroup(trx, ctx, groupNameOf(path)));
  },

  async addSiteSectionToGroup({ path, body }, ctx) {
    return await changeSite(ctx, path, async (trx) => {
      const changed = await addSectionToGroup(trx, ctx, { ...groupNameOf(path), ...body });
      const group = await changedStructure(trx, ctx, changed).groupById(path.siteSectionGroupId);
      return withLocation(group, locationOf(ctx, groupNameOf(path)));
    });
  },

  async removeSiteSectionFromGroup({ path }, ctx) {
    const section = path.siteSectionId;
    await changeSite(ctx, path, (trx) => removeSectionFromGroup(trx, ctx, { ...groupNameOf(path), section }));
  },

  async moveSiteSectionGroup({ path, body }, ctx) {
    return await changeSite(ctx, path, async (trx) => {
      const moved = await moveGroup(trx, ctx, { ...groupNameOf(path), ...body });
      return await changedStructure(trx, ctx, moved).groupById(path.siteSectionGroupId);
    });
  },
} satisfies Slice;

const groupNameOf = (path: SitePath & { siteSectionGroupId: string }): GroupName => ({
  ...siteNameOf(path),
  group: path.siteSectionGroupId,
});

const locationOf = ({ resourceUrls }: Context, { group, ...name }: GroupName): string =>
  resourceUrls.siteEntry(name, 'section-groups', group).location;
