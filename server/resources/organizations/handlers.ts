import { readJson } from '../../database/json.ts';
import { containsText } from '../../database/text.ts';
import { createOrganization } from '../../identity/membership.ts';
import { presentOrganization } from '../../models/organizations/present.ts';
import { organizationFor, organizationsOf } from '../../models/organizations/queries.ts';
import { answerList } from '../kit/list.ts';
import type { HandlersOf, Services } from '../kit/slice.ts';
import { updateOrganization } from './rules.ts';

/** Creates the handlers of organizations, the tenants that own all other resources. */
export function organizationHandlers(
  services: Services,
): HandlersOf<
  | 'listOrganizations'
  | 'createOrganization'
  | 'getOrganization'
  | 'updateOrganization'
  | 'getEmailDomainOrganizations'
> {
  const { database, addresses, clock, makeId } = services;
  return {
    async listOrganizations({ query }, { caller }) {
      return await answerList(services, organizationsOf(database.query, caller.id), query, {
        list: 'listOrganizations',
        filters: { user: caller.id },
        order: [
          { column: 'organizations.createdAt', direction: 'asc' },
          { column: 'organizations.id', direction: 'asc' },
        ],
        present: ({ role, ...row }) => presentOrganization(row, role, addresses),
      });
    },

    async createOrganization({ body }, { caller, audit }) {
      return await database.transaction(async (trx) => {
        const id = await createOrganization(trx, { ...body, admin: caller.id, now: clock(), makeId });
        await audit(trx, {
          organization: id,
          action: 'organization.created',
          resource: { type: 'organization', id },
        });
        const { row, role } = await organizationFor(trx, caller.id, id, 'view');
        return presentOrganization(row, role, addresses);
      });
    },

    async getOrganization({ path }, { caller }) {
      const { row, role } = await organizationFor(database.query, caller.id, path.organizationId, 'view');
      return presentOrganization(row, role, addresses);
    },

    async updateOrganization({ path, body }, context) {
      return await database.transaction(async (trx) => {
        await updateOrganization(trx, context, path.organizationId, body);
        const { row, role } = await organizationFor(trx, context.caller.id, path.organizationId, 'view');
        return presentOrganization(row, role, addresses);
      });
    },

    async getEmailDomainOrganizations({ path }, { caller }) {
      const domain = path.emailDomain.toLowerCase();
      const own = await organizationsOf(database.query, caller.id)
        // Preselects by substring of the JSON text; whole domains are compared below.
        .where(containsText('organizations.emailDomains', domain))
        .orderBy('organizations.createdAt')
        .orderBy('organizations.id')
        .execute();
      return {
        organizations: own
          .filter(({ emailDomains }) =>
            readJson(emailDomains).some((emailDomain) => emailDomain.toLowerCase() === domain),
          )
          .map(({ role, ...row }) => presentOrganization(row, role, addresses)),
      };
    },
  };
}
