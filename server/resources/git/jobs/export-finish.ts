import { commitTo, type NewRevision, type OpenRevision } from '../../../content/branch.ts';
import { planContent } from '../../../content/plan.ts';
import { openContent } from '../../../content/store/content.ts';
import type { RevisionRow } from '../../../content/store/revisions.ts';
import { placedBy, readGitFacts } from '../../../content/transfer/export.ts';
import type { Queries } from '../../../database/database.ts';
import { readJson } from '../../../database/json.ts';
import { commitServices } from '../../kit/indexing.ts';
import type { Services } from '../../kit/slice.ts';
import { type Branch, rememberStep, transferSpace } from '../rules/state.ts';
import type { GitExportPayload } from '../rules.ts';

/**
 * Makes a space remember a commit: where each page, file and piece of content is stored in it. If nobody wrote to the
 * space meanwhile, the revision that was made for the commit becomes the current one; otherwise its locations are
 * added to what is there now. May be called again.
 *
 * @param made the revision that the commit has the content of
 */
export async function finishExport(
  services: Services,
  payload: GitExportPayload,
  where: Branch,
  { oid, made }: { oid: string; made: RevisionRow },
): Promise<void> {
  const find = (queries: Queries) => transferSpace(queries, { ...payload, force: true });
  await commitTo(commitServices(services), { find }, async (current) => ({
    revision: await planSuccessor(services, payload, current, made),
    also: (trx, { branch }) =>
      rememberStep(trx, services, payload, { ...where, oid, revision: made.id, before: branch.git }),
  }));
}

/** The next revision of the space; undefined if the current one has the locations already. */
async function planSuccessor(
  { database }: Services,
  { user }: GitExportPayload,
  { revision, content }: OpenRevision,
  made: RevisionRow,
): Promise<NewRevision | RevisionRow | undefined> {
  if (revision.id === made.id) return undefined;
  if (readJson(made.parents).includes(revision.id)) return made;
  const facts = await readGitFacts(await openContent(database.query, made));
  const planned = await planContent(revision.root, await placedBy(content, facts), content.load);
  return planned.root === revision.root ? undefined : { type: 'edits', createdBy: user, content: planned };
}
