import { type RequestHandler, Router } from 'express';
import { lazily } from '../contract/lazily.ts';
import type { PdfSender } from '../platform/content/printing/routes.ts';
import type { Services } from '../platform/kit/slice.ts';
import type { PublishedPages } from '../platform/sites/visitors/published-pages.ts';

/*
 * Routes next to the contract, and what they share with its handlers. Their modules are loaded with the first request
 * that uses them: a server starts without them, and does not keep them in memory.
 */

/**
 * Creates a handler of the paths in a folder whose modules are loaded with the first request for one of them. It passes
 * on all other requests.
 *
 * @param folder such as `/files`, which it also handles itself; in any case of letters, as routers of Express do
 */
export function lazyRoutes(folder: string, load: () => Promise<RequestHandler>): RequestHandler {
  const loaded = lazily(load);
  return async (req, res, next) => {
    // Undefined for targets that are no URLs.
    const path = String(req.path).toLowerCase();
    if (path === folder || path.startsWith(`${folder}/`)) {
      (await loaded())(req, res, next);
    } else {
      next();
    }
  };
}

/** Returns the routes next to the contract by the folder of their paths. */
export const routesOf = (
  services: Services,
  pdfs: () => Promise<PdfSender>,
): Readonly<Record<string, () => Promise<RequestHandler>>> => ({
  '/files': async () => {
    const { createFiles } = await import('../platform/content/files/routes.ts');
    return createFiles(services);
  },
  '/orgs': async () => {
    const { createOrganizationFiles } = await import('../platform/accounts/organization-files/routes.ts');
    return createOrganizationFiles(services);
  },
  '/openapi': async () => {
    const { createOpenAPISpecs } = await import('../platform/content/openapi-specs/routes.ts');
    return createOpenAPISpecs(services);
  },
  '/pdf': async () => {
    const { createPdfs } = await import('../platform/content/printing/routes.ts');
    return createPdfs(services, await pdfs());
  },
  '/integrations': async () => {
    const { createIntegrationAssets } = await import('../platform/integrations/integrations/routes.ts');
    const { createIntegrationEndpoints } = await import('../platform/integrations/calls/routes.ts');
    return Router().use(createIntegrationAssets(services)).use(createIntegrationEndpoints(services));
  },
  '/saml': async () => {
    const { createSamlService } = await import('../platform/accounts/saml/routes.ts');
    return createSamlService(services);
  },
});

/** Returns the published pages for the handlers of the contract. */
export function lazyPublishedPages(services: Services, pdfs: () => Promise<PdfSender>): PublishedPages {
  const loaded = lazily(async () => {
    const { createPublishedPages } = await import('../platform/sites/reading/published-pages.ts');
    return createPublishedPages({ ...services, pdfs: await pdfs() });
  });
  return {
    search: async (...parameters) => (await loaded()).search(...parameters),
    findRedirect: async (...parameters) => (await loaded()).findRedirect(...parameters),
  };
}
