import type { ResourceUrls } from '../../kit/resource-urls.ts';
import type { SiteRow } from './rows.ts';

type SiteLocation = Pick<
  SiteRow,
  'id' | 'organization' | 'basename' | 'proxyOrigin' | 'organizationHostname'
>;
type SiteUrlSettings = Pick<ResourceUrls, 'at' | 'sitesDomain'>;

/** Path of the sites at the public URL of the server. */
export const SITES_PATH = 'sites';

/** A hostname of an organization that can be a subdomain (RFC 1035, section 2.3.1). */
const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

/** Returns the URL of a published site for its visitors, without a trailing slash. */
export const siteBase = (urls: SiteUrlSettings, site: SiteLocation): string =>
  site.proxyOrigin === null ? siteTarget(urls, site) : `https://${site.proxyOrigin}`;

/** Returns the URL of a site on this server, which a proxy in front of the site requests. */
export function siteTarget(urls: SiteUrlSettings, site: SiteLocation): string {
  const { organizationHostname: hostname } = site;
  return urls.sitesDomain !== undefined && hostname !== null && LABEL.test(hostname)
    ? `https://${hostname}.${urls.sitesDomain}${encodeSegments([site.basename ?? site.id])}`
    : sitePublicUrl(urls, site);
}

/** Returns the URL of a site at the public URL of the server, where the sessions of members are. */
export const sitePublicUrl = (urls: Pick<SiteUrlSettings, 'at'>, site: SiteLocation): string =>
  urls.at(
    encodeSegments([SITES_PATH, site.organizationHostname ?? site.organization, site.basename ?? site.id]),
  );

/** Name of the query parameter with the secret of a share link. */
const SHARE_KEY = 'shareKey';

/** Adds the secret of a share link, if there is one, to a published URL. */
export const withShareKey = (url: string, secret: string | undefined): string =>
  secret === undefined ? url : `${url}?${new URLSearchParams({ [SHARE_KEY]: secret })}`;

/** The names in the URL of a site, and the decoded segments of the path below it. */
export interface SiteAddress {
  /** Hostname or ID of the organization. */
  organization: string;
  /** Basename or ID of the site. */
  site: string;
  path: string[];
}

/**
 * Parses the URL of a request for a site, see {@link siteTarget}.
 *
 * @param host host name of the request, without a port
 * @param path encoded path of the request
 * @returns undefined if the URL names no site
 */
export function parseSiteAddress(
  { sitesDomain }: Pick<SiteUrlSettings, 'sitesDomain'>,
  { host, path }: { host: string; path: string },
): SiteAddress | undefined {
  const [organization, site, ...rest] = namesIn(sitesDomain, host, path);
  return organization && site ? { organization, site, path: rest } : undefined;
}

/**
 * Parses the URL of a request for an organization. Its sites are below this URL.
 *
 * @returns its hostname or ID; undefined if the URL names no organization, or something below it
 */
export function parseOrganizationAddress(
  { sitesDomain }: Pick<SiteUrlSettings, 'sitesDomain'>,
  { host, path }: { host: string; path: string },
): string | undefined {
  const names = namesIn(sitesDomain, host, path);
  return names.length === 1 && names[0] !== '' ? names[0] : undefined;
}

/** Returns the organization and the segments below it that a URL contains; none if it does not lead to sites. */
function namesIn(sitesDomain: string | undefined, host: string, path: string): string[] {
  const segments = decodeSegments(path);
  const suffix = `.${sitesDomain}`;
  if (segments && sitesDomain !== undefined && host.endsWith(suffix)) {
    return [host.slice(0, -suffix.length), ...segments];
  }
  return segments?.[0] === SITES_PATH ? segments.slice(1) : [];
}

/** Decodes the segments of a path without empty ones. Returns undefined if the encoding is invalid. */
export function decodeSegments(path: string): string[] | undefined {
  try {
    return path.split('/').filter(Boolean).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/** Encodes the segments of a path, with a slash before each of them. */
export const encodeSegments = (segments: readonly string[]): string =>
  segments.map((segment) => `/${encodeURIComponent(segment)}`).join('');

/** Segment of the path below a site, at the public URL, where visitors are redirected to their integration. */
export const SIGN_IN_SEGMENT = '~sign-in';

/**
 * Returns the address at the public URL from where a visitor is redirected to the integration of a site: browsers accept
 * cookies for its endpoint only there.
 *
 * @param address the names of the site, as the visitor requested it
 * @param location path that the visitor requested
 */
export function signInUrl(
  resourceUrls: Pick<SiteUrlSettings, 'at'>,
  { organization, site }: SiteAddress,
  location: string,
): string {
  const path = encodeSegments([SITES_PATH, organization, site, SIGN_IN_SEGMENT]);
  return resourceUrls.at(`${path}?${new URLSearchParams({ location })}`);
}
