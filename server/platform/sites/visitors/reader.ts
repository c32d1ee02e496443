import type { ContractError } from '../../../contract/errors.ts';
import type { Queries } from '../../../database/database.ts';
import { notFound, readerCredentialMissing, visitorTokenInvalid } from '../../../errors/errors.ts';
import type { Caller } from '../../../identity/caller.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import type { Membership } from '../../../identity/membership.ts';
import { selectSites } from '../../spaces/publications/rows.ts';
import type { SiteRow } from '../../spaces/publications/structure.ts';
import { type SiteName, siteFor } from '../sites/queries.ts';
import { admitVisitor, identifyVisitor, isShareKey, type VisitorServices } from './admit.ts';
import type { SiteVisitor } from './visitor.ts';

/** The context of a request that reads what is published: of a user with an access token, or of a visitor. */
export interface ReaderContext extends VisitorServices {
  readonly caller: Caller;
  visitor: { token: string | undefined } | undefined;
}

/** Someone who reads a site: a member of its organization who can see it, or a visitor of the published site. */
export type SiteReader = (
  | { site: SiteRow; member: Membership; visitor?: undefined }
  | { site: SiteRow; member?: undefined; visitor: SiteVisitor }
) & {
  /** Secret of an active share link of the site that the reader presented. */
  shareKey: string | undefined;
};

/**
 * Finds a site for someone who reads it: for a member of the organization, as for `siteFor`, and otherwise for a
 * visitor of the published site.
 *
 * @throws ContractError 404 if the site does not exist for the reader, 401 if a visitor token is invalid or a credential
 *   is missing
 */
export async function siteReaderOf(
  ctx: ReaderContext,
  name: SiteName,
  shareKey: string | undefined,
): Promise<SiteReader> {
  const { query: queries } = ctx.database;
  if (!ctx.visitor) {
    const visible = await unlessNotFound(siteFor(queries, ctx.caller.id, name, 'view'));
    if (visible) {
      const { row, member } = visible;
      return { site: row, member, shareKey: await activeKey(queries, row, shareKey) };
    }
  }
  const site = await selectSites(queries)
    .where('sites.id', '=', name.site)
    .where('sites.organization', '=', name.organization)
    .executeTakeFirst();
  const visitor = await admit(ctx, site, shareKey);
  if (!site || !visitor) {
    throw refusalOf(ctx, shareKey, 'site');
  }
  return { site, visitor, shareKey: await activeKey(queries, site, shareKey) };
}

/** Returns a secret if it is that of an active share link of a site. */
const activeKey = async (
  queries: Queries,
  { id }: SiteRow,
  secret: string | undefined,
): Promise<string | undefined> => ((await isShareKey(queries, id, secret)) ? secret : undefined);

/**
 * Admits the visitor to a site.
 *
 * @returns undefined if the site does not exist for the visitor
 * @throws ContractError 401 if the site does not accept the token of the visitor
 */
async function admit(
  ctx: ReaderContext,
  site: SiteRow | undefined,
  shareKey: string | undefined,
): Promise<SiteVisitor | undefined> {
  const visitorToken = ctx.visitor?.token;
  const isTokenValid =
    visitorToken === undefined ||
    (site?.published === 1 && (await identifyVisitor(ctx, site, visitorToken)) !== undefined);
  if (!isTokenValid) {
    throw visitorTokenInvalid();
  }
  const visitor = site && (await admitVisitor(ctx, site, { shareKey, visitorToken }));
  return visitor && !('refused' in visitor) ? visitor : undefined;
}

/** The same response for a resource that does not exist and one that is not published for the visitor. */
export const refusalOf = (
  ctx: ReaderContext,
  shareKey: string | undefined,
  resource: string,
): ContractError =>
  ctx.visitor && ctx.visitor.token === undefined && shareKey === undefined
    ? readerCredentialMissing()
    : notFound(resource);
