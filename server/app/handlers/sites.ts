import { lazySlice } from './lazy-slice.ts';

/** The handlers of `platform/sites`. */
export const sitesHandlers = {
  ...lazySlice(
    async () => (await import('../../platform/sites/published-urls/handlers.ts')).publishedUrlHandlers,
    ['resolvePublishedUrl'],
  ),
  ...lazySlice(
    async () => (await import('../../platform/sites/published-reading/handlers.ts')).publishedReadingHandlers,
    ['searchSite', 'getSiteRedirectBySource', 'recordSiteEvents', 'askSite'],
  ),
  ...lazySlice(
    async () => (await import('../../platform/sites/share-links/handlers.ts')).shareLinkHandlers,
    ['listShareLinks', 'createShareLink', 'updateShareLink', 'deleteShareLink'],
  ),
  ...lazySlice(
    async () => (await import('../../platform/sites/site-feedback/handlers.ts')).siteFeedbackHandlers,
    ['listSiteFeedback'],
  ),
  ...lazySlice(
    async () =>
      (await import('../../platform/sites/site-adaptive-schemas/handlers.ts')).siteAdaptiveSchemaHandlers,
    ['getSiteAdaptiveSchema', 'replaceSiteAdaptiveSchema', 'getSiteAdaptiveConditionTemplates'],
  ),
  ...lazySlice(
    async () => (await import('../../platform/sites/site-publishing/handlers.ts')).sitePublishingHandlers,
    ['getSitePublishingAuth', 'updateSitePublishingAuth', 'regenerateSitePublishingAuth'],
  ),
  ...lazySlice(
    async () => (await import('../../platform/sites/site-redirects/handlers.ts')).siteRedirectHandlers,
    [
      'listSiteRedirects',
      'createSiteRedirect',
      'getSiteRedirect',
      'updateSiteRedirect',
      'deleteSiteRedirect',
    ],
  ),
  ...lazySlice(
    async () =>
      (await import('../../platform/sites/site-section-groups/handlers.ts')).siteSectionGroupHandlers,
    [
      'listSiteSectionGroups',
      'createSiteSectionGroup',
      'updateSiteSectionGroup',
      'deleteSiteSectionGroup',
      'addSiteSectionToGroup',
      'removeSiteSectionFromGroup',
      'moveSiteSectionGroup',
    ],
  ),
  ...lazySlice(
    async () => (await import('../../platform/sites/site-sections/handlers.ts')).siteSectionHandlers,
    ['listSiteSections', 'createSiteSection', 'updateSiteSection', 'deleteSiteSection', 'moveSiteSection'],
  ),
  ...lazySlice(
    async () => (await import('../../platform/sites/site-spaces/handlers.ts')).siteSpaceHandlers,
    ['listSiteSpaces', 'createSiteSpace', 'updateSiteSpace', 'deleteSiteSpace', 'moveSiteSpace'],
  ),
  ...lazySlice(
    async () => (await import('../../platform/sites/sites/handlers.ts')).siteHandlers,
    [
      'listSites',
      'createSite',
      'getSite',
      'updateSite',
      'deleteSite',
      'publishSite',
      'unpublishSite',
      'getSiteStructure',
      'sortSiteStructure',
      'getPublishedSite',
      'getSiteCustomization',
      'replaceSiteCustomization',
    ],
  ),
  ...lazySlice(
    async () => (await import('../../platform/sites/subdomains/handlers.ts')).subdomainHandlers,
    ['getSubdomain'],
  ),
};
