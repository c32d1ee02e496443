import { Router } from 'express';
import { unavailable } from './errors.ts';

/**
 * Creates the health checks: `GET /healthz` (the process is running) and `GET /readyz` (it can serve requests).
 *
 * @param ready rejects or resolves to false while the server cannot serve (starting, stopping, no database)
 */
export function createHealth(ready: () => Promise<boolean>): Router {
  const router = Router();
  router.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' });
  });
  router.get('/readyz', async (_req, res) => {
    const isReady = await ready().catch(() => false);
    if (!isReady) {
      throw unavailable('The server is not ready. Try again shortly.');
    }
    res.json({ status: 'ready' });
  });
  return router;
}
