import type { components } from '../../../../generated/schema.d.ts';
import type { Backlinks, Link } from '../../../content/links/graph.ts';
import { nodeName } from '../../../content/links/nodes.ts';
import { locationOfPage } from '../../../content/links/resolve.ts';
import { Documents } from '../../../content/threads/documents.ts';
import type { Content, LocatedPage } from '../../../content/tree/content.ts';
import type { BranchWithAccess } from '../../../models/content-branches/queries.ts';
import type { Context } from '../../kit/slice.ts';
import type { CheckedLink } from './link-status.ts';
import type { Locations } from './locations.ts';

type Schemas = components['schemas'];

/** The content that contains the presented links. */
interface LinkedContent {
  branch: BranchWithAccess;
  content: Content;
  locations: Locations;
}

/**
 * Presents links with the locations that contain them.
 *
 * @param page the page that contains all the links; their blocks are presented as well
 */
export async function presentLinks(
  ctx: Context,
  { branch, content, locations, page }: LinkedContent & { page: LocatedPage | undefined },
  links: readonly CheckedLink[],
): Promise<Schemas['LinkList']['items']> {
  const namesOf = (link: Link) => [...link.keys].map((key) => nodeName(key, link.anchor));
  const names = links.flatMap(({ link }) => namesOf(link));
  const nodes = page && names.length > 0 ? await findLinkNodes(ctx, branch, content, page, names) : undefined;
  return await Promise.all(
    links.map(async ({ link, status, location }) => ({
      status,
      relation: link.relation,
      ...(location && { targetReference: location }),
      locationReferences: await locations.sources(link.sources, async () =>
        nodePosition(nodes, namesOf(link)),
      ),
    })),
  );
}

/** Presents the locations of links to a page or a file. */
export async function presentBacklinks(
  ctx: Context,
  { branch, content, locations }: LinkedContent,
  { sources, keys }: Backlinks,
): Promise<Schemas['Location'][]> {
  const names = [...keys];
  return await locations.sources(sources, async (page) =>
    nodePosition(await findLinkNodes(ctx, branch, content, page, names), names),
  );
}

/** Returns the position of the first of some links in a page. */
function nodePosition(nodes: ReadonlyMap<string, string> | undefined, names: readonly string[]) {
  const node = names.map((name) => nodes?.get(name)).find((key) => key !== undefined);
  return node === undefined ? undefined : ({ type: 'node', node } as const);
}

/** Finds the blocks of a page that contain links, by the names of the links (see `nodesByLink`). */
async function findLinkNodes(
  { threads }: Context,
  { space }: BranchWithAccess,
  content: Content,
  { record, path }: LocatedPage,
  names: readonly string[],
): Promise<Map<string, string>> {
  if (record.type !== 'document') {
    return new Map();
  }
  const location = locationOfPage(record, path);
  const documents = new Documents(threads, space.organization);
  return await documents.linkNodes(await content.readBody(record), { page: record.id, location, names });
}
