import { notFound } from '../../../errors/errors.ts';
import { findOrganizationByHostname } from '../../accounts/organizations/queries.ts';
import type { Slice } from '../../kit/slice.ts';

/** Handler of subdomains, which every authenticated user can read. */
export const subdomainHandlers = {
  async getSubdomain({ path }, { database, resourceUrls }) {
    const { subdomain } = path;
    const organization = await findOrganizationByHostname(database.query, subdomain);
    if (!organization) {
      throw notFound('subdomain');
    }
    return {
      object: 'subdomain',
      subdomain,
      target: { type: 'organization', organization },
      isActive: resourceUrls.sitesDomain !== undefined,
    };
  },
} satisfies Slice;
