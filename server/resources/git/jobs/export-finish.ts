import { contentLock } from '../../../content/branch.ts';
import { planContent } from '../../../content/plan.ts';
import { openContent } from '../../../content/store/content.ts';
import {
  activateRevision,
  type RevisionRow,
  requireRevision,
  storeAhead,
  storeRevision,
} from '../../../content/store/revisions.ts';
import { placedBy, readGitFacts } from '../../../content/transfer/export.ts';
import type { PlannedContent } from '../../../content/tree/change.ts';
import type { Transaction } from '../../../database/database.ts';
import { readJson } from '../../../database/json.ts';
import { COLLIDED } from '../../../database/locks.ts';
import { enqueueIndexing } from '../../kit/indexing.ts';
import type { Services } from '../../kit/slice.ts';
import { type Branch, rememberStep, type TransferSpace, transferSpace } from '../rules/state.ts';
import type { GitExportPayload } from '../rules.ts';

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
  const { database } = services;
  const transfer = { ...payload, force: true };
  await database.inTurn(contentLock({ space: { id: payload.space } }), async () => {
    const before = await transferSpace(database.query, transfer);
    if (!before) return;
    const successor = await planSuccessor(services, payload, before.revision, made);
    return await database.transaction(async (trx) => {
      const space = await transferSpace(trx, transfer);
      if (space?.revision !== before.revision || space.organization !== before.organization) return COLLIDED;
      if (successor) await advance(trx, services, payload, space, successor);
      await rememberStep(trx, services, payload, { ...where, oid, revision: made.id, before: space.git });
    });
  });
}

/** What the space goes on with; undefined where it says all there is to say already. */
async function planSuccessor(
  { database }: Services,
  { space }: GitExportPayload,
  active: string,
  made: RevisionRow,
): Promise<Successor | undefined> {
  if (active === made.id) return undefined;
  if (readJson(made.parents).includes(active)) return { revision: made };
  const current = await requireRevision(database.query, space, active);
  const content = await openContent(database.query, current);
  const facts = await readGitFacts(await openContent(database.query, made));
  const planned = await planContent(current.root, await placedBy(content, facts), content.load);
  if (planned.root === current.root) return undefined;
  return { planned: await storeAhead(database, current.organization, planned) };
}

/** A revision that is stored, or content for another one. */
type Successor = { revision: RevisionRow } | { planned: PlannedContent };

/** Makes it the content of the space. */
async function advance(
  trx: Transaction,
  services: Services,
  payload: GitExportPayload,
  { organization, revision: active }: TransferSpace,
  successor: Successor,
): Promise<void> {
  const { clock, makeId } = services;
  const { space, user } = payload;
  const common = { id: makeId('rev'), organization, space, createdBy: user, now: clock() };
  const revision =
    'revision' in successor
      ? successor.revision
      : await storeRevision(trx, { ...common, type: 'edits', parents: [active] }, successor.planned);
  if (!(await activateRevision(trx, { revision, expected: active })))
    throw new Error(`The space ${space} changed within the transaction that wrote to it.`);
  await enqueueIndexing(trx, services, { id: space, organization });
}
