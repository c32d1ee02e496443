import { copyRevision, requireRevision } from '../../../../content/store/revisions.ts';
import type { Transaction } from '../../../../database/database.ts';
import { loadAccess } from '../../../../identity/access.ts';
import { requireQuota } from '../../../../quotas/use.ts';
import { enqueueIndexing } from '../../../kit/indexing-jobs.ts';
import type { Context } from '../../../kit/slice.ts';
import { requireCreatePermission } from '../../placements/permissions.ts';
import { positionAtEnd } from '../../placements/queries.ts';
import { type SpaceWithAccess, spaceFor } from '../queries.ts';
import type { SpaceName } from '../rules.ts';

/**
 * Creates a space with the same content at the end of the same parent, without history, change requests, grants or Git
 * information. Writes only a few rows, regardless of the amount of content.
 *
 * @throws ContractError 403 if the organization would have too many spaces or pages
 */
export async function duplicateSpace(
  trx: Transaction,
  ctx: Context,
  { id }: SpaceName,
): Promise<SpaceWithAccess> {
  const { caller, clock, createId, quotas } = ctx;
  const { row: original } = await spaceFor(trx, caller.id, id, 'view');
  const member = await requireCreatePermission(trx, caller.id, original);
  const source = await requireRevision(trx, id, original.revision);
  await requireQuota(trx, quotas, original.organization, { spaces: 1, pages: original.pageCount });
  const now = clock();
  const revision = createId('rev');
  const row = await trx
    .insertInto('spaces')
    .values({
      ...original,
      id: createId('spc'),
      position: await positionAtEnd(trx, original),
      createdAt: now.toISOString(),
      updatedAt: now.toISOString(),
      revision,
      searchedRevision: null,
      searchedEntries: null,
      siteCount: 0,
      git: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const { id: space, organization } = row;
  await copyRevision(trx, source, { id: revision, organization, space, createdBy: caller.id, now });
  await enqueueIndexing(trx, ctx, { id: space, organization });
  return { row, access: await loadAccess(trx, member, { kind: 'space', resources: [row] }) };
}
