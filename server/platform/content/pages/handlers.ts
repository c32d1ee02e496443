import type { components } from '../../../../generated/schema.d.ts';
import { textOfPage, textOfReusableContent } from '../../../content/threads/body.ts';
import type { FileRecord } from '../../../content/tree/records.ts';
import { notFound } from '../../../errors/errors.ts';
import { answerSortedList, type ListQuery } from '../../kit/list.ts';
import type { Context, OperationId, Slice } from '../../kit/slice.ts';
import { presentFile, presentTree } from '../revisions/present.ts';
import { viewOf } from '../revisions/view.ts';
import { readChangeRequestChanges, readRevisionChanges } from './present/changes.ts';
import { presentContent, presentDocument, presentPageWithBody } from './present.ts';
import { openSource, type SourcePath } from './rules.ts';

type Schemas = components['schemas'];

/**
 * Handlers that read the content of spaces, of change requests, and of revisions of either. All three share one
 * function per operation.
 */
export const contentHandlers = {
  getSpaceContent: getContent,
  getSpacePageTree: getPageTree,
  listSpaceFiles: (request, ctx) => listFiles('listSpaceFiles', request, ctx),
  getSpaceFile: getFile,
  getSpacePage: getPage,

  getSpacePageByPath: getPageByPath,

  getChangeRequestContent: getContent,
  getChangeRequestPageTree: getPageTree,
  listChangeRequestFiles: (request, ctx) => listFiles('listChangeRequestFiles', request, ctx),
  getChangeRequestFile: getFile,
  getChangeRequestPage: getPage,
  getChangeRequestPageByPath: getPageByPath,

  async getChangeRequestChanges({ path, query }, ctx) {
    return await readChangeRequestChanges(ctx, path, query.limit);
  },

  getRevision: getContent,
  getRevisionPageTree: getPageTree,
  listRevisionFiles: (request, ctx) => listFiles('listRevisionFiles', request, ctx),
  getRevisionPage: getPage,
  getRevisionChanges: ({ path, query }, ctx) => readRevisionChanges(ctx, path, query.limit),
  getRevisionPageByPath: getPageByPath,

  async getRevisionPageDocument({ path, query }, ctx) {
    const source = await openSource(ctx, { ...path, computed: true });
    const page = await source.content.readPage(path.pageId);
    const text = page && (await textOfPage(source.content, page));
    if (!text) {
      throw notFound('page');
    }
    return await presentDocument(ctx, source, text, { page: path.pageId, ...query });
  },

  async getRevisionReusableContentDocument({ path, query }, ctx) {
    const source = await openSource(ctx, { ...path, computed: false });
    const text = await textOfReusableContent(source.content, path.reusableContentId);
    if (!text) {
      throw notFound('reusable content');
    }
    return await presentDocument(ctx, source, text, { page: '', ...query });
  },
} satisfies Slice;

/** A request for the content that its path names. */
interface Request<Path, Query> {
  path: SourcePath & Path;
  query: Query;
}

interface ContentQuery {
  metadata: boolean;
  computed: boolean;
}

type PageQuery = ContentQuery & { format: Schemas['TextFormat']; evaluated: boolean };

async function getContent({ path, query }: Request<unknown, ContentQuery>, ctx: Context) {
  return await presentContent(ctx, await openSource(ctx, { ...path, ...query }), query);
}

async function getPageTree({ path, query }: Request<unknown, ContentQuery>, ctx: Context) {
  const { revision, content, site } = await openSource(ctx, { ...path, ...query });
  return { pages: presentTree(await content.readTree(), viewOf(ctx, revision, { ...query, site })) };
}

async function listFiles(
  list: OperationId,
  { path, query }: Request<unknown, ContentQuery & ListQuery>,
  ctx: Context,
) {
  const { revision, content, site } = await openSource(ctx, { ...path, ...query });
  const view = viewOf(ctx, revision, { ...query, site });
  const { items, ...page } = answerSortedList(ctx, await content.listFiles(), query, {
    list,
    filters: { owner: ownerOf(path) },
    keyOf: sortKeyOf,
  });
  return { ...page, items: items.map((file) => presentFile(file, view)) };
}

/** Returns a key of the content that contains the files, which binds the cursors of the list to it. */
const ownerOf = ({ spaceId, changeRequestId, revisionId }: SourcePath): string =>
  JSON.stringify([spaceId, changeRequestId, revisionId]);

/** Returns the sort key of a file: its time of creation, then its ID. */
const sortKeyOf = ({ createdAt, id }: FileRecord): string => `${createdAt} ${id}`;

async function getFile({ path, query }: Request<{ fileId: string }, ContentQuery>, ctx: Context) {
  const { revision, content, site } = await openSource(ctx, { ...path, ...query });
  const file = await content.readFile(path.fileId);
  if (!file) {
    throw notFound('file');
  }
  return presentFile(file, viewOf(ctx, revision, { ...query, site }));
}

async function getPage({ path, query }: Request<{ pageId: string }, PageQuery>, ctx: Context) {
  const source = await openSource(ctx, { ...path, ...query });
  const page = await source.content.readPage(path.pageId);
  if (!page) {
    throw notFound('page');
  }
  return await presentPageWithBody(ctx, source, page, query);
}

async function getPageByPath({ path, query }: Request<{ pagePath: string }, PageQuery>, ctx: Context) {
  const source = await openSource(ctx, { ...path, ...query });
  const page = await source.content.findPage(path.pagePath);
  if (!page) {
    throw notFound('page');
  }
  return await presentPageWithBody(ctx, source, page, query);
}
