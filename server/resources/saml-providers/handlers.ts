import type { Queries } from '../../database/database.ts';
import { type Membership, requireInOrganization, requireMember } from '../../identity/access.ts';
import { teamPresenter } from '../../models/teams/present.ts';
import { teamFinder } from '../../models/teams/queries.ts';
import { answerList } from '../kit/list.ts';
import type { HandlersOf, Services } from '../kit/slice.ts';
import { presentProvider, statusOf } from './present.ts';
import { createProvider, deleteProvider, type FoundProvider, providerFor, updateProvider } from './rules.ts';

/** Creates the handlers of SAML and SSO: the identity providers that members sign in with. */
export function samlHandlers(
  services: Services,
): HandlersOf<
  | 'listSamlProviders'
  | 'createSamlProvider'
  | 'getSamlProvider'
  | 'deleteSamlProvider'
  | 'updateSamlProvider'
  | 'getSsoLogins'
> {
  const { database, addresses } = services;
  const named = (path: { organizationId: string; samlProviderId: string }) => ({
    organization: path.organizationId,
    provider: path.samlProviderId,
  });

  /** Presents providers as a member sees them. The teams of a page are looked up together. */
  const presenter = (queries: Queries, access: Membership) => {
    const presentTeam = teamPresenter(queries, access);
    const teamOf = teamFinder(queries, access);
    return async (row: FoundProvider['row']) => {
      const team = row.defaultTeam === null ? undefined : await teamOf(row.defaultTeam);
      return presentProvider(row, team && (await presentTeam(team)), addresses);
    };
  };
  const present = async (queries: Queries, { row, access }: FoundProvider) =>
    await presenter(queries, access)(row);

  return {
    async listSamlProviders({ path, query }, { caller }) {
      await requireInOrganization(database.query, caller.id, path.organizationId, 'admin');
      const access = await requireMember(database.query, caller.id, path.organizationId);
      return await answerList(
        services,
        database.query
          .selectFrom('samlProviders')
          .selectAll()
          .where('organization', '=', path.organizationId),
        query,
        {
          list: 'listSamlProviders',
          filters: { organization: path.organizationId },
          order: [
            { column: 'createdAt', direction: 'asc' },
            { column: 'id', direction: 'asc' },
          ],
          present: presenter(database.query, access),
        },
      );
    },

    async createSamlProvider({ path, body }, context) {
      return await database.transaction(async (trx) => {
        const provider = await createProvider(trx, services, context, path.organizationId, body);
        const name = { organization: path.organizationId, provider };
        return await present(trx, await providerFor(trx, context.caller.id, name));
      });
    },

    async getSamlProvider({ path }, { caller }) {
      return await present(database.query, await providerFor(database.query, caller.id, named(path)));
    },

    async deleteSamlProvider({ path }, context) {
      await database.transaction((trx) => deleteProvider(trx, context, named(path)));
    },

    async updateSamlProvider({ path, body }, context) {
      return await database.transaction(async (trx) => {
        await updateProvider(trx, context, named(path), body);
        return await present(trx, await providerFor(trx, context.caller.id, named(path)));
      });
    },

    async getSsoLogins({ path }, { caller }) {
      await requireMember(database.query, caller.id, path.organizationId);
      const providers = await database.query
        .selectFrom('samlProviders')
        .selectAll()
        .where('organization', '=', path.organizationId)
        .orderBy('createdAt')
        .orderBy('id')
        .execute();
      return {
        items: providers
          .filter((provider) => statusOf(provider) === 'active')
          .map(({ id, label }) => ({ id, label, startURL: addresses.samlService(id).startURL })),
      };
    },
  };
}
