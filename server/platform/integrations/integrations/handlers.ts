import { answerList } from '../../kit/list.ts';
import { integrationLock } from '../../kit/locks.ts';
import type { Slice } from '../../kit/slice.ts';
import { presentIntegration } from './present.ts';
import { integrationsCount, integrationsMatching } from './queries/matching.ts';
import { publisherFor } from './queries/publisher.ts';
import { integrationBytes, integrationFor, ownerFinder } from './queries.ts';
import { preparePublication } from './rules/publication.ts';
import { publishIntegration, setTunnel, unpublishIntegration } from './rules.ts';

/** Handlers of integrations. Any user can read public ones. */
export const integrationHandlers = {
  async listIntegrations({ query }, ctx) {
    const { query: queries } = ctx.database;
    const { search, category, blockDomain, blocks, contentSources, owner, scope, target } = query;
    const filters = { search, category, blockDomain, blocks, contentSources, owner, scope, target };
    const rows = await integrationsMatching(queries, ctx.caller.id, filters);
    const findOwner = ownerFinder(queries, ctx.caller.id);
    return await answerList(ctx, rows, query, {
      list: 'listIntegrations',
      filters,
      order: [
        { column: 'integrations.createdAt', direction: 'asc' },
        { column: 'integrations.name', direction: 'asc' },
      ],
      bytes: integrationBytes,
      count: await integrationsCount(queries, ctx.caller.id, filters),
      present: async (row) => presentIntegration(row, await findOwner(row.organization), ctx.resourceUrls),
    });
  },

  async getIntegration({ path }, { caller, database, resourceUrls }) {
    const { row, owner } = await integrationFor(database.query, caller.id, path.integrationName, 'view');
    return presentIntegration(row, owner, resourceUrls);
  },

  async publishIntegration({ path, body }, ctx) {
    const name = path.integrationName;
    // Before the images are decoded.
    await publisherFor(ctx.database.query, ctx.caller.id, { name, organization: body.organization });
    const prepared = await preparePublication(body);
    return await ctx.database.transaction(
      async (trx) => {
        const { row, owner } = await publishIntegration(trx, ctx, { name, body, prepared });
        return presentIntegration(row, owner, ctx.resourceUrls);
      },
      { lock: integrationLock(name) },
    );
  },

  async unpublishIntegration({ path }, ctx) {
    const name = path.integrationName;
    await ctx.database.transaction((trx) => unpublishIntegration(trx, ctx, { name }), {
      lock: integrationLock(name),
    });
  },

  async startIntegrationDevelopment({ path, body }, ctx) {
    const tunnel = { name: path.integrationName, tunnel: body };
    await ctx.database.transaction((trx) => setTunnel(trx, ctx, tunnel));
  },

  async stopIntegrationDevelopment({ path }, ctx) {
    const tunnel = { name: path.integrationName, tunnel: undefined };
    await ctx.database.transaction((trx) => setTunnel(trx, ctx, tunnel));
  },
} satisfies Slice;
