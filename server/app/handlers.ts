import { accessTokenHandlers } from '../platform/accounts/access-tokens/handlers.ts';
import { auditEventHandlers } from '../platform/accounts/audit-events/handlers.ts';
import { memberHandlers } from '../platform/accounts/members/handlers.ts';
import { organizationFileHandlers } from '../platform/accounts/organization-files/handlers.ts';
import { organizationHandlers } from '../platform/accounts/organizations/handlers.ts';
import { samlHandlers } from '../platform/accounts/saml-providers/handlers.ts';
import { teamHandlers } from '../platform/accounts/teams/handlers.ts';
import { userHandlers } from '../platform/accounts/users/handlers.ts';
import { changeRequestHandlers } from '../platform/content/change-requests/handlers.ts';
import { commentHandlers } from '../platform/content/comments/handlers.ts';
import { editingHandlers } from '../platform/content/editing/handlers.ts';
import { gitHandlers } from '../platform/content/git/handlers.ts';
import { importRunHandlers } from '../platform/content/import-runs/handlers.ts';
import { importHandlers } from '../platform/content/imports/handlers.ts';
import { linkHandlers } from '../platform/content/links/handlers.ts';
import { openAPISpecHandlers } from '../platform/content/openapi-specs/handlers.ts';
import { contentHandlers } from '../platform/content/pages/handlers.ts';
import { pdfHandlers } from '../platform/content/pdfs/handlers.ts';
import { reviewHandlers } from '../platform/content/reviews/handlers.ts';
import { searchHandlers } from '../platform/content/search/handlers.ts';
import { spaceMapHandlers } from '../platform/content/space-maps/handlers.ts';
import { integrationEventHandlers } from '../platform/integrations/events/handlers.ts';
import { installationHandlers } from '../platform/integrations/installations/handlers.ts';
import { integrationHandlers } from '../platform/integrations/integrations/handlers.ts';
import { renderingHandlers } from '../platform/integrations/rendering/handlers.ts';
import type { AllHandlers } from '../platform/kit/slice.ts';
import { publishedReadingHandlers } from '../platform/sites/published-reading/handlers.ts';
import { publishedUrlHandlers } from '../platform/sites/published-urls/handlers.ts';
import { shareLinkHandlers } from '../platform/sites/share-links/handlers.ts';
import { siteAdaptiveSchemaHandlers } from '../platform/sites/site-adaptive-schemas/handlers.ts';
import { siteFeedbackHandlers } from '../platform/sites/site-feedback/handlers.ts';
import { sitePublishingHandlers } from '../platform/sites/site-publishing/handlers.ts';
import { siteRedirectHandlers } from '../platform/sites/site-redirects/handlers.ts';
import { siteSectionGroupHandlers } from '../platform/sites/site-section-groups/handlers.ts';
import { siteSectionHandlers } from '../platform/sites/site-sections/handlers.ts';
import { siteSpaceHandlers } from '../platform/sites/site-spaces/handlers.ts';
import { siteHandlers } from '../platform/sites/sites/handlers.ts';
import { subdomainHandlers } from '../platform/sites/subdomains/handlers.ts';
import { collectionHandlers } from '../platform/spaces/collections/handlers.ts';
import { grantHandlers } from '../platform/spaces/grants/handlers.ts';
import { invitationHandlers } from '../platform/spaces/invitations/handlers.ts';
import { spaceHandlers } from '../platform/spaces/spaces/handlers.ts';
import { translationHandlers } from '../platform/translations/translations/handlers.ts';

/** The handlers of every operation of the contract, from a slice per group of resources. */
export const handlers: AllHandlers = {
  ...accessTokenHandlers,
  ...auditEventHandlers,
  ...changeRequestHandlers,
  ...collectionHandlers,
  ...commentHandlers,
  ...contentHandlers,
  ...editingHandlers,
  ...gitHandlers,
  ...grantHandlers,
  ...importHandlers,
  ...importRunHandlers,
  ...installationHandlers,
  ...integrationEventHandlers,
  ...integrationHandlers,
  ...invitationHandlers,
  ...linkHandlers,
  ...memberHandlers,
  ...openAPISpecHandlers,
  ...organizationFileHandlers,
  ...organizationHandlers,
  ...pdfHandlers,
  ...publishedUrlHandlers,
  ...publishedReadingHandlers,
  ...renderingHandlers,
  ...reviewHandlers,
  ...samlHandlers,
  ...searchHandlers,
  ...shareLinkHandlers,
  ...siteFeedbackHandlers,
  ...siteAdaptiveSchemaHandlers,
  ...sitePublishingHandlers,
  ...siteRedirectHandlers,
  ...siteSectionGroupHandlers,
  ...siteSectionHandlers,
  ...siteSpaceHandlers,
  ...siteHandlers,
  ...spaceHandlers,
  ...spaceMapHandlers,
  ...subdomainHandlers,
  ...teamHandlers,
  ...translationHandlers,
  ...userHandlers,
};
