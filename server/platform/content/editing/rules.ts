import type { components } from '../../../../generated/schema.d.ts';
import { commitTo } from '../../../content/branch.ts';
import { planEdits } from '../../../content/edit/edit.ts';
import type { PlannedEdits } from '../../../content/edit/types.ts';
import { mayContainTags } from '../../../content/expressions/condition-tags.ts';
import { imageDimensions } from '../../../content/repository/read/assets.ts';
import { openContent } from '../../../content/store/content.ts';
import { PendingFiles } from '../../../content/store/pending-files.ts';
import { findRevision } from '../../../content/store/revisions.ts';
import { applyTemplate } from '../../../content/templates/apply.ts';
import type { Queries } from '../../../database/database.ts';
import type { Context } from '../../kit/slice.ts';
import { ancestorOf, type ChangeRequestPath, type ChangeRequestRow } from '../change-requests/queries.ts';
import { writableBranchFor } from '../content-branches/queries.ts';
import { commitServices } from '../indexing/indexing.ts';
import { readEdits } from './rules/edits.ts';

type Schemas = components['schemas'];

/** Maximum number of notices in the response to an edit; the contract states it, too. */
export const MAX_EDIT_NOTICES = 100;

/**
 * Edits the pages and files of a change request.
 *
 * @throws ContractError 400 or 409 for an edit that is not possible, 503 if too many files are being fetched
 */
export async function updateChangeRequestContent(
  ctx: Context,
  { changes, ...path }: ChangeRequestPath & Schemas['ContentChanges'],
): Promise<{ changeRequest: ChangeRequestRow; notices: Schemas['ContentNotice'][] }> {
  const { caller, database, createId } = ctx;
  // Checks permission and edit mode before anything is fetched.
  const authorized = await writableBranchFor(database.query, caller.id, path, 'edit');
  const { space } = authorized;
  await using files = new PendingFiles(ctx, space.organization, imageDimensions);
  const edits = await readEdits(ctx, changes, files, space.id);
  const find = (queries: Queries) => writableBranchFor(queries, caller.id, path, 'edit', files);
  // Files take up to minutes to be fetched.
  const found = changes.some(({ operation }) => operation === 'insert_files') ? undefined : authorized;
  let notices: Schemas['ContentNotice'][] = [];
  const { branch, revision, plan } = await commitTo(
    commitServices(ctx),
    { find, found, files },
    async ({ branch: { changeRequest }, content, now }) => {
      const change = await planEdits(content, edits, {
        now,
        createId,
        revision: async (id) => {
          const base = await findRevision(database.query, space.id, id ?? ancestorOf(changeRequest));
          return base && (await openContent(database.query, base));
        },
      });
      notices = change ? await noticesOf(ctx, space.organization, change) : [];
      return change && { revision: { content: change, type: 'edits', createdBy: caller.id } };
    },
  );
  const { changeRequest } = branch;
  return {
    changeRequest: plan
      ? { ...changeRequest, revision: revision.id, updatedAt: revision.createdAt }
      : changeRequest,
    notices,
  };
}

/** Lists the conditions in the texts of edited pages that cannot be evaluated. */
async function noticesOf(
  { threads }: Context,
  organization: string,
  { pages = new Map(), texts = [] }: PlannedEdits,
): Promise<Schemas['ContentNotice'][]> {
  const textsByHash = new Map(Array.from(texts, ({ hash, data }) => [hash, data]));
  const edited = [...pages.values()].flatMap((page) => {
    const text = page?.type === 'document' ? textsByHash.get(page.body ?? '') : undefined;
    return page && text !== undefined && mayContainTags(text) ? [{ page: page.id, markdown: text }] : [];
  });
  if (edited.length === 0) {
    return [];
  }
  const markdowns = edited.map(({ markdown }) => markdown);
  const bytes = markdowns.reduce((sum, markdown) => sum + markdown.length, 0);
  const problems = await threads.run(
    'listConditionProblems',
    { texts: markdowns },
    { owner: organization, bytes },
  );
  return edited
    .flatMap(({ page }, at) => (problems[at] ?? []).map((problem) => ({ page, ...problem })))
    .slice(0, MAX_EDIT_NOTICES);
}

/** Adds the pages of a template to the main content of a space. */
export async function applySpaceTemplate(
  ctx: Context,
  { spaceId, ...template }: { spaceId: string } & Schemas['TemplateChoice'],
): Promise<void> {
  const { caller, createId } = ctx;
  const find = (queries: Queries) => writableBranchFor(queries, caller.id, { spaceId }, 'edit');
  await commitTo(commitServices(ctx), { find }, async ({ content, now }) => {
    const change = await applyTemplate(content, template, { now, createId });
    return change && { revision: { content: change, type: 'edits', createdBy: caller.id } };
  });
}
