/** Describes what references lead to outside of the content, as a caller sees it. */
import { labelOfPage, type TargetLabel } from '../../content/html/targets.ts';
import type { Address } from '../../content/links/address.ts';
import { openContent } from '../../content/store/content.ts';
import { requireRevision } from '../../content/store/revisions.ts';
import type { Queries } from '../../database/database.ts';
import type { CallerId } from '../../identity/caller.ts';
import { membersOf } from '../members/queries.ts';
import type { ResourceUrls } from '../resource-urls.ts';
import { visibleAddresses } from './visible.ts';

/** Title, icon and URL of a target outside of the content. */
export interface OutsideTarget extends TargetLabel {
  url?: string | undefined;
}

/** Describes targets for readers. */
export type DescribeOutside = (address: Address) => Promise<OutsideTarget | undefined>;

/** Returns a function that describes the pages of other spaces, spaces and users that a caller sees. */
export const outsideDescriber =
  (
    queries: Queries,
    resourceUrls: ResourceUrls,
    { caller, organization }: { caller: CallerId; organization: string },
  ): DescribeOutside =>
  async (address) => {
    if (!(await visibleAddresses(queries, caller, organization, [address])).has(address)) {
      return undefined;
    }
    if (address.kind === 'user') {
      const user = await membersOf(queries, organization)
        .where('members.user', '=', address.user)
        .executeTakeFirst();
      return user && { title: user.displayName };
    }
    if ((address.kind !== 'page' && address.kind !== 'space') || address.space === undefined) {
      return undefined;
    }
    const space = await queries
      .selectFrom('spaces')
      .select(['title', 'icon', 'emoji', 'revision'])
      .where('id', '=', address.space)
      .executeTakeFirstOrThrow();
    if (address.kind === 'space') {
      const { title, icon, emoji } = space;
      const label = { title, icon: icon ?? undefined, emoji: emoji ?? undefined };
      return { ...label, url: resourceUrls.space(address.space).app };
    }
    const content = await openContent(queries, await requireRevision(queries, address.space, space.revision));
    const record = (await content.readPages([address.page])).get(address.page);
    const { app } = resourceUrls.page(address.space, address.page);
    const anchor = address.anchor === undefined ? '' : `#${encodeURIComponent(address.anchor)}`;
    return record && { ...labelOfPage(record), url: `${app}${anchor}` };
  };
