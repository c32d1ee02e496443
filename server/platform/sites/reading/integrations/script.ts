/** Serves the scripts that integrations add to the pages of a site, below the address of the site. */
import type { Request, Response } from 'express';
import { callIntegration } from '../../../integrations/calls/call-integration.ts';
import type { IntegrationResponse } from '../../../integrations/calls/calls.ts';
import { maxAgeOf } from '../../../integrations/calls/render.ts';
import { IntegrationResponseError, responseError } from '../../../integrations/calls/render-result.ts';
import type { SiteScript } from '../../site-integrations/find.ts';
import type { ReadingServices } from '../reading-site.ts';
import { type Caching, sendBody, setSiteHeaders } from '../respond.ts';
import { ResponseText } from '../response-text.ts';
import {
  type CacheableResult,
  createResponseCache,
  type Failure,
  failureOf,
  lifetimeOf,
} from './response-cache.ts';

/** Maximum size of the script of an integration. */
export const MAX_SITE_SCRIPT_BYTES = 1_048_576;
/** Time limit for an integration to return its script. Pages do not wait for it. */
export const SITE_SCRIPT_DEADLINE_MS = 5000;

/** A script, or why there is none. */
type SiteScriptResult = { text: ResponseText } | Failure;

const scripts = createResponseCache<SiteScriptResult>();

const SCRIPT_TYPE = /^(?:text|application)\/(?:x-)?(?:java|ecma)script\s*(?:;|$)/i;

/** Sends a script. Its address contains its version, so that browsers load a new version at once. */
export async function sendScript(
  services: ReadingServices,
  { req, res, site }: { req: Request; res: Response; site: string },
  script: SiteScript,
  caching: Caching,
): Promise<void> {
  const key = `${site} ${script.version}`;
  const { value, lifetimeMs } = await scripts.get(key, () => fetchScript(services, site, script));
  setSiteHeaders(res, caching);
  res.set({
    'Content-Security-Policy': script.policy ?? "default-src 'none'; sandbox",
    'Cross-Origin-Resource-Policy': caching.isPublic ? 'cross-origin' : 'same-origin',
  });
  if ('failure' in value) {
    res.set('Cache-Control', 'no-store');
    const text = new ResponseText(value.message ?? 'The integration returned no script.');
    await sendBody(req, res, { type: 'text/plain; charset=utf-8', status: value.failure, text });
    return;
  }
  const maxAge = Math.floor(lifetimeMs / 1000);
  res.set('Cache-Control', `${caching.isPublic ? 'public' : 'private'}, max-age=${maxAge}`);
  await sendBody(req, res, { type: 'text/javascript; charset=utf-8', status: 200, text: value.text });
}

async function fetchScript(
  services: ReadingServices,
  site: string,
  script: SiteScript,
): Promise<CacheableResult<SiteScriptResult>> {
  const { integration, installation } = script;
  try {
    const response = await callIntegration(services, {
      integration,
      installation,
      site,
      event: {
        type: 'fetch_published_script',
        eventId: services.createId('evt'),
        installationId: installation,
        siteId: site,
      },
      deadlineMs: SITE_SCRIPT_DEADLINE_MS,
      maxResponseBytes: MAX_SITE_SCRIPT_BYTES,
    });
    requireScript(response);
    const text = new ResponseText(Buffer.from(response.body).toString());
    const lifetimeMs = lifetimeOf(maxAgeOf(response.headers), script);
    return { value: { text }, lifetimeMs, size: text.bytes * 2 };
  } catch (error) {
    return failureOf(services, script, error);
  }
}

function requireScript(response: IntegrationResponse): void {
  if (response.status !== 200) {
    throw responseError(response);
  }
  const type = response.headers.get('Content-Type') ?? '';
  if (!SCRIPT_TYPE.test(type)) {
    throw new IntegrationResponseError(`The integration returned the type ${type.slice(0, 100)}.`);
  }
}
