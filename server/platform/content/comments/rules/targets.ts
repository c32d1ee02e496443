import type { components } from '../../../../../generated/schema.d.ts';
import { openBranch } from '../../../../content/branch.ts';
import { Documents } from '../../../../content/threads/documents.ts';
import { fieldInvalid } from '../../../../errors/errors.ts';
import type { Context } from '../../../kit/slice.ts';
import { type BranchPath, branchFor } from '../../content-branches/queries.ts';
import type { StoredComment } from '../queries.ts';

type Schemas = components['schemas'];

/** The columns of a comment that store its target. */
export type StoredTarget = Pick<
  StoredComment,
  'page' | 'node' | 'nodePreview' | 'cellRecord' | 'cellDefinition' | 'revision'
>;

/**
 * Finds the target of a new comment in the current content, without a transaction.
 *
 * @throws ContractError 400 if the target does not exist, or names a part without the page or block that contains it
 */
export async function findTarget(
  ctx: Context,
  {
    page,
    node,
    tableCell,
    ...path
  }: BranchPath & Pick<Schemas['CommentCreate'], 'page' | 'node' | 'tableCell'>,
): Promise<StoredTarget> {
  const { query } = ctx.database;
  const branch = await branchFor(query, ctx.caller.id, path, 'comment');
  const whole = {
    page: null,
    node: null,
    nodePreview: null,
    cellRecord: null,
    cellDefinition: null,
    revision: branch.revision,
  };
  if (page === undefined) {
    if (node !== undefined || tableCell) {
      throw fieldInvalid('page', 'is required: the page of the commented block');
    }
    return whole;
  }
  const { content } = await openBranch(query, branch);
  const record = (await content.readPages([page])).get(page);
  if (!record) {
    throw fieldInvalid('page', 'must be the ID of a page of the content');
  }
  if (node === undefined) {
    if (tableCell) {
      throw fieldInvalid('node', 'is required: the key of the table of the cell');
    }
    return { ...whole, page };
  }
  const documents = new Documents(ctx.threads, branch.space.organization);
  const block =
    record.type === 'document'
      ? await documents.findBlock(await content.readBody(record), node, tableCell)
      : undefined;
  if (!block) {
    throw fieldInvalid('node', 'must be the key of a block of the page document');
  }
  const nodeOfPage = { ...whole, page, node, nodePreview: block.preview };
  if (!tableCell) {
    return nodeOfPage;
  }
  if (!block.hasCell) {
    throw fieldInvalid('tableCell', 'must name a row and a column of the table in `node`');
  }
  return { ...nodeOfPage, cellRecord: tableCell.record, cellDefinition: tableCell.definition };
}
