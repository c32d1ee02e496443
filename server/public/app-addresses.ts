import { Router } from 'express';

/**
 * The addresses that records give as `urls.app`. There is no app to write in; they lead to the nearest page
 * that we serve.
 */
export function createAppAddresses(): Router {
  const router = Router();
  router.get('/app/*rest', (_req, res) => {
    res.redirect(302, '/docs');
  });
  return router;
}
