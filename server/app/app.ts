import cors from 'cors';
import express, { type Express, type RequestHandler } from 'express';
import { operations } from '../../generated/operations.ts';
import type { operations as Operations } from '../../generated/schema.d.ts';
import {
  addressKey,
  type ContractError,
  callerAddress,
  createContractRouter,
  createDocsPage,
  createErrorHandler,
  createHealth,
  createRequestLogger,
  type EndedRequest,
  notFoundHandler,
  RateLimit,
  type RateLimitOptions,
  unavailable,
  type Validation,
} from '../contract/index.ts';
import { lazily } from '../contract/lazily.ts';
import { DatabaseUnavailableError, isRetryable, LockError } from '../database/errors.ts';
import { InvalidCursorError } from '../database/lists/cursors.ts';
import { cursorInvalid, dataCorrupt, outcomeUnknown, processingLimitExceeded } from '../errors/errors.ts';
import type { TokenUse } from '../identity/token-use.ts';
import { ObjectStorageError } from '../outgoing/object-storage/errors.ts';
import { createContentHost } from '../platform/integrations/calls/content-host.ts';
import type { ViewRecorder } from '../platform/integrations/view-events/views.ts';
import type { ViolationRecorder } from '../platform/integrations/view-events/violations.ts';
import { readContract } from '../platform/kit/contract-document.ts';
import { locationOf } from '../platform/kit/location.ts';
import { createAppAddresses } from '../platform/kit/routes/app-addresses.ts';
import type { Context, Services } from '../platform/kit/slice.ts';
import { createRequestSlots } from '../platform/kit/slots.ts';
import { createSites } from '../platform/sites/reading/routes.ts';
import { TaskLimitError, ThreadsBusyError } from '../threads/threads.ts';
import { handlerCaller } from './handler-calls.ts';
import { handlers } from './handlers.ts';
import { lazyPublishedPages, lazyRoutes, routesOf } from './lazy-routes.ts';
import { namedFormats } from './named-formats.ts';
import type { AnyHandlers } from './replay-check.ts';
import { authorizer, contextCreator, type Principals, securityOf } from './request-context.ts';

/** Delay after which clients request a file again, in seconds. */
const OBJECT_STORAGE_RETRY_SECONDS = 60;

export interface AppOptions {
  services: Services;
  tokenUse: TokenUse;
  views: ViewRecorder;
  violations: ViolationRecorder;
  /** Requests per minute, and the counts of other processes; undefined for no limit. */
  rateLimit: RateLimitOptions | undefined;
  /** Addresses and CIDR ranges of proxies with a trusted `X-Forwarded-For`. */
  trustedProxies: readonly string[];
  validateResponses: boolean;
  /** Whether validators are compiled after startup instead of with the first request that uses them. */
  compileAhead: boolean;
  /** Compiled validations of the contract, which the applications of a process can share. */
  validations: Map<string, Validation>;
  /** Middleware that records traces of requests. */
  traceRequests?: RequestHandler | undefined;
  /** Called with each request that has ended. */
  onRequestEnd?: ((request: EndedRequest) => void) | undefined;
  /** Returns whether the server can serve requests. */
  ready: () => Promise<boolean>;
}

/** Creates the application. Middleware runs in the order of this function. */
export function createApp({
  services,
  tokenUse,
  views,
  violations,
  rateLimit,
  trustedProxies,
  validateResponses,
  compileAhead,
  validations,
  traceRequests,
  onRequestEnd,
  ready,
}: AppOptions): Express {
  const document = readContract();
  const app = express();
  app.disable('x-powered-by').disable('etag');
  app.enable('strict routing').enable('case sensitive routing');
  app.set('trust proxy', [...trustedProxies]);
  if (traceRequests) {
    app.use(traceRequests);
  }
  app.use(createRequestLogger(services.log, onRequestEnd));
  const limit = rateLimit && new RateLimit(rateLimit);
  const pdfs = lazily(async () => {
    const { PdfSender } = await import('../platform/content/printing/routes.ts');
    return new PdfSender(services);
  });
  app.use(createContentHost(services.resourceUrls));
  app.use(
    createSites(services.resourceUrls, async () => {
      const { createSiteServer } = await import('../platform/sites/reading/router.ts');
      const { isWithoutSession } = await import('../platform/sites/reading/credentials.ts');
      const options = { limit, translate, views, violations };
      const serve = createSiteServer({ ...services, pdfs: await pdfs() }, options);
      const { replicas } = services.database;
      return (request) =>
        replicas && isWithoutSession(request.req)
          ? replicas.reading({ id: callerAddress(request.req) }, () => serve(request))
          : serve(request);
    }),
  );
  app.use(cors({ origin: '*', exposedHeaders: EXPOSED_HEADERS, maxAge: 86_400 }));
  app.use(createHealth(ready));
  app.use(
    createContractRouter<Operations, typeof operations, Context, Principals>({
      document,
      operations,
      trustTable: true,
      handlers,
      formats: namedFormats,
      security: securityOf(services, tokenUse),
      context: contextCreator({
        ...services,
        publishedPages: lazyPublishedPages(services, pdfs),
        slots: createRequestSlots(),
      }),
      authorize: authorizer(document),
      // Tokens of visitors are not verified yet, and a site has any number of them.
      callerKey: (context) =>
        context.visitor ? `visitor ${addressKey(context.address)}` : context.caller.token.id,
      rateLimit: limit,
      perform: handlerCaller(
        document,
        operations,
        // Keyed by the operation IDs of the document. Each handler accepts the requests that the document describes.
        handlers as unknown as AnyHandlers,
        (error) => translate(error)?.status === 503,
      ),
      validateResponses,
      compileAhead,
      validations,
      headersOf: (_operationId, body, context) => {
        const location = locationOf(body) ?? context.location;
        return location === undefined ? {} : { Location: location };
      },
    }),
  );
  if (limit) {
    app.use(limit.byAddress());
  }
  const servers = [{ url: services.resourceUrls.at(''), description: 'Server that provides this document' }];
  app.use(createDocsPage({ ...document, servers }));
  for (const [folder, load] of Object.entries(routesOf(services, pdfs))) {
    app.use(lazyRoutes(folder, load));
  }
  app.use(createAppAddresses());
  app.use(notFoundHandler);
  app.use(createErrorHandler(services.log, { translate }));
  return app;
}

/** Response headers that scripts of other origins may read (CORS). */
const EXPOSED_HEADERS = [
  'Location',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
];

/** Converts errors of the folders below the error table to errors of the contract. */
function translate(error: unknown): ContractError | undefined {
  if (error instanceof InvalidCursorError) {
    return cursorInvalid();
  }
  if (error instanceof ThreadsBusyError) {
    return unavailable();
  }
  if (error instanceof ObjectStorageError) {
    return unavailable(
      'The file storage is not available. Try again in a minute.',
      OBJECT_STORAGE_RETRY_SECONDS,
    );
  }
  if (error instanceof TaskLimitError) {
    return processingLimitExceeded(error.message);
  }
  // Collided with others until it ran out of attempts: nothing was written.
  if (isRetryable(error) || error instanceof LockError) {
    return unavailable();
  }
  if (error instanceof DatabaseUnavailableError) {
    if (error.outcome === 'unknown') {
      // Without `Retry-After`, clients retry only idempotent requests.
      return outcomeUnknown(error.message);
    }
    return error.retryAfterSeconds === undefined
      ? dataCorrupt(error.message)
      : unavailable(error.message, error.retryAfterSeconds);
  }
  return undefined;
}
