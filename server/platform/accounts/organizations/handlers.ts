import { answerList } from '../../kit/list.ts';
import type { Slice } from '../../kit/slice.ts';
import { presentOrganization } from './present.ts';
import { listOrganizationsOfDomain, organizationFor, organizationsOf } from './queries.ts';
import { createOrganization, updateOrganization } from './rules.ts';

/** Handlers of organizations, the tenants that own all other resources. */
export const organizationHandlers = {
  async listOrganizations({ query }, ctx) {
    const { caller, database, resourceUrls } = ctx;
    return await answerList(ctx, organizationsOf(database.query, caller.id), query, {
      list: 'listOrganizations',
      filters: { user: caller.id },
      order: [
        { column: 'organizations.createdAt', direction: 'asc' },
        { column: 'organizations.id', direction: 'asc' },
      ],
      present: ({ role, ...row }) => presentOrganization(row, role, resourceUrls),
    });
  },

  async createOrganization({ body }, ctx) {
    const { row, role } = await ctx.database.transaction((trx) => createOrganization(trx, ctx, body));
    return presentOrganization(row, role, ctx.resourceUrls);
  },

  async getOrganization({ path }, { caller, database, resourceUrls }) {
    const { row, role } = await organizationFor(database.query, caller.id, path.organizationId, 'view');
    return presentOrganization(row, role, resourceUrls);
  },

  async updateOrganization({ path, body }, ctx) {
    const changes = { organization: path.organizationId, ...body };
    const { row, role } = await ctx.database.transaction((trx) => updateOrganization(trx, ctx, changes));
    return presentOrganization(row, role, ctx.resourceUrls);
  },

  async getEmailDomainOrganizations({ path }, { caller, database, resourceUrls }) {
    const organizations = await listOrganizationsOfDomain(database.query, caller.id, path.emailDomain);
    return {
      organizations: organizations.map(({ role, ...row }) => presentOrganization(row, role, resourceUrls)),
    };
  },
} satisfies Slice;
