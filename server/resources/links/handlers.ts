import type { components } from '../../../generated/schema.d.ts';
import { openBranch } from '../../content/branch.ts';
import { type Link, type Linked, linksFrom, linksIn, linksTo } from '../../content/links/graph.ts';
import { sourceName } from '../../content/links/keys.ts';
import { openContent } from '../../content/store/content.ts';
import { requireRevision } from '../../content/store/revisions.ts';
import { addressFinder } from '../../content/threads/addresses.ts';
import type { Content, LocatedPage } from '../../content/tree/content.ts';
import { notFound } from '../../errors.ts';
import { ancestorOf } from '../../models/change-requests/queries.ts';
import { type BranchPath, type BranchWithAccess, branchFor } from '../../models/content-branches/queries.ts';
import { withComputedPages } from '../../models/openapi-specs/computed.ts';
import { answerSortedList, type ListQuery } from '../kit/list.ts';
import type { Context, OperationId, Slice } from '../kit/slice.ts';
import { checkLinks } from './present/link-status.ts';
import { presentBacklinks, presentLinks } from './present/links.ts';
import { Locations } from './present/locations.ts';

type Schemas = components['schemas'];

/** Handlers of links and backlinks in spaces and in change requests. Both share one function per operation. */
export const linkHandlers = {
  listSpaceLinks: (request, ctx) => listBranchLinks('listSpaceLinks', request, ctx),
  listSpacePageLinks: (request, ctx) => listBranchPageLinks('listSpacePageLinks', request, ctx),
  listSpacePageBacklinks: (request, ctx) => listBranchPageBacklinks('listSpacePageBacklinks', request, ctx),
  listSpaceFileBacklinks: (request, ctx) => listBranchFileBacklinks('listSpaceFileBacklinks', request, ctx),

  listChangeRequestLinks: (request, ctx) => listBranchLinks('listChangeRequestLinks', request, ctx),
  listChangeRequestPageLinks: (request, ctx) =>
    listBranchPageLinks('listChangeRequestPageLinks', request, ctx),
  listChangeRequestPageBacklinks: (request, ctx) =>
    listBranchPageBacklinks('listChangeRequestPageBacklinks', request, ctx),
  listChangeRequestFileBacklinks: (request, ctx) =>
    listBranchFileBacklinks('listChangeRequestFileBacklinks', request, ctx),
} satisfies Slice;

/** A request whose path names a content branch. */
interface Request<Path, Query> {
  path: BranchPath & Path;
  query: Query;
}

type LinksQuery = ListQuery & { status?: Schemas['LinkStatus'] };

/** The content of a branch as readers see it, with its computed pages. */
interface BranchContent {
  branch: BranchWithAccess;
  content: Content;
  locations: Locations;
}

async function openContentOf(path: BranchPath, ctx: Context): Promise<BranchContent> {
  const { query } = ctx.database;
  const branch = await branchFor(query, ctx.caller.id, path, 'view');
  const { revision, content: stored } = await openBranch(query, branch);
  const content = withComputedPages(ctx, branch.space.organization, stored);
  const locations = await Locations.of(ctx, branch, { revision, content });
  return { branch, content, locations };
}

async function listBranchLinks(list: OperationId, request: Request<unknown, LinksQuery>, ctx: Context) {
  const opened = await openContentOf(request.path, ctx);
  const read = (content: Content) => linksIn(content, opened.branch.space.id);
  return await answerLinks(list, request, ctx, { opened, read });
}

async function listBranchPageLinks(
  list: OperationId,
  request: Request<{ pageId: string }, LinksQuery>,
  ctx: Context,
) {
  const opened = await openContentOf(request.path, ctx);
  const page = await findPage(opened.content, request.path.pageId);
  if (!page) {
    throw notFound('page');
  }
  const { id, organization } = opened.branch.space;
  const findAddresses = addressFinder(ctx, organization);
  const read = async (content: Content) => {
    const current = await findPage(content, request.path.pageId);
    return current ? await linksFrom(content, current, id, findAddresses) : [];
  };
  return await answerLinks(list, request, ctx, { opened, read, page });
}

/**
 * Lists the links that `read` finds in the content.
 *
 * @param page the page that contains the links, if they are those of one page
 */
async function answerLinks(
  list: OperationId,
  { path, query }: Request<unknown, LinksQuery>,
  ctx: Context,
  {
    opened,
    read,
    page,
  }: { opened: BranchContent; read: (content: Content) => Promise<Link[]>; page?: LocatedPage },
): Promise<Schemas['LinkList']> {
  const { branch, content, locations } = opened;
  const links = await checkLinks(ctx, locations, await read(content));
  const broken = links.filter(({ status }) => status === 'broken');
  let newlyBroken: number | undefined;
  if (branch.changeRequest) {
    const { query: queries } = ctx.database;
    const ancestor = await requireRevision(queries, branch.space.id, ancestorOf(branch.changeRequest));
    const stored = await openContent(queries, ancestor);
    const before = withComputedPages(ctx, branch.space.organization, stored);
    const linksBefore = await checkLinks(ctx, locations, await read(before));
    const brokenBefore = new Set(
      linksBefore.flatMap(({ link, status }) => (status === 'broken' ? [link.key] : [])),
    );
    newlyBroken = broken.filter(({ link }) => !brokenBefore.has(link.key)).length;
  }
  const { status } = query;
  const selected = status === undefined ? links : links.filter((link) => link.status === status);
  const { items, ...rest } = answerSortedList(ctx, selected, query, {
    list,
    filters: { path, status },
    keyOf: ({ link }) => link.key,
  });
  return {
    ...rest,
    items: await presentLinks(ctx, { branch, content, locations, page }, items),
    stats: {
      total: links.length,
      broken: { total: broken.length, ...(newlyBroken !== undefined && { changeRequest: newlyBroken }) },
    },
  };
}

async function listBranchPageBacklinks(
  list: OperationId,
  request: Request<{ pageId: string }, ListQuery>,
  ctx: Context,
) {
  const opened = await openContentOf(request.path, ctx);
  const page = await findPage(opened.content, request.path.pageId);
  if (!page) {
    throw notFound('page');
  }
  return await answerBacklinks(list, request, ctx, { opened, linked: { page } });
}

async function listBranchFileBacklinks(
  list: OperationId,
  request: Request<{ fileId: string }, ListQuery>,
  ctx: Context,
) {
  const opened = await openContentOf(request.path, ctx);
  const file = await opened.content.readFile(request.path.fileId);
  if (!file) {
    throw notFound('file');
  }
  return await answerBacklinks(list, request, ctx, { opened, linked: { file } });
}

async function answerBacklinks(
  list: OperationId,
  { path, query }: Request<unknown, ListQuery>,
  ctx: Context,
  { opened, linked }: { opened: BranchContent; linked: Linked },
): Promise<Schemas['LocationList']> {
  const { sources, keys } = await linksTo(opened.content, linked, opened.branch.space.id);
  const { items, ...rest } = answerSortedList(ctx, sources, query, {
    list,
    filters: { path },
    keyOf: sourceName,
  });
  return { ...rest, items: await presentBacklinks(ctx, opened, { sources: items, keys }) };
}

async function findPage(content: Content, id: string): Promise<LocatedPage | undefined> {
  return (await content.readLocatedPages([id])).get(id);
}
