/** Finds the requests for published sites, which `router.ts` serves. */
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { lazily } from '../../../contract/lazily.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';
import { requestedHost } from '../../kit/routes/requested-host.ts';
import {
  parseOrganizationAddress,
  parseSiteAddress,
  type SiteAddress,
} from '../../spaces/publications/urls.ts';

/** A request for an origin of sites, or for an address of a site or of an organization. */
export interface SitesRequest {
  req: Request;
  res: Response;
  next: NextFunction;
  host: string;
  /** Encoded path. */
  path: string;
  address: SiteAddress | undefined;
  /** The organization whose own address is requested. */
  organization: string | undefined;
}

/** Returns whether a host is that of an origin of sites. */
export const isSitesHost = ({ sitesDomain }: ResourceUrls, host: string): boolean =>
  sitesDomain !== undefined && host.endsWith(`.${sitesDomain}`);

/**
 * Serves published sites, at their own origins and below the public URL. An origin of sites serves nothing else: mount
 * it before the routes of the server.
 *
 * @param load loads what serves the requests, with the first of them
 */
export function createSites(
  resourceUrls: ResourceUrls,
  load: () => Promise<(request: SitesRequest) => Promise<void>>,
): RequestHandler {
  const loaded = lazily(load);
  return async (req, res, next) => {
    const host = requestedHost(req);
    const [path = ''] = req.url.split('?');
    const address = parseSiteAddress(resourceUrls, { host, path });
    const organization = parseOrganizationAddress(resourceUrls, { host, path });
    if (!address && organization === undefined && !isSitesHost(resourceUrls, host)) {
      next();
      return;
    }
    // In log lines and metrics, in place of an operation.
    res.locals.operationId = 'site';
    const serve = await loaded();
    await serve({ req, res, next, host, path, address, organization });
  };
}
