import { lazySlice } from './lazy-slice.ts';

/** The handlers of `platform/integrations`. */
export const integrationsHandlers = {
  ...lazySlice(
    async () => (await import('../../platform/integrations/installations/handlers.ts')).installationHandlers,
    [
      'listInstallations',
      'createInstallation',
      'getInstallation',
      'updateInstallation',
      'deleteInstallation',
      'createInstallationToken',
      'listSpaceInstallations',
      'listInstallationSpaces',
      'createSpaceInstallation',
      'getSpaceInstallation',
      'updateSpaceInstallation',
      'deleteSpaceInstallation',
      'listSiteInstallations',
      'listInstallationSites',
      'createSiteInstallation',
      'getSiteInstallation',
      'updateSiteInstallation',
      'deleteSiteInstallation',
    ],
  ),
  ...lazySlice(
    async () => (await import('../../platform/integrations/events/handlers.ts')).integrationEventHandlers,
    ['listIntegrationEvents', 'getIntegrationEvent'],
  ),
  ...lazySlice(
    async () => (await import('../../platform/integrations/integrations/handlers.ts')).integrationHandlers,
    [
      'listIntegrations',
      'getIntegration',
      'publishIntegration',
      'unpublishIntegration',
      'startIntegrationDevelopment',
      'stopIntegrationDevelopment',
    ],
  ),
  ...lazySlice(
    async () => (await import('../../platform/integrations/rendering/handlers.ts')).renderingHandlers,
    ['renderIntegration', 'renderIntegrationComponent'],
  ),
};
