/** Sends visitors of a site to the integration that authenticates them. */
import { callIntegration } from '../../../integrations/calls/call-integration.ts';
import { IntegrationCallError } from '../../../integrations/calls/calls.ts';
import { integrationCookies } from '../../../integrations/calls/cookies.ts';
import { IntegrationRejectionError, responseError } from '../../../integrations/calls/render-result.ts';
import type { SiteRow } from '../../../spaces/publications/rows.ts';
import { siteBase } from '../../../spaces/publications/urls.ts';
import { findAuthInstallation } from '../../site-integrations/authentication.ts';
import type { ReadingServices } from '../reading-site.ts';

/** Time limit for an integration to respond to the request of a visitor for access. */
export const AUTHENTICATION_DEADLINE_MS = 5000;
/** Maximum size of an integration's response to this request. Its body is used only if it is an error. */
export const MAX_AUTHENTICATION_RESPONSE_BYTES = 65_536;
/** Maximum length of the URL that an integration redirects visitors to. */
export const MAX_AUTHENTICATION_URL_CHARACTERS = 4096;

/** Where a visitor is authenticated. */
export interface VisitorAuthentication {
  url: string;
  /** Values of `Set-Cookie`: cookies for the endpoint of the integration, which is at the public URL. */
  cookies: string[];
}

/** What a visitor asks the integration of a site for. */
export interface AuthenticationRequest {
  /** Path that the visitor requested. */
  location: string;
  /** Ends the session at the provider; by default, the visitor signs in there. */
  action?: 'logout';
}

/**
 * Asks the integration of a site where to authenticate a visitor. Of its response, the browser receives the URL and the
 * cookies.
 *
 * @returns undefined if the site has no such integration, or it does not respond with a redirect
 * @throws IntegrationRejectionError if it responds with an error for the visitor
 */
export async function requestAuthentication(
  services: ReadingServices,
  site: SiteRow,
  { location, action }: AuthenticationRequest,
): Promise<VisitorAuthentication | undefined> {
  const { database, secretKey, createId, log, resourceUrls, clock } = services;
  const provider = await findAuthInstallation(database.query, site, secretKey);
  if (!provider) {
    return undefined;
  }
  try {
    const { status, headers, body } = await callIntegration(services, {
      ...provider,
      site: site.id,
      event: {
        type: 'fetch_visitor_authentication',
        eventId: createId('evt'),
        installationId: provider.installation,
        siteId: site.id,
        location,
        ...(action && { action }),
      },
      deadlineMs: AUTHENTICATION_DEADLINE_MS,
      maxResponseBytes: MAX_AUTHENTICATION_RESPONSE_BYTES,
    });
    const target = status >= 300 && status < 400 ? headers.get('location') : null;
    const url = target === null ? null : URL.parse(target);
    const own = [resourceUrls.at('/'), siteBase(resourceUrls, site)].map(
      (address) => new URL(address).origin,
    );
    const isAllowed = url?.protocol === 'https:' || (url !== null && own.includes(url.origin));
    if (url && isAllowed && url.href.length <= MAX_AUTHENTICATION_URL_CHARACTERS) {
      const { publicEndpoint } = resourceUrls.contentInstallation({
        ...provider,
        kind: 'site',
        target: site.id,
      });
      return {
        url: url.href,
        cookies: integrationCookies(headers, { endpoint: publicEndpoint, now: clock() }),
      };
    }
    log.warn({ status, site: site.id, ...provider }, 'an integration returned no redirect for a visitor');
    const failure = responseError({ status, body });
    if (failure instanceof IntegrationRejectionError) {
      throw failure;
    }
  } catch (error) {
    if (!(error instanceof IntegrationCallError)) {
      throw error;
    }
    log.warn({ err: error, site: site.id, ...provider }, 'an integration did not authenticate a visitor');
  }
  return undefined;
}
