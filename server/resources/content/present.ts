import type { components } from '../../../generated/schema.d.ts';
import type { ResolvedReference } from '../../content/links/page-references.ts';
import type { Target } from '../../content/links/resolve.ts';
import type { OpenRevision } from '../../content/store/content.ts';
import { bodyOf } from '../../content/threads/body.ts';
import { Documents } from '../../content/threads/documents.ts';
import type { PageNode } from '../../content/tree/records.ts';
import { JsonBytes } from '../../contract/json.ts';
import { presentChangeRequest } from '../../models/change-requests/present.ts';
import { changeRequestOfMerge } from '../../models/change-requests/queries.ts';
import { type ContentView, presentPage, presentRevision } from '../../models/revisions/present.ts';
import { urlsOfRevision } from '../../models/revisions/urls.ts';
import { referenceScope } from '../kit/references.ts';
import type { Context } from '../kit/slice.ts';
import { viewOf } from '../kit/view.ts';

type Schemas = components['schemas'];

/** Presents a revision with all its content except the bodies of pages. */
export async function presentContent(
  ctx: Context,
  { revision, content }: OpenRevision,
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
  const fields = presentRevision(revision, parts, viewOf(ctx, revision, options), urls);
  if (revision.type !== 'merge') {
    return { ...fields, type: revision.type };
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
  { revision, content }: OpenRevision,
  page: PageNode,
  options: { metadata: boolean; format: Schemas['TextFormat']; evaluated: boolean },
): Promise<Schemas['Page']> {
  const documents = new Documents(ctx.threads, revision.organization);
  const view = viewOf(ctx, revision, options);
  const hrefOf = ({ ref, target }: ResolvedReference) =>
    hrefOfReference(ctx, view, page.record.id, ref, target);
  const scope = referenceScope(ctx, { id: revision.space, organization: revision.organization });
  const body = await bodyOf(content, page, documents, { ...options, scope, hrefOf });
  const presented =
    'document' in body ? { document: JsonBytes.of<Schemas['Document']>(body.document) } : body;
  return presentPage(page, view, presented);
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
