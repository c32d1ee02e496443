import { openContent } from '../../content/store/content.ts';
import { placedBy, readGitFacts } from '../../content/store/export.ts';
import {
  activateRevision,
  type RevisionRow,
  requireRevision,
  storeRevision,
} from '../../content/store/revisions.ts';
import { planContent } from '../../content/store/root.ts';
import type { Transaction } from '../../database/database.ts';
import { readJson } from '../../database/json.ts';
import { enqueueIndexing } from '../indexing.ts';
import type { Services } from '../slice.ts';
import type { GitExportPayload } from './rules.ts';
import { type Branch, rememberStep, transferSpace } from './state.ts';

/**
 * Makes a space remember a commit: where each page, file and piece of content stands in it. Where nobody wrote to
 * the space meanwhile, the revision that was made for it becomes the active one; else what it says of places goes
 * onto what is there now. May be called again.
 *
 * @param made the revision that the commit has the content of
 */
export async function finishExport(
  services: Services,
  payload: GitExportPayload,
  where: Branch,
  { oid, made }: { oid: string; made: RevisionRow },
): Promise<void> {
  await services.database.transaction(async (trx) => {
    const space = await transferSpace(trx, { ...payload, force: true });
    if (!space) return;
    if (space.revision !== made.id) {
      const revision = await successor(trx, services, payload, space.revision, made);
      if (revision) {
        if (!(await activateRevision(trx, { revision, expected: space.revision })))
          throw new Error(`The space ${payload.space} changed within the transaction that wrote to it.`);
        await enqueueIndexing(trx, services, { id: payload.space, organization: space.organization });
      }
    }
    await rememberStep(trx, services, payload, { ...where, oid, revision: made.id, before: space.git });
  });
}

/** What the space goes on with; undefined where it says all there is to say already. */
async function successor(
  trx: Transaction,
  { clock, makeId }: Services,
  payload: GitExportPayload,
  active: string,
  made: RevisionRow,
): Promise<RevisionRow | undefined> {
  if (readJson(made.parents).includes(active)) return made;
  const current = await requireRevision(trx, payload.space, active);
  const content = await openContent(trx, current);
  const facts = await readGitFacts(await openContent(trx, made));
  const planned = await planContent(current.root, await placedBy(content, facts), content.load);
  if (planned.root === current.root) return undefined;
  return storeRevision(
    trx,
    {
      id: makeId('rev'),
      organization: current.organization,
      space: payload.space,
      type: 'edits',
      parents: [current.id],
      createdBy: payload.user,
      now: clock(),
    },
    planned,
  );
}
