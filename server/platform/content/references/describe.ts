/** Describes what references lead to outside of the content, as a caller sees it. */
import { LRUCache } from 'lru-cache';
import { labelOfPage, type TargetLabel } from '../../../content/html/targets.ts';
import type { Address } from '../../../content/links/address.ts';
import { openContent } from '../../../content/store/content.ts';
import { requireRevision } from '../../../content/store/revisions.ts';
import { AnchorReader } from '../../../content/threads/anchor-reader.ts';
import { Documents } from '../../../content/threads/documents.ts';
import type { ContentThreads } from '../../../content/threads/threads.ts';
import type { Content } from '../../../content/tree/content.ts';
import type { Queries } from '../../../database/database.ts';
import type { CallerId } from '../../../identity/caller.ts';
import { membersOf } from '../../accounts/members/queries.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';
import { storedSpecificationFinder } from '../openapi-specs/queries/find.ts';
import { visibleAddresses } from './visible.ts';

/** Maximum number of other spaces that a reader keeps open. */
export const MAX_OPENED_SPACES = 50;

/** Title, icon and URL of a target outside of the content. */
export interface OutsideTarget extends TargetLabel {
  url?: string | undefined;
}

/** Describes targets for readers. */
export type DescribeOutside = (address: Address) => Promise<OutsideTarget | undefined>;

/** A section of a page of another space. */
interface OutsideSection {
  space: string;
  page: string;
  anchor: string;
}

/** What a caller sees outside of a space. */
interface OutsideReader {
  describeOutside: DescribeOutside;
  /** Finds the title of a section of a page of another space. */
  findSectionOutside(section: OutsideSection): Promise<string | undefined>;
}

/** Returns functions that describe the pages of other spaces, their sections, spaces and users that a caller sees. */
export function outsideReader(
  queries: Queries,
  { resourceUrls, threads }: { resourceUrls: ResourceUrls; threads: ContentThreads },
  { caller, organization }: { caller: CallerId; organization: string },
): OutsideReader {
  const opened = new LRUCache<string, { content: Content; anchors: AnchorReader }>({
    max: MAX_OPENED_SPACES,
  });
  const documents = new Documents(threads, organization);
  const isVisible = async (address: Address) =>
    (await visibleAddresses(queries, caller, organization, [address])).has(address);
  /** Opens the main content of a space, once. */
  const open = async (space: string, revision: string) => {
    const known = opened.get(space);
    if (known) {
      return known;
    }
    const content = await openContent(queries, await requireRevision(queries, space, revision));
    const anchors = new AnchorReader(content, documents, {
      space,
      app: resourceUrls.at('/app'),
      findSpecification: storedSpecificationFinder(queries, organization),
    });
    opened.set(space, { content, anchors });
    return { content, anchors };
  };
  const findSpace = async (id: string) =>
    await queries
      .selectFrom('spaces')
      .select(['title', 'icon', 'emoji', 'revision'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
  return {
    async describeOutside(address) {
      if (!(await isVisible(address))) {
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
      const space = await findSpace(address.space);
      if (address.kind === 'space') {
        const { title, icon, emoji } = space;
        const label = { title, icon: icon ?? undefined, emoji: emoji ?? undefined };
        return { ...label, url: resourceUrls.space(address.space).app };
      }
      const { content } = await open(address.space, space.revision);
      const record = (await content.readPages([address.page])).get(address.page);
      const { app } = resourceUrls.page(address.space, address.page);
      const anchor = address.anchor === undefined ? '' : `#${encodeURIComponent(address.anchor)}`;
      return record && { ...labelOfPage(record), url: `${app}${anchor}` };
    },

    async findSectionOutside({ space, page, anchor }) {
      if (!(await isVisible({ kind: 'page', space, page }))) {
        return undefined;
      }
      const { content, anchors } = await open(space, (await findSpace(space)).revision);
      const located = (await content.readLocatedPages([page])).get(page);
      return located && (await anchors.findSection(located, anchor))?.title;
    },
  };
}
