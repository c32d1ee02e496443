import { requireInOrganization, requireMember } from '../../../identity/membership.ts';
import { answerList } from '../../kit/list.ts';
import type { Slice } from '../../kit/slice.ts';
import { providerPresenter } from './present.ts';
import { listActiveProviders, providersOf } from './queries.ts';
import { createProvider, deleteProvider, type ProviderName, providerFor, updateProvider } from './rules.ts';

/** Handlers of SAML and SSO: the identity providers that members sign in with. */
export const samlHandlers = {
  async listSamlProviders({ path, query }, ctx) {
    const { query: queries } = ctx.database;
    const access = await requireInOrganization(queries, ctx.caller.id, path.organizationId, 'admin');
    return await answerList(ctx, providersOf(queries, path.organizationId), query, {
      list: 'listSamlProviders',
      filters: { organization: path.organizationId },
      order: [
        { column: 'createdAt', direction: 'asc' },
        { column: 'id', direction: 'asc' },
      ],
      present: providerPresenter(queries, access, ctx.resourceUrls),
    });
  },

  async createSamlProvider({ path, body }, ctx) {
    const provider = { organization: path.organizationId, ...body };
    const { row, access } = await ctx.database.transaction((trx) => createProvider(trx, ctx, provider));
    return await providerPresenter(ctx.database.query, access, ctx.resourceUrls)(row);
  },

  async getSamlProvider({ path }, { caller, database, resourceUrls }) {
    const { row, access } = await providerFor(database.query, caller.id, providerNameOf(path));
    return await providerPresenter(database.query, access, resourceUrls)(row);
  },

  async deleteSamlProvider({ path }, ctx) {
    await ctx.database.transaction((trx) => deleteProvider(trx, ctx, providerNameOf(path)));
  },

  async updateSamlProvider({ path, body }, ctx) {
    const changes = { ...providerNameOf(path), ...body };
    const { row, access } = await ctx.database.transaction((trx) => updateProvider(trx, ctx, changes));
    return await providerPresenter(ctx.database.query, access, ctx.resourceUrls)(row);
  },

  async getSsoLogins({ path }, { caller, database, resourceUrls }) {
    await requireMember(database.query, caller.id, path.organizationId);
    const providers = await listActiveProviders(database.query, path.organizationId);
    return {
      items: providers.map(({ id, label }) => ({
        id,
        label,
        startURL: resourceUrls.samlService(id).startURL,
      })),
    };
  },
} satisfies Slice;

function providerNameOf(path: { organizationId: string; samlProviderId: string }): ProviderName {
  return { organization: path.organizationId, provider: path.samlProviderId };
}
