import type { SiteRow } from '../../../server/platform/spaces/publications/rows.ts';

/** The row of a site without adaptive content. */
export const SITE: SiteRow = {
  id: 'site_1',
  organization: 'org_1',
  organizationHostname: null,
  type: 'basic',
  title: 'Docs',
  basename: null,
  proxyOrigin: null,
  visibility: 'public',
  published: 1,
  adaptiveContent: 0,
  adaptiveSchema: null,
  adaptiveSchemaUpdatedAt: null,
  agentsContext: 'included',
  customization: null,
  signingKey: '',
  fallbackURL: null,
  authIntegration: null,
  defaultSection: null,
  defaultSiteSpace: null,
  version: 1,
  spaceCount: 1,
  searchedText: '',
  createdAt: '2026-01-01T00:00:00.000Z',
  createdBy: null,
};
