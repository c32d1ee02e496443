import { Router } from 'express';
import { ContractError } from './errors.ts';

/**
 * `GET /healthz`: the process answers. `GET /readyz`: it can serve.
 *
 * @param ready rejects, or answers false, while the server cannot serve (starting, ending, no database)
 */
export function createHealth(ready: () => Promise<boolean>): Router {
  const router = Router();
  router.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' });
  });
  router.get('/readyz', async (_req, res) => {
    const able = await ready().catch(() => false);
    if (!able) throw new ContractError(503, 'The server is not ready; try again shortly.');
    res.json({ status: 'ready' });
  });
  return router;
}
