/** Finds the published sites of an organization, and the spaces that they show, by the URLs of their pages. */
import { batches } from '../../../database/batches.ts';
import type { Queries } from '../../../database/database.ts';
import { isOneOf } from '../../../database/lookups.ts';
import { type ParametersOf, statement } from '../../../database/statement.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';
import { SitePaths } from './paths.ts';
import { findPublishedSite, MAX_PROXY_SEGMENTS } from './published.ts';
import { selectSites } from './rows.ts';
import { readStructure, type SiteRow } from './structure.ts';
import { decodeSegments, parseSiteAddress } from './urls.ts';

/** Maximum number of sites that the URLs of one list are compared with. */
export const MAX_LOCATED_SITES = 50;
/** URL prefixes per statement. */
const PREFIXES_PER_STATEMENT = 512;

/** A location in a space that a published site shows. */
export interface PublishedLocation {
  url: string;
  space: string;
  /** Decoded path of a page in the space; empty for the space. */
  path: string;
  anchor?: string | undefined;
}

interface ParsedUrl {
  text: string;
  url: URL;
  segments: string[];
}

/**
 * Finds what URLs lead to. URLs with a query, of other organizations, and of what is no page, such as files, are omitted.
 */
export async function locatePublishedUrls(
  queries: Queries,
  resourceUrls: ResourceUrls,
  organization: string,
  urls: readonly string[],
): Promise<PublishedLocation[]> {
  const parsed = urls.flatMap((text): ParsedUrl[] => {
    const url = URL.parse(text.trim());
    const segments = url && decodeSegments(url.pathname);
    return url && segments && url.search === '' && !segments.some((part) => part.startsWith('~'))
      ? [{ text, url, segments }]
      : [];
  });
  const own = new URL(resourceUrls.at('/')).host;
  const { sitesDomain } = resourceUrls;
  const isOwn = ({ url }: ParsedUrl) =>
    url.host === own || (sitesDomain !== undefined && url.hostname.endsWith(`.${sitesDomain}`));
  const located = [
    ...(await locateHere(queries, resourceUrls, parsed.filter(isOwn))),
    ...(await locateProxied(
      queries,
      organization,
      parsed.filter((url) => !isOwn(url)),
    )),
  ].filter(({ site }) => site.organization === organization);
  const bySite = Map.groupBy(located, ({ site }) => site.id);
  const locations: PublishedLocation[] = [];
  for (const group of [...bySite.values()].slice(0, MAX_LOCATED_SITES)) {
    const [first] = group;
    if (!first) {
      continue;
    }
    const paths = new SitePaths(await readStructure(queries, first.site));
    for (const { url, rest } of group) {
      const destination = paths.resolve(rest);
      if (destination) {
        const anchor = decodeSegments(url.url.hash.slice(1))?.join('/') ?? '';
        locations.push({
          url: url.text,
          space: destination.siteSpace.row.space,
          path: destination.page.join('/'),
          ...(anchor !== '' && { anchor }),
        });
      }
    }
  }
  return locations;
}

/** A URL with the site at its start, and the segments below the site. */
interface LocatedUrl {
  url: ParsedUrl;
  site: SiteRow;
  rest: readonly string[];
}

/** Locates the URLs of sites on this server. */
async function locateHere(
  queries: Queries,
  resourceUrls: ResourceUrls,
  urls: readonly ParsedUrl[],
): Promise<LocatedUrl[]> {
  const sites = new Map<string, SiteRow | undefined>();
  const located: LocatedUrl[] = [];
  for (const parsed of urls) {
    const { hostname, pathname } = parsed.url;
    const address = parseSiteAddress(resourceUrls, { host: hostname, path: pathname });
    if (!address) {
      continue;
    }
    const name = JSON.stringify([address.organization, address.site]);
    if (!sites.has(name) && sites.size < MAX_LOCATED_SITES) {
      sites.set(name, await findPublishedSite(queries, address));
    }
    const site = sites.get(name);
    if (site) {
      located.push({ url: parsed, site, rest: address.path });
    }
  }
  return located;
}

/** A statement of nearly every read of a document with links to the web. */
const findProxied = statement((queries, { origins }: ParametersOf<{ origins: readonly string[] }>) =>
  selectSites(queries)
    .where('sites.published', '=', 1)
    .where(isOneOf(queries, 'sites.proxyOrigin', origins))
    .compile(),
);

/** Locates the URLs of sites behind proxies: of several that the start of a URL names, the longest. */
async function locateProxied(
  queries: Queries,
  organization: string,
  urls: readonly ParsedUrl[],
): Promise<LocatedUrl[]> {
  const prefixesOf = ({ url, segments }: ParsedUrl): string[] =>
    Array.from({ length: Math.min(segments.length, MAX_PROXY_SEGMENTS) + 1 }, (_, length) =>
      [url.host, ...segments.slice(0, length)].join('/'),
    );
  const sites = new Map<string, SiteRow>();
  for (const batch of batches(new Set(urls.flatMap(prefixesOf)), PREFIXES_PER_STATEMENT)) {
    for (const site of await findProxied.rows(queries, { origins: batch })) {
      if (site.proxyOrigin !== null && site.organization === organization) {
        sites.set(site.proxyOrigin, site);
      }
    }
  }
  if (sites.size === 0) {
    return [];
  }
  return urls.flatMap((url) => {
    const prefixes = prefixesOf(url);
    const at = prefixes.findLastIndex((prefix) => sites.has(prefix));
    const site = sites.get(prefixes[at] ?? '');
    return site ? [{ url, site, rest: url.segments.slice(at) }] : [];
  });
}
