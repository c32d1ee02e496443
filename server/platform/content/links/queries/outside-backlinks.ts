/** Finds the links to a page in the content of other spaces. */
import { type Address, addressInApp } from '../../../../content/links/address.ts';
import { type Source, sourceName } from '../../../../content/links/keys.ts';
import { nameOfPage, outwardLinks, sourcesOf } from '../../../../content/links/outward.ts';
import { writtenAddresses } from '../../../../content/links/written-addresses.ts';
import { openContent } from '../../../../content/store/content.ts';
import { requireRevision } from '../../../../content/store/revisions.ts';
import type { LocatedPage } from '../../../../content/tree/content.ts';
import { findMembership } from '../../../../identity/membership.ts';
import { spacesVisibleTo } from '../../../../identity/visible-spaces.ts';
import type { Context } from '../../../kit/slice.ts';
import { type BranchContent, linkScope } from '../rules.ts';

/** Maximum number of other spaces that are searched for links to a page, in the order of their IDs. */
export const MAX_BACKLINK_SPACES = 200;

/** A location in another space that links to a page. */
export interface OutsideSource {
  space: string;
  source: Source;
  /** Keys of the links to the page in the index of the space. */
  keys: ReadonlySet<string>;
}

/** Orders locations by their space, after those of the space of the page (see `sourceName`). */
export const outsideName = ({ space, source }: OutsideSource): string => `~${space} ${sourceName(source)}`;

/**
 * Lists the locations in the main content of other spaces, as far as the caller sees these, that link to a page: as
 * references by ID, and as URLs of the page in the app, on published sites and on the platform that was left.
 */
export async function backlinksFromOtherSpaces(
  ctx: Context,
  opened: BranchContent,
  page: LocatedPage,
): Promise<OutsideSource[]> {
  const { query } = ctx.database;
  const { id: space, organization } = opened.branch.space;
  const member = await findMembership(query, ctx.caller.id, organization);
  if (!member) {
    return [];
  }
  const rows = await spacesVisibleTo(query, member)
    .where('spaces.id', '!=', space)
    .select(['spaces.id', 'spaces.revision'])
    .orderBy('spaces.id')
    .limit(MAX_BACKLINK_SPACES)
    .execute();
  const app = ctx.resourceUrls.at('/app');
  const isPage = (address: Address | undefined) =>
    address?.kind === 'page' && address.space === space && address.page === page.record.id;
  const endings = await endingsOf(page, opened);
  const candidates = [];
  for (const { id, revision } of rows) {
    const open = async () => {
      const { roots, load } = await openContent(query, await requireRevision(query, id, revision));
      return { root: roots.index?.links ?? null, load };
    };
    const { urls, urlsByEnding, pages } = await outwardLinks(revision, open);
    const key = pages.get(nameOfPage(space, page.record.id));
    const ids = key === undefined ? [] : [key];
    const likely = endings.flatMap((ending) => urlsByEnding.get(ending) ?? []);
    if (ids.length > 0 || likely.length > 0) {
      candidates.push({ id, open, ids, urls, likely });
    }
  }
  const { findSpaceAddresses } = linkScope(ctx, opened);
  const found = await findSpaceAddresses([...new Set(candidates.flatMap(({ likely }) => likely))]);
  const sources: OutsideSource[] = [];
  for (const { id, open, ids, urls, likely } of candidates) {
    const leading = likely.filter((url) => isPage(found.get(url) ?? addressInApp(url, app)));
    const keys = new Set([...ids, ...leading.flatMap((url) => urls.get(url) ?? [])]);
    for (const source of keys.size > 0 ? await sourcesOf(await open(), keys) : []) {
      sources.push({ space: id, source, keys });
    }
  }
  return sources;
}

/** Lists the last segments of all URLs that may lead to a page, so that only few have to be resolved. */
async function endingsOf(page: LocatedPage, { branch, content }: BranchContent): Promise<string[]> {
  const addresses = await writtenAddresses({ page }, content, branch.space.id);
  const paths = addresses.flatMap((address) => (address.kind === 'path' ? [address.path] : []));
  const names = paths.map((path) => path.slice(path.lastIndexOf('/') + 1)).filter((name) => name !== '');
  return [...new Set([...names, page.record.id])];
}
