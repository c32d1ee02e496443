/** Resolves the URLs of published content, as the published sites do. */
import { createHash } from 'node:crypto';
import type { Queries } from '../../../database/database.ts';
import { notFound, visitorTokenInvalid } from '../../../errors/errors.ts';
import type { CallerId } from '../../../identity/caller.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';
import { SitePaths } from '../../spaces/publications/paths.ts';
import { findProxiedSite, findPublishedSite } from '../../spaces/publications/published.ts';
import { readStructure, type SiteRow } from '../../spaces/publications/structure.ts';
import {
  decodeSegments,
  encodeSegments,
  parseSiteAddress,
  signInUrl,
  siteBase,
} from '../../spaces/publications/urls.ts';
import { readSpaces } from '../structure/spaces.ts';
import { admitVisitor, memberOf, type VisitorServices } from './admit.ts';
import { signSiteToken } from './site-tokens.ts';
import { visibleStructure } from './structure.ts';
import { type Refusal, type SiteVisitor, TOKEN_PARAMETERS, type VisitorCredentials } from './visitor.ts';

/** A URL to resolve, and who requests it. */
export interface UrlRequest {
  url: string;
  visitorToken?: string | undefined;
  unsignedClaims?: Readonly<Record<string, unknown>> | undefined;
  /** The user who sent the request, if it has an access token. */
  caller: CallerId | undefined;
  redirectOnError: boolean | undefined;
}

/** The content that a URL leads to. */
export interface ResolvedContent {
  site: SiteRow;
  siteSection: string | undefined;
  siteSpace: string;
  space: string;
  pathname: string;
  basePath: string;
  siteBasePath: string;
  canonicalUrl: string;
  complete: boolean;
  apiToken: string;
  shareKey: string | undefined;
  contextId: string | undefined;
}

/** A redirect from a URL. */
export interface UrlRedirect {
  site: SiteRow;
  target: 'content' | 'external';
  redirect: string;
}

/** A site, with the parts of the path of a URL below its host. */
interface LocatedSite {
  site: SiteRow;
  /** Decoded segments of the path of the site. */
  base: readonly string[];
  /** Decoded segments below it. */
  rest: readonly string[];
}

/**
 * Resolves the URL of published content for a visitor.
 *
 * @throws ContractError 404 if it does not lead to a site that the visitor may know of, 401 if the token is rejected
 */
export async function resolvePublishedUrl(
  services: VisitorServices,
  request: UrlRequest,
): Promise<ResolvedContent | UrlRedirect> {
  const { database, resourceUrls } = services;
  const url = new URL(request.url);
  const located = await locate(database.query, resourceUrls, url);
  if (!located) {
    throw notFound('published content');
  }
  const { site } = located;
  const credentials = await credentialsOf(services, site, url, request);
  const visitor = await admitVisitor(services, site, credentials);
  if ('refused' in visitor) {
    return signInRedirect(services, located, visitor, request);
  }
  return await resolveFor(services, located, { visitor, ...credentials });
}

/** Finds the published site whose URL is the start of a URL: on this server, or behind a proxy. */
async function locate(
  queries: Queries,
  resourceUrls: ResourceUrls,
  url: URL,
): Promise<LocatedSite | undefined> {
  const segments = decodeSegments(url.pathname);
  if (!segments) {
    return undefined;
  }
  const { sitesDomain } = resourceUrls;
  const isSitesHost = sitesDomain !== undefined && url.hostname.endsWith(`.${sitesDomain}`);
  if (isSitesHost || url.host === new URL(resourceUrls.at('/')).host) {
    const address = parseSiteAddress(resourceUrls, { host: url.hostname, path: url.pathname });
    const site = address && (await findPublishedSite(queries, address));
    const base = segments.slice(0, segments.length - (address?.path.length ?? 0));
    return site && { site, base, rest: address.path };
  }
  const site = await findProxiedSite(queries, url.host, segments);
  const length = (site?.proxyOrigin?.split('/').length ?? 1) - 1;
  return site && { site, base: segments.slice(0, length), rest: segments.slice(length) };
}

async function credentialsOf(
  { database }: VisitorServices,
  site: SiteRow,
  { searchParams }: URL,
  { visitorToken, unsignedClaims, caller }: UrlRequest,
): Promise<VisitorCredentials> {
  const [inUrl] = TOKEN_PARAMETERS.flatMap((name) => searchParams.get(name) ?? []);
  return {
    shareKey: searchParams.get('shareKey') ?? undefined,
    visitorToken: visitorToken ?? inUrl,
    unsignedClaims,
    member: caller && (await memberOf(database.query, site, caller)),
  };
}

/** Returns the redirect of a visitor who is not admitted to where visitors sign in. */
function signInRedirect(
  { resourceUrls }: VisitorServices,
  { site, rest }: LocatedSite,
  { refused, fallbackURL }: Refusal,
  { redirectOnError }: UrlRequest,
): UrlRedirect {
  if (refused === 'not-found') {
    throw notFound('published content');
  }
  if (refused === 'token-rejected' && !redirectOnError) {
    throw visitorTokenInvalid();
  }
  const location = encodeSegments(rest) || '/';
  if (fallbackURL !== null) {
    const redirect = new URL(fallbackURL);
    redirect.searchParams.set('location', location);
    return { site, target: 'external', redirect: redirect.href };
  }
  const address = {
    organization: site.organizationHostname ?? site.organization,
    site: site.basename ?? site.id,
    path: [],
  };
  return { site, target: 'external', redirect: signInUrl(resourceUrls, address, location) };
}

/** Resolves a URL for an admitted visitor. */
async function resolveFor(
  services: VisitorServices,
  { site, base, rest }: LocatedSite,
  { visitor, shareKey, member }: VisitorCredentials & { visitor: SiteVisitor },
): Promise<ResolvedContent | UrlRedirect> {
  const { query: queries } = services.database;
  const structure = visibleStructure(await readStructure(queries, site), visitor);
  const paths = new SitePaths(structure);
  const destination = paths.resolve(rest);
  const { row } = destination?.siteSpace ?? {};
  const space = row && (await readSpaces(queries, [row.space])).get(row.space);
  if (!destination || !row || !space) {
    throw notFound('published content');
  }
  const { page, section } = destination;
  const canonicalUrl = `${siteBase(services.resourceUrls, site)}${paths.pathOf(row.id, page)}`;
  const own = rest.slice(0, rest.length - page.length);
  if (encodeSegments([...own, ...page]) !== paths.pathOf(row.id, page)) {
    return { site, target: 'content', redirect: canonicalUrl };
  }
  const content = {
    siteSpace: row.id,
    siteSection: section?.row.id,
    space: space.id,
    version: versionOf(site, space.revision),
    claims: visitor.claims,
    shareKey: site.visibility === 'share-link' ? shareKey : undefined,
    member: member?.user,
  };
  const { version: _version, claims: _claims, member: _member, ...resolved } = content;
  return {
    site,
    ...resolved,
    pathname: encodeSegments(page).slice(1),
    basePath: `${encodeSegments([...base, ...own])}/`,
    siteBasePath: `${encodeSegments(base)}/`,
    canonicalUrl,
    complete: page.length > 0 || paths.isComplete(own),
    apiToken: await signSiteToken(services, site, content),
    contextId: isSameForAll(site, visitor) ? undefined : visitor.key,
  };
}

const versionOf = ({ version }: SiteRow, revision: string): string =>
  createHash('sha256').update(`${version} ${revision}`).digest('base64url').slice(0, 22);

const isSameForAll = ({ adaptiveContent }: SiteRow, { spaces }: SiteVisitor): boolean =>
  adaptiveContent === 0 && spaces === undefined;
