import { operations } from '../../generated/operations.ts';
import type { AllHandlers } from '../platform/kit/slice.ts';
import { lazyHandlers } from './lazy-handlers.ts';

/** The handlers of every operation of the contract, from the modules of its tag. */
export const handlers: AllHandlers = lazyHandlers(operations, {
  Organizations: [
    () => import('../platform/accounts/organizations/handlers.ts'),
    () => import('../platform/accounts/audit-events/handlers.ts'),
    () => import('../platform/accounts/quotas/handlers.ts'),
    () => import('../platform/spaces/invitations/handlers.ts'),
    () => import('../platform/content/search/handlers.ts'),
    () => import('../platform/content/space-maps/handlers.ts'),
    () => import('../platform/sites/subdomains/handlers.ts'),
  ],
  Members: [
    () => import('../platform/accounts/users/handlers.ts'),
    () => import('../platform/accounts/members/handlers.ts'),
    () => import('../platform/accounts/access-tokens/handlers.ts'),
    () => import('../platform/spaces/spaces/handlers.ts'),
  ],
  Teams: [() => import('../platform/accounts/teams/handlers.ts')],
  'SAML and SSO': [() => import('../platform/accounts/saml-providers/handlers.ts')],
  Collections: [
    () => import('../platform/spaces/collections/handlers.ts'),
    () => import('../platform/spaces/grants/handlers.ts'),
  ],
  Spaces: [
    () => import('../platform/spaces/spaces/handlers.ts'),
    () => import('../platform/spaces/grants/handlers.ts'),
    () => import('../platform/content/links/handlers.ts'),
  ],
  'Space content': [
    () => import('../platform/content/pages/handlers.ts'),
    () => import('../platform/content/editing/handlers.ts'),
    () => import('../platform/content/links/handlers.ts'),
    () => import('../platform/content/search/handlers.ts'),
    () => import('../platform/content/import-runs/handlers.ts'),
    () => import('../platform/content/imports/handlers.ts'),
    () => import('../platform/content/pdfs/handlers.ts'),
  ],
  'Change requests': [
    () => import('../platform/content/change-requests/handlers.ts'),
    () => import('../platform/content/reviews/handlers.ts'),
    () => import('../platform/content/pdfs/handlers.ts'),
  ],
  'Change-request content': [
    () => import('../platform/content/pages/handlers.ts'),
    () => import('../platform/content/editing/handlers.ts'),
    () => import('../platform/content/links/handlers.ts'),
    () => import('../platform/content/imports/handlers.ts'),
  ],
  'Comments (space)': [() => import('../platform/content/comments/handlers.ts')],
  'Comments (change request)': [() => import('../platform/content/comments/handlers.ts')],
  Git: [() => import('../platform/content/git/handlers.ts')],
  'OpenAPI specs': [() => import('../platform/content/openapi-specs/handlers.ts')],
  Integrations: [
    () => import('../platform/integrations/integrations/handlers.ts'),
    () => import('../platform/integrations/installations/handlers.ts'),
    () => import('../platform/integrations/events/handlers.ts'),
    () => import('../platform/integrations/rendering/handlers.ts'),
  ],
  Translations: [() => import('../platform/translations/translations/handlers.ts')],
  Sites: [
    () => import('../platform/sites/sites/handlers.ts'),
    () => import('../platform/sites/site-publishing/handlers.ts'),
    () => import('../platform/sites/published-urls/handlers.ts'),
    () => import('../platform/sites/published-reading/handlers.ts'),
    () => import('../platform/sites/share-links/handlers.ts'),
    () => import('../platform/sites/site-redirects/handlers.ts'),
    () => import('../platform/sites/site-adaptive-schemas/handlers.ts'),
    () => import('../platform/sites/site-feedback/handlers.ts'),
    () => import('../platform/accounts/organization-files/handlers.ts'),
  ],
  'Site spaces': [() => import('../platform/sites/site-spaces/handlers.ts')],
  'Site sections': [() => import('../platform/sites/site-sections/handlers.ts')],
  'Site section groups': [() => import('../platform/sites/site-section-groups/handlers.ts')],
});
