import type { components } from '../../../../generated/schema.d.ts';
import type { Target } from '../../../content/links/resolve.ts';
import {
  bodyOf,
  documentOf,
  type LocatedText,
  type ReferenceOptions,
} from '../../../content/threads/body.ts';
import { Documents } from '../../../content/threads/documents.ts';
import type { PageNode } from '../../../content/tree/records.ts';
import { JsonBytes } from '../../../contract/response/json.ts';
import type { Context } from '../../kit/slice.ts';
import { presentChangeRequest } from '../change-requests/present.ts';
import { changeRequestOfMerge } from '../change-requests/queries.ts';
import { referenceScope } from '../references/scope.ts';
import { type ContentView, presentPage, presentRevision } from '../revisions/present.ts';
import { urlsOfRevision } from '../revisions/urls.ts';
import { viewOf } from '../revisions/view.ts';
import type { Source } from './rules.ts';

type Schemas = components['schemas'];

/** Presents a revision with all its content except the bodies of pages. */
export async function presentContent(
  ctx: Context,
  { revision, content, site }: Source,
  options: { metadata: boolean },
): Promise<Schemas['Revision']> {
  const parts = {
    pages: await content.readTree(),
    files: await content.listFiles(),
    reusableContents: await content.readReusableContents(),
    variables: await content.readVariables(),
  };
  const { resourceUrls, database } = ctx;
  const urls = await urlsOfRevision(database.query, revision, resourceUrls);
  const fields = presentRevision(revision, parts, viewOf(ctx, revision, { ...options, site }), urls);
  if (revision.type !== 'merge') {
    return { ...fields, type: revision.type };
  }
  if (site !== undefined) {
    // Change requests are not for visitors.
    return { ...fields, type: 'edits' };
  }
  const mergedFrom = presentChangeRequest(
    await changeRequestOfMerge(database.query, revision.id),
    resourceUrls,
  );
  return { ...fields, type: 'merge', mergedFrom };
}

/** Presents a page with its body in the requested format. */
export async function presentPageWithBody(
  ctx: Context,
  source: Source,
  page: PageNode,
  options: { metadata: boolean; format: Schemas['TextFormat']; evaluated: boolean },
): Promise<Schemas['Page']> {
  const { revision, content, site } = source;
  const documents = new Documents(ctx.threads, revision.organization);
  const { format, evaluated } = options;
  const references = referencesOf(ctx, source, page.record.id, evaluated);
  const body = await bodyOf(content, page, documents, { ...references, format });
  const presented =
    'document' in body ? { document: JsonBytes.of<Schemas['Document']>(body.document) } : body;
  return presentPage(page, viewOf(ctx, revision, { ...options, site }), presented);
}

/**
 * Presents a text of content as a document.
 *
 * @param page ID of the page of the text; empty for a reusable content
 */
export async function presentDocument(
  ctx: Context,
  source: Source,
  text: LocatedText,
  {
    page,
    evaluated,
    dereferenced,
  }: {
    page: string;
    evaluated: boolean | 'deterministic-only';
    dereferenced: Schemas['DocumentDereferencing'];
  },
): Promise<Schemas['Document']> {
  const documents = new Documents(ctx.threads, source.revision.organization);
  const references = {
    ...referencesOf(ctx, source, page, evaluated !== false),
    dereferenced: dereferenced !== 'false',
  };
  return JsonBytes.of<Schemas['Document']>(await documentOf(source.content, text, documents, references));
}

/** Returns how the references of a text are resolved for its reader. Visitors see those within the space only. */
function referencesOf(
  ctx: Context,
  { revision, site }: Source,
  page: string,
  evaluated: boolean,
): ReferenceOptions {
  const view = viewOf(ctx, revision, { metadata: false, site });
  const { space, organization } = revision;
  return {
    evaluated,
    findBlocks: () => ctx.hooks.findUrlBlocks(ctx.database.query, { id: space, organization }, ctx.secretKey),
    hrefOf: ({ ref, target }) => hrefOfReference(ctx, view, page, ref, target),
    scope:
      site === undefined
        ? referenceScope(ctx, { id: space, organization })
        : { space, app: ctx.resourceUrls.at('/app'), findVisible: async () => new Set() },
  };
}

/** Returns the URL of the target of a reference; undefined if the target has none. */
function hrefOfReference(
  { resourceUrls }: Context,
  view: ContentView,
  page: string,
  ref: Schemas['DocumentRef'],
  target: Target,
): string | undefined {
  switch (ref.kind) {
    case 'page':
    case 'anchor': {
      const id = ref.page ?? page;
      const { app } = ref.space === undefined ? view.pageUrls(id) : resourceUrls.page(ref.space, id);
      return ref.kind === 'anchor' ? `${app}#${encodeURIComponent(ref.anchor)}` : app;
    }
    case 'file':
      return target.kind === 'file' ? view.downloadURL(target.file) : undefined;
    case 'space':
      return resourceUrls.space(ref.space).app;
    case 'collection':
      return resourceUrls.collection(ref.collection).app;
    case 'user':
      return resourceUrls.user(ref.user).location;
    default:
      return undefined;
  }
}
