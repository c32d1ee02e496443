import type { components } from '../../../generated/schema.d.ts';
import { openBranch } from '../../content/branch.ts';
import { withComputed } from '../../content/computed/content.ts';
import { type Link, linksFrom, linksIn, linksTo } from '../../content/links/graph.ts';
import { type Source, sourceName } from '../../content/links/keys.ts';
import { nodeName } from '../../content/links/nodes.ts';
import { openContent } from '../../content/store/content.ts';
import { requireRevision } from '../../content/store/revisions.ts';
import { addressFinder } from '../../content/threads/addresses.ts';
import { entryComputer } from '../../content/threads/computed.ts';
import type { Content, PagePlace } from '../../content/tree/content.ts';
import { notFound } from '../../errors.ts';
import { ancestorOf } from '../../models/change-requests/queries.ts';
import { type BranchPath, branchFor, type FoundBranch } from '../../models/content-branches/queries.ts';
import { storedSpecificationFinder } from '../../models/openapi-specs/find.ts';
import type { ListQuery } from '../kit/list.ts';
import type { Context, HandlersOf, OperationId, Services } from '../kit/slice.ts';
import { Locations, nodesOf } from './present/locations.ts';
import { Judge } from './rules/judge.ts';
import { answerKeyed } from './rules/paging.ts';

type Schemas = components['schemas'];

/** A request for the content of a branch. */
interface Request<Path, Query> {
  path: BranchPath & Path;
  query: Query;
}

type LinksQuery = ListQuery & { status?: Schemas['LinkStatus'] };

/**
 * Creates the handlers of links and backlinks in spaces and change requests. Both share one function per operation.
 */
export function linkHandlers(
  services: Services,
): HandlersOf<
  | 'listSpaceLinks'
  | 'listSpacePageLinks'
  | 'listSpacePageBacklinks'
  | 'listSpaceFileBacklinks'
  | 'listChangeRequestLinks'
  | 'listChangeRequestPageLinks'
  | 'listChangeRequestPageBacklinks'
  | 'listChangeRequestFileBacklinks'
> {
  const { query: queries } = services.database;
  /** Returns content as readers see it, with its computed pages. */
  const withComputedPages = (content: Content, { space }: FoundBranch) =>
    withComputed(
      content,
      entryComputer(services, space.organization, storedSpecificationFinder(queries, space.organization)),
    );
  const open = async ({ path }: Request<unknown, unknown>, { caller }: Context) => {
    const branch = await branchFor(queries, caller.id, path, 'view');
    const { revision, content: stored } = await openBranch(queries, branch);
    const content = withComputedPages(stored, branch);
    const locations = await Locations.of(services, branch, { revision, content });
    return { branch, content, locations };
  };

  /** Lists the links that `read` finds in the content, and counts those broken since the change request started. */
  const answerLinks = async (
    list: OperationId,
    request: Request<unknown, LinksQuery>,
    context: Context,
    { branch, content, locations }: { branch: FoundBranch; content: Content; locations: Locations },
    options: { read: (content: Content) => Promise<Link[]>; page?: PagePlace },
  ): Promise<Schemas['LinkList']> => {
    const judge = new Judge(services, locations, context.caller.id);
    const links = await judge.all(await options.read(content));
    const broken = links.filter(({ status }) => status === 'broken');
    let newlyBroken: number | undefined;
    if (branch.changeRequest) {
      const ancestor = await requireRevision(queries, branch.space.id, ancestorOf(branch.changeRequest));
      const start = withComputedPages(await openContent(queries, ancestor), branch);
      const before = await judge.all(await options.read(start));
      const brokenBefore = new Set(
        before.flatMap(({ link, status }) => (status === 'broken' ? [link.key] : [])),
      );
      newlyBroken = broken.filter(({ link }) => !brokenBefore.has(link.key)).length;
    }
    const { status } = request.query;
    const selected = status === undefined ? links : links.filter((judged) => judged.status === status);
    const answer = answerKeyed(services, selected, request.query, {
      list,
      filters: { path: request.path, status },
      keyOf: ({ link }) => link.key,
    });
    const namesOf = (link: Link) => [...link.keys].map((key) => nodeName(key, link.anchor));
    const names = answer.items.flatMap(({ link }) => namesOf(link));
    const nodes =
      options.page && names.length > 0
        ? await nodesOf(services, branch, content, options.page, names)
        : undefined;
    const places = await Promise.all(
      answer.items.map(async ({ link }) => {
        const node =
          nodes &&
          namesOf(link)
            .map((name) => nodes.get(name))
            .find(Boolean);
        const position = node === undefined ? undefined : ({ type: 'node', node } as const);
        return (await locations.sources([link.sources], async () => position))[0] ?? [];
      }),
    );
    return {
      ...answer,
      items: answer.items.map(({ link, status, location }, at) => ({
        status,
        relation: link.relation,
        ...(location && { targetReference: location }),
        locationReferences: places[at] ?? [],
      })),
      stats: {
        total: links.length,
        broken: { total: broken.length, ...(newlyBroken !== undefined && { changeRequest: newlyBroken }) },
      },
    };
  };

  const listLinks =
    (list: OperationId) =>
    async (request: Request<unknown, LinksQuery>, context: Context): Promise<Schemas['LinkList']> => {
      const opened = await open(request, context);
      const read = (content: Content) => linksIn(content, opened.branch.space.id);
      return await answerLinks(list, request, context, opened, { read });
    };

  const listPageLinks =
    (list: OperationId) =>
    async (
      request: Request<{ pageId: string }, LinksQuery>,
      context: Context,
    ): Promise<Schemas['LinkList']> => {
      const opened = await open(request, context);
      const { pageId } = request.path;
      const placeIn = async (content: Content) => (await content.readPlaces([pageId])).get(pageId);
      const page = await placeIn(opened.content);
      if (!page) {
        throw notFound('page');
      }
      const { space } = opened.branch;
      const findAddresses = addressFinder(services, space.organization);
      const read = async (content: Content) => {
        const place = await placeIn(content);
        return place ? await linksFrom(content, place, space.id, findAddresses) : [];
      };
      return await answerLinks(list, request, context, opened, { read, page });
    };

  const answerBacklinks = async (
    list: OperationId,
    request: Request<unknown, ListQuery>,
    { branch, content, locations }: { branch: FoundBranch; content: Content; locations: Locations },
    linked: Parameters<typeof linksTo>[1],
  ): Promise<Schemas['LocationList']> => {
    const { sources, keys } = await linksTo(content, linked, branch.space.id);
    const answer = answerKeyed(services, sources, request.query, {
      list,
      filters: { path: request.path },
      keyOf: (source: Source) => sourceName(source),
    });
    const items = await locations.sources([answer.items], async (place) => {
      const nodes = await nodesOf(services, branch, content, place, [...keys]);
      const node = [...keys].map((key) => nodes.get(key)).find((one) => one !== undefined);
      return node === undefined ? undefined : { type: 'node', node };
    });
    return { ...answer, items: items[0] ?? [] };
  };

  const listPageBacklinks =
    (list: OperationId) => async (request: Request<{ pageId: string }, ListQuery>, context: Context) => {
      const opened = await open(request, context);
      const page = (await opened.content.readPlaces([request.path.pageId])).get(request.path.pageId);
      if (!page) {
        throw notFound('page');
      }
      return await answerBacklinks(list, request, opened, { page });
    };

  const listFileBacklinks =
    (list: OperationId) => async (request: Request<{ fileId: string }, ListQuery>, context: Context) => {
      const opened = await open(request, context);
      const file = await opened.content.readFile(request.path.fileId);
      if (!file) {
        throw notFound('file');
      }
      return await answerBacklinks(list, request, opened, { file });
    };

  return {
    listSpaceLinks: listLinks('listSpaceLinks'),
    listSpacePageLinks: listPageLinks('listSpacePageLinks'),
    listSpacePageBacklinks: listPageBacklinks('listSpacePageBacklinks'),
    listSpaceFileBacklinks: listFileBacklinks('listSpaceFileBacklinks'),
    listChangeRequestLinks: listLinks('listChangeRequestLinks'),
    listChangeRequestPageLinks: listPageLinks('listChangeRequestPageLinks'),
    listChangeRequestPageBacklinks: listPageBacklinks('listChangeRequestPageBacklinks'),
    listChangeRequestFileBacklinks: listFileBacklinks('listChangeRequestFileBacklinks'),
  };
}
