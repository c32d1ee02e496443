import { answerList, type ListCount, type ListQuery } from '../../kit/list.ts';
import { creationLock, installationLock } from '../../kit/locks.ts';
import type { Context, Slice } from '../../kit/slice.ts';
import { integrationFor } from '../integrations/queries.ts';
import { installationPresenter, presentContentInstallation } from './present.ts';
import {
  contentInstallationsCount,
  countIn,
  visibleContentInstallations,
  visibleInstallations,
} from './queries/lists.ts';
import { spaceExpander } from './queries/targets.ts';
import {
  type ContentInstallationName,
  configurableFinder,
  contentInstallationBytes,
  contentInstallationFor,
  type InstallationName,
  installationBytes,
  installationFor,
} from './queries.ts';
import {
  type ContentInstallationWithAccess,
  createContentInstallation,
  deleteContentInstallation,
  updateContentInstallation,
} from './rules/content.ts';
import {
  createInstallation,
  createInstallationToken,
  deleteInstallation,
  updateInstallation,
} from './rules.ts';

/** Handlers of the installations of integrations, on organizations, spaces and sites. */
export const installationHandlers = {
  async listInstallations({ path, query }, ctx) {
    const { query: queries } = ctx.database;
    const { id: caller } = ctx.caller;
    const integration = path.integrationName;
    const { externalId } = query;
    await integrationFor(queries, caller, integration, 'view');
    const isConfigurable = configurableFinder(queries, caller);
    const present = installationPresenter(queries, ctx);
    const rows = visibleInstallations(queries, caller, { integration, externalId });
    return await answerList(ctx, rows, query, {
      list: 'listInstallations',
      filters: { integration, externalId },
      order: [
        { column: 'installations.createdAt', direction: 'asc' },
        { column: 'installations.id', direction: 'asc' },
      ],
      bytes: installationBytes,
      present: async (row) =>
        await present({ row, canConfigure: await isConfigurable({ ...row, installation: row.id }) }),
    });
  },

  async createInstallation({ path, body }, ctx) {
    const installation = { integration: path.integrationName, organization: body.organization };
    const created = await ctx.database.transaction((trx) => createInstallation(trx, ctx, installation), {
      lock: creationLock(body.organization),
    });
    return await installationPresenter(ctx.database.query, ctx)(created);
  },

  async getInstallation({ path }, ctx) {
    const { query: queries } = ctx.database;
    const installation = await installationFor(queries, ctx.caller.id, installationNameOf(path), 'view');
    return await installationPresenter(queries, ctx)(installation);
  },

  async updateInstallation({ path, body }, ctx) {
    const updated = await ctx.database.transaction((trx) =>
      updateInstallation(trx, ctx, { ...installationNameOf(path), body }),
    );
    return await installationPresenter(ctx.database.query, ctx)(updated);
  },

  async deleteInstallation({ path }, ctx) {
    await ctx.database.transaction((trx) => deleteInstallation(trx, ctx, installationNameOf(path)));
  },

  async createInstallationToken({ path }, ctx) {
    return await ctx.database.transaction((trx) =>
      createInstallationToken(trx, ctx, installationNameOf(path)),
    );
  },

  async listSpaceInstallations({ path, query }, ctx) {
    const integration = path.integrationName;
    await integrationFor(ctx.database.query, ctx.caller.id, integration, 'view');
    const count = await contentInstallationsCount(ctx.database.query, ctx.caller.id);
    return await answerSpaces(ctx, query, { list: 'listSpaceInstallations', integration, count });
  },

  async listInstallationSpaces({ path, query }, ctx) {
    const name = installationNameOf(path);
    const { row } = await installationFor(ctx.database.query, ctx.caller.id, name, 'view');
    const count = countIn([row.organization]);
    return await answerSpaces(ctx, query, { list: 'listInstallationSpaces', ...name, count });
  },

  async createSpaceInstallation({ path, body }, ctx) {
    const name = { ...installationNameOf(path), kind: 'space', target: body.space } as const;
    return presentSpaceItem(ctx, await createContent(ctx, name));
  },

  async getSpaceInstallation({ path }, ctx) {
    const name = spaceNameOf(path);
    return presentSpaceItem(
      ctx,
      await contentInstallationFor(ctx.database.query, ctx.caller.id, name, 'view'),
    );
  },

  async updateSpaceInstallation({ path, body }, ctx) {
    const updated = await ctx.database.transaction((trx) =>
      updateContentInstallation(trx, ctx, { ...spaceNameOf(path), body }),
    );
    return presentSpaceItem(ctx, updated);
  },

  async deleteSpaceInstallation({ path }, ctx) {
    await ctx.database.transaction((trx) => deleteContentInstallation(trx, ctx, spaceNameOf(path)));
  },

  async listSiteInstallations({ path, query }, ctx) {
    const integration = path.integrationName;
    await integrationFor(ctx.database.query, ctx.caller.id, integration, 'view');
    const count = await contentInstallationsCount(ctx.database.query, ctx.caller.id);
    return await answerSites(ctx, query, { list: 'listSiteInstallations', integration, count });
  },

  async listInstallationSites({ path, query }, ctx) {
    const name = installationNameOf(path);
    const { row } = await installationFor(ctx.database.query, ctx.caller.id, name, 'view');
    const count = countIn([row.organization]);
    return await answerSites(ctx, query, { list: 'listInstallationSites', ...name, count });
  },

  async createSiteInstallation({ path, body }, ctx) {
    const name = { ...installationNameOf(path), kind: 'site', target: body.site } as const;
    return presentSiteItem(ctx, await createContent(ctx, name));
  },

  async getSiteInstallation({ path }, ctx) {
    const name = siteNameOf(path);
    return presentSiteItem(
      ctx,
      await contentInstallationFor(ctx.database.query, ctx.caller.id, name, 'view'),
    );
  },

  async updateSiteInstallation({ path, body }, ctx) {
    const updated = await ctx.database.transaction((trx) =>
      updateContentInstallation(trx, ctx, { ...siteNameOf(path), body }),
    );
    return presentSiteItem(ctx, updated);
  },

  async deleteSiteInstallation({ path }, ctx) {
    await ctx.database.transaction((trx) => deleteContentInstallation(trx, ctx, siteNameOf(path)));
  },
} satisfies Slice;

const createContent = (ctx: Context, name: ContentInstallationName) =>
  ctx.database.transaction((trx) => createContentInstallation(trx, ctx, name), {
    lock: installationLock(name.installation),
  });

const presentSpaceItem = (ctx: Context, { row, canConfigure }: ContentInstallationWithAccess) => ({
  ...presentContentInstallation(row, canConfigure, ctx),
  space: row.target,
});

const presentSiteItem = (ctx: Context, { row, canConfigure }: ContentInstallationWithAccess) => ({
  ...presentContentInstallation(row, canConfigure, ctx),
  site: row.target,
});

/** The list of an integration, or of one of its installations. */
interface ContentList {
  list: string;
  integration: string;
  installation?: string;
  count: ListCount | undefined;
}

type ContentListQuery = ListQuery & { externalId?: string; extended?: boolean };

async function answerSpaces(ctx: Context, query: ContentListQuery, list: ContentList) {
  const expand = spaceExpander(ctx.database.query, ctx.caller.id, ctx.resourceUrls);
  return await answerContent(ctx, query, { ...list, kind: 'space' }, async (item) => ({
    ...presentContentInstallation(item.row, item.canConfigure, ctx),
    space: (query.extended && (await expand(item.row))) || item.row.target,
  }));
}

async function answerSites(ctx: Context, query: ContentListQuery, list: ContentList) {
  const expand = ctx.hooks.siteExpander(ctx.database.query, ctx.caller.id, ctx.resourceUrls);
  return await answerContent(ctx, query, { ...list, kind: 'site' }, async (item) => ({
    ...presentContentInstallation(item.row, item.canConfigure, ctx),
    site: (query.extended && (await expand(item.row))) || item.row.target,
  }));
}

async function answerContent<Item>(
  ctx: Context,
  query: ContentListQuery,
  { list, kind, integration, installation, count }: ContentList & { kind: 'space' | 'site' },
  present: (item: ContentInstallationWithAccess) => Promise<Item>,
) {
  const { query: queries } = ctx.database;
  const { id: caller } = ctx.caller;
  const { externalId } = query;
  const isConfigurable = configurableFinder(queries, caller);
  const rows = visibleContentInstallations(queries, caller, { kind, integration, installation, externalId });
  return await answerList(ctx, rows, query, {
    list,
    filters: { integration, installation, externalId },
    order: [
      { column: 'contentInstallations.createdAt', direction: 'asc' },
      { column: 'contentInstallations.target', direction: 'asc' },
    ],
    bytes: contentInstallationBytes,
    count,
    present: async (row) => await present({ row, canConfigure: await isConfigurable(row) }),
  });
}

function installationNameOf(path: { integrationName: string; installationId: string }): InstallationName {
  return { integration: path.integrationName, installation: path.installationId };
}

function spaceNameOf(
  path: Parameters<typeof installationNameOf>[0] & { installedSpaceId: string },
): ContentInstallationName {
  return { ...installationNameOf(path), kind: 'space', target: path.installedSpaceId };
}

function siteNameOf(
  path: Parameters<typeof installationNameOf>[0] & { installedSiteId: string },
): ContentInstallationName {
  return { ...installationNameOf(path), kind: 'site', target: path.installedSiteId };
}
