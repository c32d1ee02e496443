import type { Selectable } from 'kysely';
import type { components } from '../../../generated/schema.d.ts';
import type { UrlPatterns } from '../../content/links/url-patterns.ts';
import type { Queries, Transaction } from '../../database/database.ts';
import type { StoredSiteVisibility } from '../../database/schema/sites/sites.ts';
import type { SpacesTable } from '../../database/schema/spaces/spaces.ts';
import type { CallerId } from '../../identity/caller.ts';
import type { ResourceUrls } from './resource-urls.ts';

/**
 * What earlier domains call of the sites, which depend on them.
 *
 * @template Context of a request
 */
export interface Hooks<Context> {
  /** Removes spaces from every site that shows them, such as deleted ones. They are not added again when restored. */
  removeFromSites(trx: Transaction, ctx: Context, spaces: readonly string[]): Promise<void>;

  /**
   * Finds a space that a published site shows to the visitor: the oldest of its sites that do.
   *
   * @throws ContractError 404 if no site does, 401 if the visitor token is invalid or a credential is missing
   */
  publishedSpaceFor(ctx: Context, space: string, shareKey: string | undefined): Promise<PublishedSpace>;

  /** Finds the blocks with URL patterns of the integrations that are active in a space. */
  findUrlBlocks(
    queries: Queries,
    space: { id: string; organization: string },
    secretKey: string,
  ): Promise<readonly UrlPatterns[]>;

  /**
   * Requires that the caller sees a site.
   *
   * @throws ContractError 404 if it does not exist for the caller
   */
  requireVisibleSite(
    queries: Queries,
    caller: CallerId,
    site: { organization: string; site: string },
  ): Promise<void>;

  /** Creates a function that converts the sites of installations to their representation. Those of a page are batched. */
  siteExpander(
    queries: Queries,
    caller: CallerId,
    resourceUrls: ResourceUrls,
  ): (installation: {
    target: string;
    organization: string;
  }) => Promise<components['schemas']['Site'] | undefined>;
}

/** A space with the published site that shows it to a visitor. */
interface PublishedSpace {
  row: Selectable<SpacesTable>;
  site: { id: string; visibility: StoredSiteVisibility };
}
