import type { components } from '../../../../../generated/schema.d.ts';
import type { Backlinks, Link } from '../../../../content/links/graph.ts';
import type { LinkPosition } from '../../../../content/links/nodes.ts';
import { formatAddress, locationOfPage } from '../../../../content/links/resolve.ts';
import { Documents } from '../../../../content/threads/documents.ts';
import type { Content, LocatedPage } from '../../../../content/tree/content.ts';
import type { Context } from '../../../kit/slice.ts';
import type { BranchWithAccess } from '../../content-branches/queries.ts';
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
  const names = links.flatMap(({ link }) => namesOf(link));
  const nodes = page && names.length > 0 ? await findLinkNodes(ctx, branch, content, page, names) : undefined;
  const positions = page ? undefined : await findBrokenLinks(ctx, { branch, content, locations }, links);
  return await Promise.all(
    links.map(async ({ link, status, location }) => ({
      status,
      relation: link.relation,
      ...(location && { targetReference: location }),
      ...(status === 'broken' && { address: link.url ?? formatAddress(link.address, link.anchor) }),
      locationReferences: await locations.sources(link.sources, async ({ record }) =>
        nodePosition(positions?.get(record.id) ?? nodes, status === 'broken' || nodes ? namesOf(link) : []),
      ),
    })),
  );
}

const namesOf = (link: Link): string[] => [...link.names];

/** Maximum number of pages per request to locate broken links in. */
export const MAX_LOCATED_PAGES = 50;

/** Finds the positions of broken links in the pages that contain them, by page. */
async function findBrokenLinks(
  ctx: Context,
  { branch, content }: LinkedContent,
  links: readonly CheckedLink[],
): Promise<Map<string, ReadonlyMap<string, LinkPosition>>> {
  const names = new Map<string, string[]>();
  for (const { link, status } of links) {
    for (const source of status === 'broken' ? link.sources : []) {
      if (source.kind === 'page' && (names.has(source.id) || names.size < MAX_LOCATED_PAGES)) {
        names.set(source.id, [...(names.get(source.id) ?? []), ...namesOf(link)]);
      }
    }
  }
  const positions = new Map<string, ReadonlyMap<string, LinkPosition>>();
  const located = await content.readLocatedPages(names.keys());
  // One at a time, so that the work does not fill the queue of the threads.
  for (const [id, page] of located) {
    positions.set(id, await findLinkNodes(ctx, branch, content, page, names.get(id) ?? []));
  }
  return positions;
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
function nodePosition(nodes: ReadonlyMap<string, LinkPosition> | undefined, names: readonly string[]) {
  const position = names.map((name) => nodes?.get(name)).find((candidate) => candidate !== undefined);
  return position && ({ type: 'node', ...position } as const);
}

/** Finds the blocks of a page that contain links, by the names of the links (see `nodesByLink`). */
async function findLinkNodes(
  { threads }: Context,
  { space }: BranchWithAccess,
  content: Content,
  { record, path }: LocatedPage,
  names: readonly string[],
): Promise<Map<string, LinkPosition>> {
  if (record.type !== 'document') {
    return new Map();
  }
  const location = locationOfPage(record, path);
  const documents = new Documents(threads, space.organization);
  return await documents.linkNodes(await content.readBody(record), { page: record.id, location, names });
}
