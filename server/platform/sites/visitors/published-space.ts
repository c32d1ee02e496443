import { setImmediate } from 'node:timers/promises';
import { type Selectable, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Queries } from '../../../database/database.ts';
import { notIndexed } from '../../../database/lookups.ts';
import type { SpacesTable } from '../../../database/schema/spaces/spaces.ts';
import type { Schema } from '../../../database/schema.ts';
import { visitorTokenInvalid } from '../../../errors/errors.ts';
import { findMembership, type Membership } from '../../../identity/membership.ts';
import { hashToken } from '../../../identity/tokens.ts';
import { spacesVisibleTo } from '../../../identity/visible-spaces.ts';
import { type SiteRow, selectSiteLocations, selectSites } from '../../spaces/publications/rows.ts';
import { listAuthInstallations } from '../site-integrations/authentication.ts';
import { sitesVisibleTo, sitesWith } from '../sites/queries.ts';
import { admitVisitor, identifyVisitor } from './admit.ts';
import { conditionsOf } from './conditions.ts';
import { type ReaderContext, refusalOf } from './reader.ts';
import { siteNamedBy } from './site-tokens.ts';
import { createTokenRules } from './token-rules.ts';
import { createTokenFilter, verifyMemberClaims } from './tokens.ts';
import type { SiteVisitor, VisitorCredentials } from './visitor.ts';

/** Maximum number of published sites (the oldest that show a space) that are searched for the site of its visitor. */
export const MAX_SEARCHED_SITES = 1000;

/** Number of sites that are read at once, after the first one, which usually shows the space. */
const BATCH_SIZE = 50;

type SpaceRow = Selectable<SpacesTable>;
type Sites<Row> = SelectQueryBuilder<Schema, 'sites', Row>;

/** A space with the published site that shows it to a visitor. */
export interface PublishedSpace {
  row: SpaceRow;
  site: SiteRow;
}

/**
 * Finds a space that a published site shows to a visitor: the oldest of its sites that do.
 *
 * @throws ContractError 404 if no site does, 401 if the visitor token is invalid or a credential is missing
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
  if (!row) {
    throw ctx.visitor?.token === undefined ? refusalOf(ctx, shareKey, 'space') : visitorTokenInvalid();
  }
  const { sites, credentials } = await sitesFor(ctx, row, shareKey);
  for await (const batch of readInBatches(sites)) {
    for (const { site, conditions } of await readConditions(queries, id, batch)) {
      const visitor = await admitVisitor(ctx, site, credentials);
      if (!('refused' in visitor) && isShown(site, visitor, row, conditions)) {
        return { row, site };
      }
    }
  }
  throw refusalOf(ctx, shareKey, 'space');
}

/** Sites that may admit a visitor. */
interface SitesOfVisitor {
  sites: Sites<SiteRow>;
  credentials: VisitorCredentials;
}

/**
 * Selects the published sites of a space that accept the credentials of a visitor.
 *
 * @throws ContractError 401 if no site accepts the token of the visitor
 */
async function sitesFor(
  ctx: ReaderContext,
  space: SpaceRow,
  shareKey: string | undefined,
): Promise<SitesOfVisitor> {
  const { query: queries } = ctx.database;
  const token = ctx.visitor?.token;
  if (token === undefined) {
    const sites = showing(queries, selectSites(queries), space).where(isOpen(shareKey));
    return { sites, credentials: { shareKey } };
  }
  const member = await memberWith(ctx, space.organization, token);
  return member
    ? { sites: await sitesOfMember(queries, space, member, shareKey), credentials: { shareKey, member } }
    : { sites: await sitesSignedFor(ctx, space, token), credentials: { shareKey, visitorToken: token } };
}

/** Restricts sites to the published ones that show a space. */
function showing<Row>(queries: Queries, sites: Sites<Row>, { id, organization }: SpaceRow): Sites<Row> {
  return sites
    .where(notIndexed('sites.organization'), '=', organization)
    .where('sites.published', '=', 1)
    .where('sites.id', 'in', sitesWith(queries, id));
}

/** Condition that a site admits visitors without a token. */
function isOpen(shareKey: string | undefined) {
  const hasKey = sql<SqlBool>`exists (
    select 1 from "shareLinks" where "shareLinks"."site" = "sites"."id"
      and "secretHash" = ${shareKey === undefined ? null : hashToken(shareKey)} and "active" = 1)`;
  return sql<SqlBool>`case "sites"."visibility"
    when 'public' then 1 = 1 when 'unlisted' then 1 = 1 when 'share-link' then ${hasKey} else 1 = 0 end`;
}

/** Finds the member whom a token of a ping identifies. */
async function memberWith(
  ctx: ReaderContext,
  organization: string,
  token: string,
): Promise<Membership | undefined> {
  const user = await verifyMemberClaims(ctx, organization, token);
  return user === undefined ? undefined : await findMembership(ctx.database.query, user, organization);
}

/** @throws ContractError 401 if the member sees none of the sites */
async function sitesOfMember(
  queries: Queries,
  space: SpaceRow,
  member: Membership,
  shareKey: string | undefined,
): Promise<Sites<SiteRow>> {
  const visible = await sitesVisibleTo(queries, member, { ids: sitesWith(queries, space.id) });
  const sites = visible.where('sites.published', '=', 1);
  if (!(await sites.clearSelect().select('sites.id').limit(1).executeTakeFirst())) {
    throw visitorTokenInvalid();
  }
  const seesSpace = await spacesVisibleTo(queries, member)
    .select('spaces.id')
    .where('spaces.id', '=', space.id)
    .executeTakeFirst();
  return seesSpace ? sites : sites.where(isOpen(shareKey));
}

/** @throws ContractError 401 if the token is valid for none of the sites */
async function sitesSignedFor(ctx: ReaderContext, space: SpaceRow, token: string): Promise<Sites<SiteRow>> {
  const { query: queries } = ctx.database;
  const candidates = await inOrder(
    showing(
      queries,
      selectSiteLocations(queries).select(['sites.signingKey', 'sites.authIntegration']),
      space,
    ),
  )
    .limit(MAX_SEARCHED_SITES)
    .execute();
  const named = siteNamedBy(token);
  const mayFulfil = createTokenFilter(token);
  const rulesOf = createTokenRules(ctx.secretKey, ctx.resourceUrls);
  const installations = candidates.some(({ authIntegration }) => authIntegration !== null)
    ? await listAuthInstallations(queries, space.organization)
    : new Map<string, string>();
  const signed: string[] = [];
  for (const [index, site] of candidates.entries()) {
    if (index % BATCH_SIZE === BATCH_SIZE - 1) {
      // Lets other requests proceed: each signature costs some microseconds.
      await setImmediate();
    }
    const { authIntegration } = site;
    const installation = authIntegration === null ? undefined : installations.get(authIntegration);
    const isCandidate = named === undefined ? mayFulfil(rulesOf(site, installation)) : site.id === named;
    if (isCandidate && (await identifyVisitor(ctx, site, token))) {
      signed.push(site.id);
    }
  }
  if (signed.length === 0) {
    throw visitorTokenInvalid();
  }
  return selectSites(queries).where('sites.id', 'in', signed);
}

const inOrder = <Row>(sites: Sites<Row>): Sites<Row> => sites.orderBy('sites.createdAt').orderBy('sites.id');

/** Reads the oldest of some sites. */
async function* readInBatches(sites: Sites<SiteRow>): AsyncGenerator<SiteRow[]> {
  let rest = sites;
  for (let read = 0, size = 1; read < MAX_SEARCHED_SITES; read += size, size = BATCH_SIZE) {
    const batch = await inOrder(rest).limit(size).execute();
    yield batch;
    const last = batch[size - 1];
    if (!last) {
      return;
    }
    rest = sites.where(sql<SqlBool>`("sites"."createdAt", "sites"."id") > (${last.createdAt}, ${last.id})`);
  }
}

/** Conditions of a site space and of its section. */
type Conditions = readonly [siteSpace: string | null, section: string | null];

/** A site, and the conditions of its site spaces with a space. */
interface ConditionalSite {
  site: SiteRow;
  conditions: readonly Conditions[];
}

/** Reads sites, in their order, with what decides whether they show a space. */
async function readConditions(
  queries: Queries,
  space: string,
  sites: readonly SiteRow[],
): Promise<ConditionalSite[]> {
  if (sites.length === 0) {
    return [];
  }
  const ids = sites.map(({ id }) => id);
  const shown = await queries
    .selectFrom('siteSpaces')
    .leftJoin('siteSections', 'siteSections.id', 'siteSpaces.section')
    .select(['siteSpaces.site', 'siteSpaces.condition', 'siteSections.condition as sectionCondition'])
    .where('siteSpaces.site', 'in', ids)
    .where('siteSpaces.space', '=', space)
    .execute();
  const bySite = Map.groupBy(shown, ({ site }) => site);
  return sites.map((site) => ({
    site,
    conditions: (bySite.get(site.id) ?? []).map((row): Conditions => [row.condition, row.sectionCondition]),
  }));
}

/** As `visibleStructure`, for one space. */
function isShown(
  site: SiteRow,
  { claims, spaces }: SiteVisitor,
  { id }: SpaceRow,
  conditions: readonly Conditions[],
): boolean {
  const holds = conditionsOf(site, claims);
  return (
    spaces?.has(id) !== false && conditions.some(([siteSpace, section]) => holds(siteSpace) && holds(section))
  );
}
