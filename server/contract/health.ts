import { setTimeout } from 'node:timers/promises';
import { Router } from 'express';
import { unavailable } from './errors.ts';

/** Maximum time of a readiness check: then the server is not ready. */
export const READY_TIMEOUT_MS = 5000;

/**
 * Creates the health checks: `GET /healthz` (the process is running) and `GET /readyz` (it can serve requests).
 *
 * @param ready rejects or resolves to false while the server cannot serve (starting, stopping, no database)
 * @param timeoutMs maximum time of `ready` in milliseconds; after it, the server is not ready
 */
export function createHealth(ready: () => Promise<boolean>, timeoutMs = READY_TIMEOUT_MS): Router {
  const router = Router();
  router.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' });
  });
  router.get('/readyz', async (_req, res) => {
    const isReady = await withTimeout(ready(), timeoutMs).catch(() => false);
    if (!isReady) {
      throw unavailable('The server is not ready. Try again shortly.');
    }
    res.json({ status: 'ready' });
  });
  return router;
}

/** Resolves to false if a check does not end in time. */
async function withTimeout(check: Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const controller = new AbortController();
  const expired = setTimeout(timeoutMs, false, { ref: false, signal: controller.signal });
  try {
    return await Promise.race([check, expired]);
  } finally {
    controller.abort();
  }
}
