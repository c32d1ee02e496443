import type { components } from '../../../../../generated/schema.d.ts';
import { openBranch } from '../../../../content/branch.ts';
import { defined } from '../../../../content/markdown/document.ts';
import { compareValues } from '../../../../content/merge/page-changes.ts';
import { compareContents, type SemanticChange } from '../../../../content/merge/semantic-changes.ts';
import { type OpenRevision, openContent } from '../../../../content/store/content.ts';
import { findRevision, type RevisionRow } from '../../../../content/store/revisions.ts';
import type { LocatedPage } from '../../../../content/tree/content.ts';
import { type FileRecord, type ReusableRecord, slugOf } from '../../../../content/tree/records.ts';
import { readJson } from '../../../../database/json.ts';
import { notFound } from '../../../../errors/errors.ts';
import type { Context } from '../../../kit/slice.ts';
import { spaceFor } from '../../../spaces/spaces/queries.ts';
import { ancestorOf, type ChangeRequestPath } from '../../change-requests/queries.ts';
import { branchFor } from '../../content-branches/queries.ts';
import { type ContentView, presentFile, presentReusableContent } from '../../revisions/present.ts';
import { viewOf } from '../../revisions/view.ts';

type Schemas = components['schemas'];

/**
 * Compares the content of a change request with the revision of the space that it was created from or last updated to.
 *
 * @param limit maximum number of changes to return
 */
export async function readChangeRequestChanges(
  ctx: Context,
  path: ChangeRequestPath,
  limit: number,
): Promise<Schemas['SemanticChanges']> {
  const { query } = ctx.database;
  const branch = await branchFor(query, ctx.caller.id, path, 'view');
  const ancestor = await openBranch(query, {
    space: branch.space,
    revision: ancestorOf(branch.changeRequest),
  });
  return await compare(ctx, ancestor, await openBranch(query, branch), limit);
}

/**
 * Compares the content of a revision with that of the revision that it follows.
 *
 * @param limit maximum number of changes to return
 * @throws ContractError 404 if it does not exist or is not visible to the caller
 */
export async function readRevisionChanges(
  ctx: Context,
  { spaceId, revisionId }: { spaceId: string; revisionId: string },
  limit: number,
): Promise<Schemas['SemanticChanges']> {
  const { query } = ctx.database;
  await spaceFor(query, ctx.caller.id, spaceId, 'view');
  const revision = await findRevision(query, spaceId, revisionId);
  if (!revision) {
    throw notFound('revision');
  }
  const [parent] = readJson(revision.parents);
  if (parent === undefined) {
    return { changes: [] };
  }
  const open = async (row: RevisionRow): Promise<OpenRevision> => ({
    revision: row,
    content: await openContent(query, row),
  });
  // Old revisions can be deleted.
  const before = await findRevision(query, spaceId, parent);
  if (!before) {
    throw notFound('revision');
  }
  return await compare(ctx, await open(before), await open(revision), limit);
}

async function compare(
  ctx: Context,
  before: OpenRevision,
  after: OpenRevision,
  limit: number,
): Promise<Schemas['SemanticChanges']> {
  const { changes, more } = await compareContents(before.content, after.content, limit);
  const view = viewOf(ctx, after.revision, { metadata: false });
  return { changes: changes.map((change) => presentChange(change, view)), ...(more > 0 && { more }) };
}

function presentChange(change: SemanticChange, view: ContentView): Schemas['SemanticChange'] {
  switch (change.type) {
    case 'page_created':
    case 'page_deleted':
      return { type: change.type, page: presentPage(change.page) };
    case 'page_edited':
      return { type: change.type, page: presentPage(change.page), attributes: change.attributes };
    case 'page_moved': {
      const { before, after } = change.parent;
      return {
        type: change.type,
        page: presentPage(change.page),
        parent: {
          ...(before && { before: presentPage(before) }),
          ...(after && { after: presentPage(after) }),
        },
      };
    }
    case 'file_created':
    case 'file_deleted':
      return { type: change.type, file: presentFile(change.file, view) };
    case 'file_edited':
      return {
        type: change.type,
        file: presentFile(change.file, view),
        attributes: fileAttributes(change, view),
      };
    case 'reusable_content_created':
    case 'reusable_content_deleted':
      return { type: change.type, reusableContent: presentReusableContent(change.reusable, view) };
    case 'reusable_content_edited':
      return {
        type: change.type,
        reusableContent: presentReusableContent(change.reusable, view),
        attributes: reusableContentAttributes(change),
      };
    case 'variables_edited':
      return { type: change.type, variables: Object.fromEntries(change.variables) };
  }
}

const presentPage = ({ record, path }: LocatedPage): Schemas['ComparedPage'] => ({
  id: record.id,
  type: record.type,
  title: record.title,
  ...(slugOf(record) !== undefined && { path }),
});

const fileAttributes = (
  { before, file: after }: { before: FileRecord; file: FileRecord },
  view: ContentView,
): Schemas['FileChanges'] =>
  defined<Schemas['FileChanges']>({
    name: compareValues(before.name, after.name),
    downloadURL:
      before.blob === after.blob
        ? undefined
        : { before: view.downloadURL(before), after: view.downloadURL(after) },
    size: compareValues(before.size, after.size),
    contentType: compareValues(before.contentType, after.contentType),
    dimensions: compareValues(before.dimensions, after.dimensions),
  });

const reusableContentAttributes = ({
  before,
  reusable: after,
}: {
  before: ReusableRecord;
  reusable: ReusableRecord;
}): Schemas['ReusableContentChanges'] =>
  defined<Schemas['ReusableContentChanges']>({
    title: compareValues(before.title, after.title),
    document: compareValues(before.body, after.body),
  });
