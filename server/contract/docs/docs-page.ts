import { Router } from 'express';
import type { OpenApiDocument } from '../document.ts';
import { lazily } from '../lazily.ts';

/**
 * Creates the routes of the contract's documentation: `GET /openapi.json`, and `GET /docs`, pages for searching, reading
 * and trying the operations. Mount it where the router of the contract is mounted: requests of the pages go there.
 */
export function createDocsPage(document: OpenApiDocument): Router {
  // Most processes serve no documentation.
  const resources = lazily(async () => {
    const { createDocsResources } = await import('./docs-resources.ts');
    return createDocsResources(document);
  });
  const router = Router();
  router.use(async (req, res, next) => {
    // Not `req.path`: it is undefined for targets such as `/docs//#`, which the contract router rejects.
    const [path = ''] = req.url.split('?');
    if (!isDocsPath(path) || (req.method !== 'GET' && req.method !== 'HEAD')) {
      next();
    } else if (path === '/docs/') {
      res.redirect(301, '../docs');
    } else {
      const resource = (await resources())(path);
      await (resource === undefined ? next() : resource.send(req, res));
    }
  });
  return router;
}

const isDocsPath = (path: string): boolean =>
  path === '/openapi.json' || path === '/docs' || path.startsWith('/docs/');
