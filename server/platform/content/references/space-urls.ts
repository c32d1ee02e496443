/** Finds the pages and spaces of an organization that URLs lead to. */
import type { Address } from '../../../content/links/address.ts';
import { resolve } from '../../../content/links/resolve.ts';
import {
  type FindSpaceAddresses,
  isWebUrl,
  parseFormerUrl,
  type SpaceAddresses,
} from '../../../content/links/space-urls.ts';
import { openContent } from '../../../content/store/content.ts';
import { requireRevision } from '../../../content/store/revisions.ts';
import type { Queries } from '../../../database/database.ts';
import { isOneOf } from '../../../database/lookups.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';
import { locatePublishedUrls } from '../../spaces/publications/locate-urls.ts';
import { findSpaceMap } from './space-map.ts';

/** Maximum number of spaces to search for the pages of one list of URLs. */
export const MAX_SEARCHED_SPACES = 200;

/** A location in a space that a URL leads to. */
interface SpaceLocation {
  url: string;
  space: string;
  /** Decoded path of a page; empty for the space. */
  path: string;
  anchor?: string | undefined;
}

/**
 * Returns a function that finds what URLs lead to: those of spaces of the platform that was left, as the space map names
 * them, and those of the published sites of an organization. Only for the platform that was left, unknown spaces and
 * pages are listed: other URLs remain correct.
 */
export const spaceAddressFinder =
  (queries: Queries, resourceUrls: ResourceUrls, organization: string): FindSpaceAddresses =>
  async (urls) => {
    const found = new Map<string, Address | undefined>();
    const locations: SpaceLocation[] = [];
    const former = urls.flatMap((url) => {
      const location = parseFormerUrl(url);
      return location ? [{ url, ...location }] : [];
    });
    if (former.length > 0) {
      const map = await findSpaceMap(queries, organization);
      for (const { url, former: id, path, anchor } of former) {
        found.set(url, undefined);
        // A space that was never moved keeps its ID.
        locations.push({ url, space: map?.spaces.get(id) ?? id, path, anchor });
      }
    }
    const others = urls.filter((url) => !found.has(url) && isWebUrl(url));
    locations.push(...(await locatePublishedUrls(queries, resourceUrls, organization, others)));
    for (const [url, address] of await findPages(queries, organization, locations)) {
      found.set(url, address);
    }
    return found;
  };

/** Finds the pages at locations in spaces of an organization. */
async function findPages(
  queries: Queries,
  organization: string,
  locations: readonly SpaceLocation[],
): Promise<SpaceAddresses> {
  const bySpace = Map.groupBy(locations, ({ space }) => space);
  const ids = [...bySpace.keys()].slice(0, MAX_SEARCHED_SPACES);
  const found = new Map<string, Address>();
  if (ids.length === 0) {
    return found;
  }
  const spaces = await queries
    .selectFrom('spaces')
    .select(['id', 'revision'])
    .where(isOneOf(queries, 'spaces.id', ids))
    .where('organization', '=', organization)
    .where('deletedAt', 'is', null)
    .execute();
  for (const { id: space, revision } of spaces) {
    const within = bySpace.get(space) ?? [];
    const addresses = new Map<Address, SpaceLocation>();
    for (const location of within) {
      if (location.path === '') {
        found.set(location.url, { kind: 'space', space });
      } else {
        addresses.set({ kind: 'path', path: location.path }, location);
      }
    }
    if (addresses.size === 0) {
      continue;
    }
    const content = await openContent(queries, await requireRevision(queries, space, revision));
    for (const [address, target] of await resolve(addresses.keys(), content, space)) {
      const location = addresses.get(address);
      if (location && target.kind === 'page') {
        const { url, anchor } = location;
        const page = { kind: 'page', space, page: target.page.record.id } as const;
        found.set(url, anchor === undefined ? page : { ...page, anchor });
      }
    }
  }
  return found;
}
