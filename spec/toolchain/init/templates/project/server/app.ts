import {
  createContractRouter,
  createDocsPage,
  createErrorHandler,
  createHealth,
  createRequestLogger,
  notFoundHandler,
  type RuntimeLogger,
} from '@colophon/toolkit/server';
import express, { type Express } from 'express';
import { BASE_PATH, type Context, document, type Operations, table } from './contract.ts';
import { errorFormat } from './error-format.ts';
import { handlers } from './handlers.ts';
import { type Principals, security } from './security.ts';
import type { Services } from './services.ts';

export interface AppOptions {
  log: RuntimeLogger;
  services: Services;
  /** Whether responses are compared with the contract: in development and tests. */
  validateResponses: boolean;
}

/** Creates the application. Middleware runs in the order of this function. */
export function createApp({ log, services, validateResponses }: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag');
  app.use(createRequestLogger(log));
  app.use(
    BASE_PATH || '/',
    createContractRouter<Operations, typeof table, Context, Principals>({
      document,
      operations: table,
      handlers,
      security,
      context: (request) => ({ ...request, ...services }),
      validateResponses,
    }),
    // GET /docs and GET /openapi.json
    createDocsPage(document),
  );
  // GET /healthz and GET /readyz
  app.use(createHealth(async () => true));
  app.use(notFoundHandler);
  app.use(createErrorHandler(log, { format: errorFormat }));
  return app;
}
