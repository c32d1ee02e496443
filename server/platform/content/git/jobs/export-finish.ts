import { commitTo } from '../../../../content/branch.ts';
import { planContent } from '../../../../content/edit/plan-content.ts';
import type { NewRevision } from '../../../../content/new-revision.ts';
import { type OpenRevision, openContent } from '../../../../content/store/content.ts';
import type { RevisionRow } from '../../../../content/store/revisions.ts';
import { readGitOrigins, recordOrigins } from '../../../../content/transfer/origins.ts';
import type { Queries } from '../../../../database/database.ts';
import { readJson } from '../../../../database/json.ts';
import type { Job } from '../../../../jobs/queue.ts';
import type { Services } from '../../../kit/slice.ts';
import { commitServices } from '../../indexing/indexing.ts';
import type { GitExportPayload } from '../rules.ts';
import { completeTransfer } from './events.ts';
import type { RemoteBranch } from './synced-branches.ts';
import { recordSyncedCommit, transferSpace } from './transfer.ts';

/**
 * Records an exported commit in the space, with the origins of all pages, files and reusable contents, and completes
 * the run. If the space was not changed meanwhile, the revision created for the commit becomes the current one;
 * otherwise its origins are added to the current content. Can be repeated.
 *
 * @param exported the revision with the content of the commit
 */
export async function finishExport(
  services: Services,
  job: Job<GitExportPayload>,
  remote: RemoteBranch,
  { oid, exported }: { oid: string; exported: RevisionRow },
): Promise<void> {
  const { payload } = job;
  const find = (queries: Queries) => transferSpace(queries, { ...payload, force: true });
  await commitTo(commitServices(services), { find }, async (current) => ({
    revision: await planSuccessor(services, payload, current, exported),
    also: async (trx, { branch }) => {
      await recordSyncedCommit(trx, services, payload, branch, {
        ...remote,
        oid,
        revision: exported.id,
        imported: false,
      });
      await completeTransfer(trx, services, job, { oid, revision: exported.id });
    },
  }));
}

/** Plans the next revision of the space; undefined if the current one already has the origins. */
async function planSuccessor(
  { database }: Services,
  { user }: GitExportPayload,
  { revision, content }: OpenRevision,
  exported: RevisionRow,
): Promise<NewRevision | RevisionRow | undefined> {
  if (revision.id === exported.id) {
    return undefined;
  }
  if (readJson(exported.parents).includes(revision.id)) {
    return exported;
  }
  const gitOrigins = await readGitOrigins(await openContent(database.query, exported));
  const planned = await planContent(revision.root, await recordOrigins(content, gitOrigins), content.load);
  return planned.root === revision.root ? undefined : { type: 'edits', createdBy: user, content: planned };
}
