import type { Selectable } from 'kysely';
import type { ContractError } from '../../../contract/errors.ts';
import type { Queries } from '../../../database/database.ts';
import type { SpacesTable } from '../../../database/schema/spaces.ts';
import { notFound, readerCredentialMissing, visitorTokenInvalid } from '../../../errors.ts';
import type { Caller } from '../../../identity/caller.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import type { Membership } from '../../../identity/membership.ts';
import { type SiteName, siteFor } from '../queries.ts';
import { selectSites } from '../rows.ts';
import { readStructure, type SiteRow, siteSpacesOf } from '../structure.ts';
import { admitVisitor, identifyVisitor, isShareKey, type VisitorServices } from './admit.ts';
import { visibleStructure } from './structure.ts';
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
  const admitted = await admittedAmong(ctx, site ? [site] : [], shareKey, () => true);
  if (!admitted) {
    throw refusalOf(ctx, shareKey, 'site');
  }
  return { ...admitted, shareKey: await activeKey(queries, admitted.site, shareKey) };
}

/** Returns a secret if it is that of an active share link of a site. */
const activeKey = async (
  queries: Queries,
  { id }: SiteRow,
  secret: string | undefined,
): Promise<string | undefined> => ((await isShareKey(queries, id, secret)) ? secret : undefined);

/** A space with the published site that shows it to a visitor. */
export interface PublishedSpace {
  row: Selectable<SpacesTable>;
  site: SiteRow;
}

/**
 * Finds a space that a published site shows to a visitor.
 *
 * @throws ContractError as {@link siteReaderOf}
 */
export async function publishedSpaceFor(
  ctx: ReaderContext,
  id: string,
  shareKey: string | undefined,
): Promise<PublishedSpace> {
  const { query: queries } = ctx.database;
  const row = await queries
    .selectFrom('spaces')
    .selectAll()
    .where('id', '=', id)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  const sites = row
    ? await selectSites(queries)
        .where('sites.organization', '=', row.organization)
        .where('sites.published', '=', 1)
        .where('sites.id', 'in', (shown) =>
          shown.selectFrom('siteSpaces').select('siteSpaces.site').where('siteSpaces.space', '=', id),
        )
        .orderBy('sites.createdAt')
        .orderBy('sites.id')
        .execute()
    : [];
  const admitted = await admittedAmong(ctx, sites, shareKey, async (site, visitor) =>
    siteSpacesOf(visibleStructure(await readStructure(queries, site), visitor)).some(
      ({ row: { space } }) => space === id,
    ),
  );
  if (!row || !admitted) {
    throw refusalOf(ctx, shareKey, 'space');
  }
  return { row, site: admitted.site };
}

/**
 * Finds the first of some sites that admits the visitor and satisfies a condition.
 *
 * @throws ContractError 401 if no site accepts the token of the visitor
 */
async function admittedAmong(
  ctx: ReaderContext,
  sites: readonly SiteRow[],
  shareKey: string | undefined,
  isShown: (site: SiteRow, visitor: SiteVisitor) => boolean | Promise<boolean>,
): Promise<{ site: SiteRow; visitor: SiteVisitor } | undefined> {
  const visitorToken = ctx.visitor?.token;
  let isTokenValid = visitorToken === undefined;
  for (const site of sites) {
    const visitor = await admitVisitor(ctx, site, { shareKey, visitorToken });
    const isValid =
      visitorToken === undefined ||
      (site.published === 1 && (await identifyVisitor(ctx, site, visitorToken)) !== undefined);
    isTokenValid ||= isValid;
    if (isValid && !('refused' in visitor) && (await isShown(site, visitor))) {
      return { site, visitor };
    }
  }
  if (!isTokenValid) {
    throw visitorTokenInvalid();
  }
  return undefined;
}

/** The same response for a resource that does not exist and one that is not published for the visitor. */
const refusalOf = (ctx: ReaderContext, shareKey: string | undefined, resource: string): ContractError =>
  ctx.visitor && ctx.visitor.token === undefined && shareKey === undefined
    ? readerCredentialMissing()
    : notFound(resource);
