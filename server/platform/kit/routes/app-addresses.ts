import { Router } from 'express';

/**
 * Creates the routes of `urls.app`. There is no web app, so they redirect to the API documentation.
 */
export function createAppAddresses(): Router {
  const router = Router();
  router.get('/app/*rest', (_req, res) => {
    res.redirect(302, '/docs');
  });
  return router;
}
