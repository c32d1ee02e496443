import type { components } from '../../../../generated/schema.d.ts';
import type { Transaction } from '../../../database/database.ts';
import type { Role } from '../../../identity/levels.ts';
import type { RecordAudit } from '../../kit/audit/record.ts';
import type { Parent } from './queries.ts';
import type { SpaceOrCollection } from './target.ts';

/** Records a change of the default level of a space or a collection, if a request changes it. */
export async function recordAccessChange(
  trx: Transaction,
  audit: RecordAudit,
  change: {
    kind: SpaceOrCollection['kind'];
    /** The row before the change. */
    row: { id: string; organization: string; defaultLevel: Role | null };
    defaultLevel: components['schemas']['DefaultLevel'] | null | undefined;
  },
): Promise<void> {
  const { kind, row, defaultLevel } = change;
  const [before, after] = [row.defaultLevel ?? 'inherit', defaultLevel ?? 'inherit'];
  if (defaultLevel === undefined || before === after) {
    return;
  }
  await audit(trx, {
    organization: row.organization,
    action: `${kind}.access_changed`,
    resource: { type: kind, id: row.id },
    details: { before, after },
  });
}

/**
 * Records a move to another parent. The level of this parent then applies. A move within a parent does not change
 * permissions.
 */
export async function recordMove(
  trx: Transaction,
  audit: RecordAudit,
  { kind, id }: SpaceOrCollection,
  from: Parent,
  to: Parent,
): Promise<void> {
  if (from.parent === to.parent) {
    return;
  }
  await audit(trx, {
    organization: from.organization,
    action: `${kind}.moved`,
    resource: { type: kind, id },
    details: {
      ...(from.parent !== null && { before: from.parent }),
      ...(to.parent !== null && { after: to.parent }),
    },
  });
}

/** Records a transfer in both organizations. */
export async function recordTransfer(
  trx: Transaction,
  audit: RecordAudit,
  { kind, id }: SpaceOrCollection,
  before: string,
  after: string,
): Promise<void> {
  for (const organization of [before, after]) {
    await audit(trx, {
      organization,
      action: `${kind}.transferred`,
      resource: { type: kind, id },
      details: { before, after },
    });
  }
}
