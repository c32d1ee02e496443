import { type Request, type Response, Router } from 'express';
import { closeWhenStalled } from '../../../contract/response/stall.ts';
import type { Log } from '../../../database/log.ts';
import { integrationFailed, unavailable } from '../../../errors/errors.ts';
import { countResponse } from '../../kit/routes/body-memory.ts';
import { receiveBody } from '../../kit/routes/receive-body.ts';
import { type CallServices, callIntegration } from './call-integration.ts';
import { IntegrationCallError, type IntegrationResponse } from './calls.ts';
import { ENDPOINT_PATHS } from './content-host.ts';
import { cookiesForIntegration, integrationCookies } from './cookies.ts';
import { type EndpointName, findEndpoint } from './endpoint.ts';

/** Maximum size of the body of a request to the public endpoint of an integration. */
export const MAX_ENDPOINT_BODY_BYTES = 1_048_576;
/** Time limit for an integration to respond to a request to its public endpoint. */
export const ENDPOINT_DEADLINE_MS = 10_000;

/**
 * Headers of requests that integrations do not receive: those of the transfer, and cookies, except for those of the
 * integration that authenticates the visitors of a site.
 */
const WITHHELD_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Headers of responses that callers receive. Headers that affect other addresses are not among them, and cookies only
 * for the endpoint of the integration that authenticates the visitors of a site.
 */
const FORWARDED_HEADERS: readonly string[] = [
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'cache-control',
  'content-disposition',
  'content-language',
  'content-type',
  'etag',
  'last-modified',
  'location',
  'retry-after',
  'vary',
  'www-authenticate',
];

/** Documents have an origin of their own, so that they can neither read nor change those of this service. */
const ISOLATION = 'sandbox allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox';

/**
 * Serves the public endpoints of integrations: each request is a `fetch` event that the script responds to. Requests
 * need no access token; a script that accepts only some callers verifies them itself.
 */
export function createIntegrationEndpoints(services: CallServices & { log: Log }): Router {
  const router = Router();
  router.all(ENDPOINT_PATHS, async (req, res, next) => {
    const name = endpointOf(req.params);
    if (!name) {
      next();
      return;
    }
    const { visitorAuthentication } = await findEndpoint(services.database.query, name);
    const body = await receiveBody(req, res, {
      maxBytes: MAX_ENDPOINT_BODY_BYTES,
      subject: 'The body of the request to the integration',
    });
    const cookie = visitorAuthentication ? cookiesForIntegration(req.headers.cookie) : undefined;
    const response = await sendRequest(services, name, { req, res, body, cookie });
    if (res.closed) {
      return;
    }
    countResponse(req, res, response.body.length);
    closeWhenStalled(res);
    for (const header of FORWARDED_HEADERS) {
      const value = response.headers.get(header);
      if (value !== null) {
        res.set(header, value);
      }
    }
    if (visitorAuthentication) {
      const { publicEndpoint } = services.resourceUrls.contentInstallation(visitorAuthentication);
      const scope = { endpoint: publicEndpoint, now: services.clock() };
      res.append('Set-Cookie', integrationCookies(response.headers, scope));
    }
    // The policy of the integration is for its scripts and blocks on sites, which must not limit its own documents.
    res.set({
      'Content-Security-Policy': ISOLATION,
      'X-Content-Type-Options': 'nosniff',
    });
    res.status(response.status).end(response.body);
  });
  return router;
}

/** Returns the endpoint that a path names; undefined if it names none. */
function endpointOf(params: Readonly<Record<string, string | string[]>>): EndpointName | undefined {
  // Only the rest of a path consists of several segments.
  const { integration, installation, kind, target } = params;
  if (typeof integration !== 'string') {
    return undefined;
  }
  if (typeof installation !== 'string') {
    return { integration };
  }
  if (typeof target !== 'string') {
    return { integration, installation };
  }
  const contentKind = kind === 'spaces' ? 'space' : kind === 'sites' ? 'site' : undefined;
  return contentKind && { integration, installation, content: { kind: contentKind, target } };
}

/** Sends a request to the integration as an event. */
async function sendRequest(
  services: CallServices & { log: Log },
  { integration, installation, content }: EndpointName,
  { req, res, body, cookie }: { req: Request; res: Response; body: Buffer; cookie: string | undefined },
): Promise<IntegrationResponse> {
  const closed = new AbortController();
  const abort = () => closed.abort();
  res.once('close', abort);
  const [space, site] = [idOf(content, 'space'), idOf(content, 'site')];
  try {
    const response = await callIntegration(services, {
      integration,
      installation,
      space,
      site,
      event: {
        type: 'fetch',
        eventId: services.createId('evt'),
        request: {
          method: req.method,
          url: services.resourceUrls.at(targetOf(req)),
          headers: {
            ...Object.fromEntries(
              Object.entries(req.headers).flatMap(([header, value]) =>
                value === undefined || WITHHELD_HEADERS.has(header) ? [] : [[header, String(value)]],
              ),
            ),
            ...(cookie !== undefined && { cookie }),
          },
        },
        ...(installation !== undefined && { installationId: installation }),
        ...(space !== undefined && { spaceId: space }),
        ...(site !== undefined && { siteId: site }),
      },
      fetchBody: body.length > 0 ? body : undefined,
      deadlineMs: ENDPOINT_DEADLINE_MS,
      signal: closed.signal,
    });
    if (response.status < 200) {
      throw new IntegrationCallError('crashed', `It returned the status ${response.status}.`);
    }
    return response;
  } catch (error) {
    if (!(error instanceof IntegrationCallError)) {
      throw error;
    }
    services.log.warn(
      { err: error, integration, installation },
      'an integration did not respond to a request',
    );
    throw error.reason === 'busy'
      ? unavailable('The integration is busy. Try again later.')
      : integrationFailed(integration, 'it did not respond to the request.');
  } finally {
    res.off('close', abort);
  }
}

/** Returns the path and the query of a request. Its target may name another host. */
function targetOf({ originalUrl }: Request): string {
  const url = URL.parse(originalUrl, 'http://localhost');
  return url ? `${url.pathname}${url.search}` : originalUrl;
}

const idOf = (content: EndpointName['content'], kind: 'space' | 'site'): string | undefined =>
  content?.kind === kind ? content.target : undefined;
