import { accessTokenHandlers } from './access-tokens/handlers.ts';
import { auditEventHandlers } from './audit-events/handlers.ts';
import { changeRequestHandlers } from './change-requests/handlers.ts';
import { collectionHandlers } from './collections/handlers.ts';
import { commentHandlers } from './comments/handlers.ts';
import { reviewHandlers } from './comments/reviews/handlers.ts';
import { contentHandlers } from './content/handlers.ts';
import { editingHandlers } from './editing/handlers.ts';
import { gitHandlers } from './git/handlers.ts';
import { grantHandlers } from './grants/handlers.ts';
import { importHandlers } from './imports/handlers.ts';
import { importRunHandlers } from './imports/runs/handlers.ts';
import { installationHandlers } from './installations/handlers.ts';
import { integrationEventHandlers } from './integration-events/handlers.ts';
import { integrationHandlers } from './integrations/handlers.ts';
import { invitationHandlers } from './invitations/handlers.ts';
import type { AllHandlers } from './kit/slice.ts';
import { linkHandlers } from './links/handlers.ts';
import { memberHandlers } from './members/handlers.ts';
import { openAPISpecHandlers } from './openapi-specs/handlers.ts';
import { organizationFileHandlers } from './organization-files/handlers.ts';
import { organizationHandlers } from './organizations/handlers.ts';
import { pdfHandlers } from './pdfs/handlers.ts';
import { publishedReadingHandlers } from './published-reading/handlers.ts';
import { publishedUrlHandlers } from './published-urls/handlers.ts';
import { renderingHandlers } from './rendering/handlers.ts';
import { samlHandlers } from './saml-providers/handlers.ts';
import { searchHandlers } from './search/handlers.ts';
import { shareLinkHandlers } from './share-links/handlers.ts';
import { siteAdaptiveSchemaHandlers } from './site-adaptive-schemas/handlers.ts';
import { siteFeedbackHandlers } from './site-feedback/handlers.ts';
import { sitePublishingHandlers } from './site-publishing/handlers.ts';
import { siteRedirectHandlers } from './site-redirects/handlers.ts';
import { siteSectionGroupHandlers } from './site-section-groups/handlers.ts';
import { siteSectionHandlers } from './site-sections/handlers.ts';
import { siteSpaceHandlers } from './site-spaces/handlers.ts';
import { siteHandlers } from './sites/handlers.ts';
import { spaceMapHandlers } from './space-maps/handlers.ts';
import { spaceHandlers } from './spaces/handlers.ts';
import { subdomainHandlers } from './subdomains/handlers.ts';
import { teamHandlers } from './teams/handlers.ts';
import { translationHandlers } from './translations/handlers.ts';
import { userHandlers } from './users/handlers.ts';

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
