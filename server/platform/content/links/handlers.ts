import type { components } from '../../../../generated/schema.d.ts';
import { linksTo } from '../../../content/links/graph.ts';
import { sourceName } from '../../../content/links/keys.ts';
import type { Linked } from '../../../content/links/written-addresses.ts';
import type { LocatedPage } from '../../../content/tree/content.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import { answerSortedList, type ListQuery } from '../../kit/list.ts';
import type { Context, OperationId, Slice } from '../../kit/slice.ts';
import type { BranchPath } from '../content-branches/queries.ts';
import { presentBacklinks, presentLinks } from './present/links.ts';
import { backlinksFromOtherSpaces, type OutsideSource, outsideName } from './queries/outside-backlinks.ts';
import {
  type BranchContent,
  type CheckedLinks,
  checkContentLinks,
  checkPageLinks,
  linkScope,
  openBranchContent,
  requireFile,
  requirePage,
} from './rules.ts';

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

/** A request with a content branch in its path. */
interface Request<Path, Query> {
  path: BranchPath & Path;
  query: Query;
}

type LinksQuery = ListQuery & { status?: Schemas['LinkStatus'] };

async function listBranchLinks(list: OperationId, request: Request<unknown, LinksQuery>, ctx: Context) {
  const opened = await openBranchContent(ctx, request.path);
  const checked = await checkContentLinks(ctx, opened);
  return await answerLinks(list, request, ctx, { opened, checked });
}

async function listBranchPageLinks(
  list: OperationId,
  request: Request<{ pageId: string }, LinksQuery>,
  ctx: Context,
) {
  const opened = await openBranchContent(ctx, request.path);
  const page = await requirePage(opened.content, request.path.pageId);
  const checked = await checkPageLinks(ctx, opened, request.path.pageId);
  return await answerLinks(list, request, ctx, { opened, checked, page });
}

/** @param page the page that contains the links, if they are those of one page */
async function answerLinks(
  list: OperationId,
  { path, query }: Request<unknown, LinksQuery>,
  ctx: Context,
  { opened, checked, page }: { opened: BranchContent; checked: CheckedLinks; page?: LocatedPage },
): Promise<Schemas['LinkList']> {
  const { links, broken, newlyBroken } = checked;
  const { status } = query;
  const selected = status === undefined ? links : links.filter((link) => link.status === status);
  const { items, ...rest } = answerSortedList(ctx, selected, query, {
    list,
    filters: { path, status },
    keyOf: ({ link }) => link.key,
  });
  return {
    ...rest,
    items: await presentLinks(ctx, { ...opened, page }, items),
    stats: {
      total: links.length,
      broken: { total: broken, ...(newlyBroken !== undefined && { changeRequest: newlyBroken }) },
    },
  };
}

async function listBranchPageBacklinks(
  list: OperationId,
  request: Request<{ pageId: string }, ListQuery>,
  ctx: Context,
) {
  const opened = await openBranchContent(ctx, request.path);
  const page = await requirePage(opened.content, request.path.pageId);
  const outside = await backlinksFromOtherSpaces(ctx, opened, page);
  return await answerBacklinks(list, request, ctx, { opened, linked: { page }, outside });
}

async function listBranchFileBacklinks(
  list: OperationId,
  request: Request<{ fileId: string }, ListQuery>,
  ctx: Context,
) {
  const opened = await openBranchContent(ctx, request.path);
  const file = await requireFile(opened.content, request.path.fileId);
  return await answerBacklinks(list, request, ctx, { opened, linked: { file }, outside: [] });
}

async function answerBacklinks(
  list: OperationId,
  { path, query }: Request<unknown, ListQuery>,
  ctx: Context,
  { opened, linked, outside }: { opened: BranchContent; linked: Linked; outside: OutsideSource[] },
): Promise<Schemas['LocationList']> {
  const { sources, keys } = await linksTo(opened.content, linked, linkScope(ctx, opened));
  const own = sources.map((source) => ({ source, name: sourceName(source) }));
  const all = [...own, ...outside.map((link) => ({ link, name: outsideName(link) }))];
  const { items, ...rest } = answerSortedList(ctx, all, query, {
    list,
    filters: { path },
    keyOf: ({ name }) => name,
  });
  const listed = items.flatMap((item) => ('source' in item ? [item.source] : []));
  const elsewhere = items.flatMap((item) => ('link' in item ? [item.link] : []));
  const locations = await presentBacklinks(ctx, opened, { sources: listed, keys });
  return { ...rest, items: [...locations, ...(await presentOutside(ctx, elsewhere))] };
}

/** Presents locations in other spaces, in their order. */
async function presentOutside(ctx: Context, links: readonly OutsideSource[]): Promise<Schemas['Location'][]> {
  const locations: Schemas['Location'][] = [];
  for (const [spaceId, inSpace] of Map.groupBy(links, ({ space }) => space)) {
    // A space that was deleted meanwhile has no locations.
    const opened = await unlessNotFound(openBranchContent(ctx, { spaceId }));
    const keys = inSpace[0]?.keys;
    if (opened && keys) {
      const sources = inSpace.map(({ source }) => source);
      locations.push(...(await presentBacklinks(ctx, opened, { sources, keys })));
    }
  }
  return locations;
}
