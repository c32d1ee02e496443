import type { components } from '../../../generated/schema.d.ts';
import type { OpenRevision } from '../../content/branch.ts';
import { withComputed } from '../../content/computed/content.ts';
import { bodyOf } from '../../content/threads/body.ts';
import { entryComputer } from '../../content/threads/computed.ts';
import { Documents } from '../../content/threads/documents.ts';
import type { PageNode } from '../../content/tree/records.ts';
import { JsonBytes } from '../../contract/json.ts';
import { notFound } from '../../errors.ts';
import { presentChangeRequest } from '../../models/change-requests/present.ts';
import { mergedBy } from '../../models/change-requests/queries.ts';
import { storedSpecificationFinder } from '../../models/openapi-specs/find.ts';
import { presentFile, presentPage, presentRevision, presentTree } from '../../models/revisions/present.ts';
import type { ListQuery } from '../kit/list.ts';
import type { Context, HandlersOf, OperationId, Services } from '../kit/slice.ts';
import { viewOf } from '../kit/view.ts';
import { answerFiles } from './rules/files.ts';
import { type SourcePath, sourceFor } from './rules/source.ts';

type Schemas = components['schemas'];

interface ContentQuery {
  metadata: boolean;
  computed: boolean;
}

type PageQuery = ContentQuery & { format: Schemas['TextFormat']; evaluated: boolean };

/** A request for the content that its path names. */
interface Request<Path, Query> {
  path: SourcePath & Path;
  query: Query;
}

/**
 * Creates the handlers that read the content of spaces, of change requests, and of revisions of either. All three share
 * one function per operation.
 */
export function contentHandlers(
  services: Services,
): HandlersOf<
  | 'getSpaceContent'
  | 'getSpacePageTree'
  | 'listSpaceFiles'
  | 'getSpaceFile'
  | 'getSpacePage'
  | 'getSpacePageByPath'
  | 'getChangeRequestContent'
  | 'getChangeRequestPageTree'
  | 'listChangeRequestFiles'
  | 'getChangeRequestFile'
  | 'getChangeRequestPage'
  | 'getRevision'
  | 'getRevisionPageTree'
  | 'listRevisionFiles'
  | 'getRevisionPage'
> {
  const { database, addresses } = services;
  const open = async (
    { path, query }: Request<unknown, { computed: boolean }>,
    { caller }: Context,
  ): Promise<OpenRevision> => {
    const { revision, content } = await sourceFor(database.query, caller.id, path);
    if (!query.computed) {
      return { revision, content };
    }
    const find = storedSpecificationFinder(database.query, revision.organization);
    const compute = entryComputer(services, revision.organization, find);
    return { revision, content: withComputed(content, compute) };
  };

  const readContent = async (
    request: Request<unknown, ContentQuery>,
    context: Context,
  ): Promise<Schemas['Revision']> => {
    const { revision, content } = await open(request, context);
    const parts = {
      pages: await content.readTree(),
      files: await content.listFiles(),
      reusableContents: await content.readReusableContents(),
      variables: await content.readVariables(),
    };
    const urls = addresses.revision(revision.space, revision.id);
    const fields = await presentRevision(revision, parts, viewOf(services, revision, request.query), urls);
    return revision.type === 'merge'
      ? {
          ...fields,
          type: 'merge',
          mergedFrom: presentChangeRequest(await mergedBy(database.query, revision.id), addresses),
        }
      : { ...fields, type: revision.type };
  };

  const readPageTree = async (request: Request<unknown, ContentQuery>, context: Context) => {
    const { revision, content } = await open(request, context);
    const pages = await presentTree(await content.readTree(), viewOf(services, revision, request.query));
    return { pages };
  };

  const listFiles =
    (list: OperationId) => async (request: Request<unknown, ContentQuery & ListQuery>, context: Context) => {
      const { revision, content } = await open(request, context);
      const view = viewOf(services, revision, request.query);
      return answerFiles(services, await content.listFiles(), request.query, {
        list,
        owner: ownerOf(request.path),
        present: (file) => presentFile(file, view),
      });
    };

  const readFile = async (request: Request<{ fileId: string }, ContentQuery>, context: Context) => {
    const { revision, content } = await open(request, context);
    const file = await content.readFile(request.path.fileId);
    if (!file) {
      throw notFound('file');
    }
    return presentFile(file, viewOf(services, revision, request.query));
  };

  const answerPage = async (
    { revision, content }: OpenRevision,
    node: PageNode | undefined,
    query: PageQuery,
  ) => {
    if (!node) {
      throw notFound('page');
    }
    const documents = new Documents(services.threads, revision.organization);
    const body = await bodyOf(content, node.record, documents, query);
    const shown = 'document' in body ? { document: JsonBytes.of<Schemas['Document']>(body.document) } : body;
    return presentPage(node, viewOf(services, revision, query), shown);
  };

  const readPage = async (request: Request<{ pageId: string }, PageQuery>, context: Context) => {
    const source = await open(request, context);
    return await answerPage(source, await source.content.readPage(request.path.pageId), request.query);
  };

  return {
    getSpaceContent: readContent,
    getSpacePageTree: readPageTree,
    listSpaceFiles: listFiles('listSpaceFiles'),
    getSpaceFile: readFile,
    getSpacePage: readPage,

    async getSpacePageByPath(request, context) {
      const source = await open(request, context);
      return await answerPage(source, await source.content.findPage(request.path.pagePath), request.query);
    },

    getChangeRequestContent: readContent,
    getChangeRequestPageTree: readPageTree,
    listChangeRequestFiles: listFiles('listChangeRequestFiles'),
    getChangeRequestFile: readFile,
    getChangeRequestPage: readPage,

    getRevision: readContent,
    getRevisionPageTree: readPageTree,
    listRevisionFiles: listFiles('listRevisionFiles'),
    getRevisionPage: readPage,
  };
}

/** Returns a key of the source of a list of files, which binds the cursors of the list to it. */
const ownerOf = ({ spaceId, changeRequestId, revisionId }: SourcePath): string =>
  JSON.stringify([spaceId, changeRequestId, revisionId]);
