/** Serves published sites: finds the site of a request, and admits its visitor. */
import type { Request, Response } from 'express';
import { ContractError, requestMalformed } from '../../../contract/errors.ts';
import type { RateLimit } from '../../../contract/index.ts';
import { lazily } from '../../../contract/lazily.ts';
import { endEarly } from '../../../contract/limits/linger.ts';
import { MAX_QUERY_PARAMETERS } from '../../../contract/request/paths/target.ts';
import { preferredLanguage } from '../../../contract/response/accept.ts';
import { signMemberClaims } from '../../accounts/members/queries/claims.ts';
import type { ViewRecorder } from '../../integrations/view-events/views.ts';
import type { ViolationRecorder } from '../../integrations/view-events/violations.ts';
import { findDefaultSite, listIndexedSites } from '../../spaces/publications/published.ts';
import type { SiteRow } from '../../spaces/publications/rows.ts';
import { encodeSegments, type SiteAddress, siteBase, siteTarget } from '../../spaces/publications/urls.ts';
import { admitVisitor } from '../visitors/admit.ts';
import { createVisitorSession, findSessionToken } from '../visitors/sessions.ts';
import {
  hasCredentials,
  type RequestCredentials,
  readCredentials,
  rememberCredentials,
  tokenIn,
  withoutCredentials,
} from './credentials.ts';
import { createFeedbackLimit } from './feedback/serve.ts';
import { isEmptySite, type ReadingServices, readSite } from './reading-site.ts';
import { type ErrorFrame, isSignOut, notAdmitted, refuse, signOut } from './refuse.ts';
import { type Assets, readAssets } from './resources/assets.ts';
import { MAX_LISTED_SITES, originRobots } from './resources/robots.ts';
import { redirect, sendPage, sendText } from './respond.ts';
import { ResponseText } from './response-text.ts';
import { isSitesHost, type SitesRequest } from './routes.ts';
import { serveSite } from './serve.ts';
import { signedInMember, signInLocation } from './sign-in.ts';
import { methodsOf } from './site-request.ts';
import { findReadingSite, type SiteState } from './site-state.ts';
import { emptyPage, errorPage, plainFrame } from './views/messages.ts';

export interface SitesOptions {
  limit: RateLimit | undefined;
  /** Converts errors of other folders to those of the contract. */
  translate: (error: unknown) => ContractError | undefined;
  views: ViewRecorder;
  violations: ViolationRecorder;
}

/** Responses about a visitor who is not admitted are not cached or indexed. */
const PRIVATE = { isPublic: false, isIndexed: false };
const PUBLIC = { isPublic: true, isIndexed: false };

/** What all requests are served with. */
interface Routing extends SitesOptions {
  services: ReadingServices;
  assets: () => Assets;
  /** Returns whether a host is that of an origin of sites. */
  isSitesHost(host: string): boolean;
  feedbackLimit: RateLimit;
}

/** A request for an address of a site. */
interface AddressRequest {
  req: Request;
  res: Response;
  address: SiteAddress;
  host: string;
  /** Encoded path. */
  path: string;
  /** The frame of the page of an error. Its base is set once the visitor may know where the site is. */
  frame: ErrorFrame;
}

/** Creates the function that serves published sites. */
export function createSiteServer(
  services: ReadingServices,
  options: SitesOptions,
): (request: SitesRequest) => Promise<void> {
  const { resourceUrls } = services;
  const routing: Routing = {
    ...options,
    services,
    assets: lazily(readAssets),
    isSitesHost: (host) => isSitesHost(resourceUrls, host),
    feedbackLimit: createFeedbackLimit(),
  };
  return async ({ req, res, next, host, path, address, organization }) => {
    // The assets of all sites are the same.
    const frame: ErrorFrame = {
      base: path
        .split('/')
        .slice(0, (routing.isSitesHost(host) ? 1 : 3) + (address ? 1 : 0))
        .join('/'),
    };
    try {
      await (address
        ? serveAddress(routing, { req, res, address, host, path, frame })
        : redirectToDefaultSite(routing, req, res, organization));
    } catch (error) {
      if (res.headersSent) {
        next(error);
        return;
      }
      await sendErrorPage(routing, req, res, frame, error);
    }
  };
}

/** Redirects from the address of an organization to its default site. */
async function redirectToDefaultSite(
  { services, limit }: Routing,
  req: Request,
  res: Response,
  organization: string | undefined,
): Promise<void> {
  await limit?.countAddress(req, res);
  const site = organization && (await findDefaultSite(services.database.query, organization));
  // A share link does not lead here.
  if (!site || site.visibility === 'share-link') {
    throw notAdmitted(404);
  }
  redirect(res, 307, siteBase(services.resourceUrls, site), PRIVATE);
}

/** Sends the page of an error, and logs an unexpected one. */
async function sendErrorPage(
  { services, assets, translate }: Routing,
  req: Request,
  res: Response,
  { base, ...signIn }: ErrorFrame,
  error: unknown,
): Promise<void> {
  const contractError = error instanceof ContractError ? error : translate(error);
  const requestId = String(res.locals.requestId);
  if (!contractError) {
    services.log.error({ err: error, requestId }, 'could not serve a page of a site');
  }
  const status = contractError?.status ?? 500;
  for (const name of ['Content-Type', 'Content-Length', 'Content-Encoding', 'ETag']) {
    res.removeHeader(name);
  }
  res.set(contractError?.headers ?? {});
  const view = plainFrame(assets(), base, preferredLanguage(req) ?? 'en');
  const text = new ResponseText(errorPage(view, status, requestId, signIn));
  await sendPage(req, res, { status, text }, PRIVATE);
}

/** Serves an address of a site: an asset, or what the site has for its visitor. */
async function serveAddress(routing: Routing, request: AddressRequest): Promise<void> {
  const { services, assets, limit, isSitesHost } = routing;
  const { req, res, address, host } = request;
  const methods = methodsOf(address);
  if (!methods.includes(req.method)) {
    res.status(405).set('Allow', methods.join(', '));
    endEarly(req, res, '');
    return;
  }
  // Pages without a site have their assets below the address of the organization.
  const [first, folder, name = ''] = address.site === '~assets' ? ['~assets', ...address.path] : address.path;
  const asset = `${first}/${folder}` === assets().path ? assets().resources.get(name) : undefined;
  if (asset) {
    await asset.send(req, res);
    return;
  }
  await limit?.countAddress(req, res);
  const { query: queries } = services.database;
  const found = await findReadingSite(queries, address);
  if (found) {
    await admitAndServe(routing, request, found);
    return;
  }
  if (!isSitesHost(host) || address.site !== 'robots.txt' || address.path.length > 0) {
    throw notAdmitted(404);
  }
  const sites = await listIndexedSites(queries, address.organization, MAX_LISTED_SITES);
  const text = new ResponseText(originRobots(sites, services.resourceUrls, `https://${host}`));
  await sendText(req, res, { type: 'text/plain; charset=utf-8', text }, PUBLIC);
}

/** Admits the visitor of a site, redirects to the current address of the request, and serves it. */
async function admitAndServe(
  routing: Routing,
  { req, res, address, host, path, frame }: AddressRequest,
  { site, state }: { site: SiteRow; state: SiteState },
): Promise<void> {
  const { services, assets, views, violations, feedbackLimit, isSitesHost } = routing;
  const { resourceUrls } = services;
  const query = readQuery(req);
  if (isSignOut(address) && site.visibility === 'visitor-auth') {
    const { session } = readCredentials(req, query);
    await signOut(services, { res, frame, query }, site, session);
    return;
  }
  const signIn = signInLocation(address, query);
  const rest = signIn ?? encodeSegments(address.path);
  const url = siteBase(resourceUrls, site);
  const base = new URL(url).pathname.replace(/\/$/, '');
  const isCurrent =
    isCanonical(address, site) &&
    isSitesHost(host) === isSitesHost(new URL(siteTarget(resourceUrls, site)).hostname);
  const credentials = await withSessionToken(services, site, readCredentials(req, query));
  const member = await signedInMember(services, req, site);
  const visitor = await admitVisitor(services, site, { ...credentials, member });
  const isRefused = 'refused' in visitor;
  if (isCurrent && !(isRefused && visitor.refused === 'not-found')) {
    frame.base = base;
  }
  if (isRefused) {
    await refuse(services, { res, frame, address, query, location: rest || '/' }, site, visitor);
    return;
  }
  // Only now: the URL contains the names of a site that may not exist for others.
  // A session is a cookie of the public URL, so that a member who has one did not request the proxy.
  const isElsewhere = new URL(url).origin !== new URL(resourceUrls.at('/')).origin;
  if (!isCurrent || (member && isElsewhere) || signIn !== undefined) {
    if (member && isElsewhere && !isOpen(site)) {
      const { organization } = site;
      query.set('visitorToken', await signMemberClaims(services, { user: member.user, organization }));
    }
    redirect(res, 307, `${url}${rest}${query.size > 0 ? `?${query}` : ''}`, PRIVATE);
    return;
  }
  if (hasCredentials(query)) {
    const token = tokenIn(query);
    const session =
      token === undefined || isOpen(site)
        ? undefined
        : await createVisitorSession(services, site, token, credentials.session);
    rememberCredentials(res, query, credentials, session, { base, isSecure: url.startsWith('https:') });
    redirect(res, 303, withoutCredentials(`${base}${rest}` || '/', query), PRIVATE);
    return;
  }
  const reading = await readSite(services, site, visitor, state);
  if (reading) {
    const request = {
      req,
      res,
      reading,
      segments: address.path,
      query,
      path,
      views,
      violations,
      feedbackLimit,
    };
    await serveSite(services, assets(), request);
    return;
  }
  if (address.path.length > 0 || !(await isEmptySite(services.database.query, site))) {
    throw notAdmitted(404);
  }
  const view = plainFrame(assets(), base, preferredLanguage(req) ?? 'en');
  const text = new ResponseText(emptyPage({ ...view, title: site.title }));
  await sendPage(req, res, { status: 200, text }, PRIVATE);
}

/**
 * Adds the token of a visitor's session, unless the request has another token. An ended session has an empty token,
 * which is rejected if a token is required. Sites with the same content for everyone do not look up sessions.
 */
async function withSessionToken(
  services: ReadingServices,
  site: SiteRow,
  credentials: RequestCredentials,
): Promise<RequestCredentials> {
  const { visitorToken, session } = credentials;
  if (visitorToken !== undefined || session === undefined || isOpen(site)) {
    return credentials;
  }
  return { ...credentials, visitorToken: (await findSessionToken(services, site, session)) ?? '' };
}

/** Whether everyone reads the same on a site. */
const isOpen = ({ visibility, adaptiveContent }: SiteRow): boolean =>
  (visibility === 'public' || visibility === 'unlisted') && adaptiveContent === 0;

/** Returns whether an address names a site as its URL does: by hostname and basename, at the origin of the site. */
function isCanonical(
  { organization, site }: SiteAddress,
  { organization: id, organizationHostname, ...row }: SiteRow,
): boolean {
  return organization === (organizationHostname ?? id) && site === (row.basename ?? row.id);
}

/** @throws ContractError 400 for more parameters than operations accept */
function readQuery(req: Request): URLSearchParams {
  const query = new URLSearchParams(req.url.split('?').slice(1).join('?'));
  if (query.size > MAX_QUERY_PARAMETERS) {
    throw requestMalformed(`The query has more than ${MAX_QUERY_PARAMETERS} parameters.`);
  }
  return query;
}
