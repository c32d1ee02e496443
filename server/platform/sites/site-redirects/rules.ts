import type { components } from '../../../../generated/schema.d.ts';
import type { Transaction } from '../../../database/database.ts';
import { flag, writeJson } from '../../../database/json.ts';
import type { StoredRedirectDestination } from '../../../database/schema/sites/site-redirects.ts';
import { fieldInvalid, redirectLimitExceeded, redirectSourceTaken } from '../../../errors/errors.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import type { Context } from '../../kit/slice.ts';
import { readRows, type SiteRow } from '../../spaces/publications/rows.ts';
import { type SiteName, siteFor } from '../sites/queries.ts';
import {
  patternOf,
  type RedirectPattern,
  type SiteRedirectRow,
  siteRedirectOf,
  siteRedirectsOf,
} from './queries.ts';

type Schemas = components['schemas'];

/** Maximum number of redirects of a site: all of them are compared with a path that no page has. */
export const MAX_SITE_REDIRECTS = 1000;

/** IDs of a redirect, its site and its organization. */
export interface SiteRedirectName extends SiteName {
  redirect: string;
}

/**
 * Creates a redirect.
 *
 * @throws ContractError 400 if its destination does not exist, 409 if another redirect has its source, or the site has
 *   the maximum number of redirects
 */
export async function createSiteRedirect(
  trx: Transaction,
  { caller, clock, createId }: Context,
  name: SiteName,
  { source, destination, draft, captureWildcard, permanent }: Schemas['SiteRedirectCreate'],
): Promise<SiteRedirectRow> {
  const { row: site } = await siteFor(trx, caller.id, name, 'structure');
  const { count } = await trx
    .selectFrom('siteRedirects')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('site', '=', site.id)
    .executeTakeFirstOrThrow();
  if (count >= MAX_SITE_REDIRECTS) {
    throw redirectLimitExceeded(MAX_SITE_REDIRECTS);
  }
  const row: SiteRedirectRow = {
    id: createId('rdr'),
    organization: site.organization,
    site: site.id,
    source,
    ...requirePattern(source),
    draft: flag(draft ?? false),
    captureWildcard: flag(captureWildcard ?? false),
    permanent: flag(permanent ?? false),
    destination: writeJson(await requireDestination(trx, site, destination)),
    createdAt: clock().toISOString(),
    updatedAt: null,
  };
  await requireFreeSource(trx, row);
  await trx.insertInto('siteRedirects').values(row).execute();
  return row;
}

/** Updates the fields of a redirect that the body contains. Throws as {@link createSiteRedirect}. */
export async function updateSiteRedirect(
  trx: Transaction,
  { caller, clock }: Context,
  { redirect, ...name }: SiteRedirectName,
  { source, destination, draft, captureWildcard, permanent }: Schemas['SiteRedirectPatch'],
): Promise<SiteRedirectRow> {
  const { row: site } = await siteFor(trx, caller.id, name, 'structure');
  const existing = await siteRedirectOf(trx, site.id, redirect);
  const row: SiteRedirectRow = {
    ...existing,
    ...(source !== undefined && { source, ...requirePattern(source) }),
    ...(draft !== undefined && { draft: flag(draft) }),
    ...(captureWildcard !== undefined && { captureWildcard: flag(captureWildcard) }),
    ...(permanent !== undefined && { permanent: flag(permanent) }),
    ...(destination && { destination: writeJson(await requireDestination(trx, site, destination)) }),
    updatedAt: clock().toISOString(),
  };
  await requireFreeSource(trx, row);
  const { id, ...changes } = row;
  await trx.updateTable('siteRedirects').set(changes).where('id', '=', id).execute();
  return row;
}

/** Deletes a redirect. */
export async function deleteSiteRedirect(
  trx: Transaction,
  { caller }: Context,
  { redirect, ...name }: SiteRedirectName,
): Promise<void> {
  const editable = await unlessNotFound(siteFor(trx, caller.id, name, 'structure'));
  if (editable) {
    await trx
      .deleteFrom('siteRedirects')
      .where('id', '=', redirect)
      .where('site', '=', editable.row.id)
      .execute();
  }
}

/** @throws ContractError 400 if the source has an invalid encoding */
function requirePattern(source: string): RedirectPattern {
  const pattern = patternOf(source);
  if (!pattern) {
    throw fieldInvalid('source', 'must be a percent-encoded path in UTF-8');
  }
  return pattern;
}

/** @throws ContractError 409 if another redirect has the source; a draft and another redirect may have the same */
async function requireFreeSource(
  trx: Transaction,
  { id, site, path, wildcard, draft }: SiteRedirectRow,
): Promise<void> {
  const other = await siteRedirectsOf(trx, site)
    .where('path', '=', path)
    .where('wildcard', '=', wildcard)
    .where('draft', '=', draft)
    .where('id', '!=', id)
    .executeTakeFirst();
  if (other) {
    throw redirectSourceTaken('source');
  }
}

/** @throws ContractError 400 if the site does not contain the destination */
async function requireDestination(
  trx: Transaction,
  site: SiteRow,
  destination: StoredRedirectDestination,
): Promise<StoredRedirectDestination> {
  if (destination.kind === 'external') {
    return destination;
  }
  const { sections, siteSpaces } = await readRows(trx, site);
  const isSection = destination.kind === 'site-section';
  const isInSite = isSection
    ? sections.some(({ id }) => id === destination.siteSectionId)
    : siteSpaces.some(({ id }) => id === destination.siteSpaceId);
  if (!isInSite) {
    const field = isSection ? 'siteSectionId' : 'siteSpaceId';
    throw fieldInvalid(`destination.${field}`, 'must be the identifier of an entry of the site');
  }
  return destination;
}
