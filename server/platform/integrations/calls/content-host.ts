import { type RequestHandler, Router } from 'express';
import { notFoundHandler } from '../../../contract/response/error-handler.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';
import { requestedHost } from '../../kit/routes/requested-host.ts';

/** The public endpoints of an integration and of its installations, and all addresses below them. */
export const ENDPOINT_PATHS = [
  '/integrations/:integration/endpoint{/*below}',
  '/integrations/:integration/installations/:installation/endpoint{/*below}',
  '/integrations/:integration/installations/:installation/:kind/:target/endpoint{/*below}',
];

/** Limits the host of the documents of integrations, if there is one, to their endpoints: other paths are not found. */
export function createContentHost({ integrationContentUrl }: ResourceUrls): RequestHandler {
  const host = integrationContentUrl === undefined ? undefined : new URL(integrationContentUrl).hostname;
  const endpointsOnly = Router();
  endpointsOnly.all(ENDPOINT_PATHS, (_req, _res, next) => next('router'));
  endpointsOnly.use(notFoundHandler);
  return (req, res, next) => {
    if (requestedHost(req) === host) {
      endpointsOnly(req, res, next);
    } else {
      next();
    }
  };
}
