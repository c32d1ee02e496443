import { requireInOrganization } from '../../../identity/membership.ts';
import type { Slice } from '../../kit/slice.ts';
import { quotasOf } from './queries.ts';

/** Handlers of the quotas of an organization, for its admins. */
export const quotaHandlers = {
  async getOrganizationQuotas({ path }, { caller, database, quotas }) {
    await requireInOrganization(database.query, caller.id, path.organizationId, 'admin');
    return {
      object: 'organization-quotas',
      ...(await quotasOf(database.query, quotas, path.organizationId)),
    };
  },
} satisfies Slice;
