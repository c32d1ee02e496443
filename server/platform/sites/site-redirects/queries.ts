import type { Selectable } from 'kysely';
import type { Queries } from '../../../database/database.ts';
import type { SiteRedirectsTable } from '../../../database/schema/sites/site-redirects.ts';
import { notFound } from '../../../errors/errors.ts';
import { decodeSegments } from '../../spaces/publications/urls.ts';

export type SiteRedirectRow = Selectable<SiteRedirectsTable>;

/** Maximum length of a path of a site that is looked up in its redirects. */
export const MAX_REDIRECTED_CHARACTERS = 2048;

/** Selects the redirects of a site. */
export const siteRedirectsOf = (queries: Queries, site: string) =>
  queries.selectFrom('siteRedirects').selectAll().where('siteRedirects.site', '=', site);

/**
 * Finds a redirect of a site by its ID.
 *
 * @throws ContractError 404 if the site has none
 */
export async function siteRedirectOf(queries: Queries, site: string, id: string): Promise<SiteRedirectRow> {
  const row = await siteRedirectsOf(queries, site).where('id', '=', id).executeTakeFirst();
  if (!row) {
    throw notFound('redirect');
  }
  return row;
}

/** What a redirect applies to. */
export type RedirectPattern = Pick<SiteRedirectRow, 'path' | 'wildcard'>;

/** Parses the source of a redirect in the form that the contract requires; undefined if its encoding is invalid. */
export function patternOf(source: string): RedirectPattern | undefined {
  const wildcard = !source.endsWith('*') ? '' : source.endsWith('/*') ? 'segments' : 'text';
  const segments = decodeSegments(wildcard === '' ? source : source.slice(0, -1));
  return segments && { path: pathOf(segments), wildcard };
}

/** Accents may be encoded in two ways. */
const pathOf = (segments: readonly string[]): string => segments.join('/').normalize('NFC');

/** A redirect of a path. */
export interface MatchingRedirect {
  row: SiteRedirectRow;
  /** Segments that the wildcard matches, if they are appended to the destination. */
  rest: readonly string[];
}

/** Finds the redirect of a path of a site: that of exactly this path, or else the one with the longest wildcard. */
export async function findSiteRedirect(
  queries: Queries,
  site: string,
  segments: readonly string[],
): Promise<MatchingRedirect | undefined> {
  const path = pathOf(segments);
  if (path === '' || path.length > MAX_REDIRECTED_CHARACTERS) {
    return undefined;
  }
  const rows = await siteRedirectsOf(queries, site)
    .where('draft', '=', 0)
    .where((row) => row.or([row('path', '=', path), row('wildcard', '!=', '')]))
    .execute();
  const [row] = rows
    .filter((candidate) => matches(candidate, path))
    .toSorted(
      (a, b) => Number(a.wildcard !== '') - Number(b.wildcard !== '') || b.path.length - a.path.length,
    );
  const rest = row && row.wildcard !== '' && row.captureWildcard === 1 ? path.slice(row.path.length) : '';
  return row && { row, rest: rest.split('/').filter(Boolean) };
}

const matches = ({ path: start, wildcard }: RedirectPattern, path: string): boolean =>
  wildcard === '' ? path === start : path.startsWith(wildcard === 'text' ? start : `${start}/`);
