import { notFound } from '../../errors.ts';
import type { Slice } from '../kit/slice.ts';

/** Handler of subdomains, which every authenticated user can read. */
export const subdomainHandlers = {
  async getSubdomain({ path }, { database, resourceUrls }) {
    const { subdomain } = path;
    const organization = await database.query
      .selectFrom('organizations')
      .select('id')
      .where('hostname', '=', subdomain)
      .executeTakeFirst();
    if (!organization) {
      throw notFound('subdomain');
    }
    return {
      object: 'subdomain',
      subdomain,
      target: { type: 'organization', organization: organization.id },
      isActive: resourceUrls.sitesDomain !== undefined,
    };
  },
} satisfies Slice;
