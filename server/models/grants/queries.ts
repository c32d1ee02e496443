import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from 'kysely';
import type { Transaction } from '../../database/database.ts';
import type { GrantsTable } from '../../database/schema/grants.ts';
import type { Schema } from '../../database/schema.ts';
import type { Role } from '../../identity/levels.ts';
import type { NewAuditEvent, RecordAudit } from '../audit-events/record.ts';
import type { Thing } from '../placements/target.ts';

/** Who holds a grant. */
export interface Subject {
  kind: GrantsTable['subjectKind'];
  id: string;
}

/** Picks the grant of a subject on a thing, or those of all subjects of one kind. */
export function isGrant(thing: Thing, subject: Omit<Subject, 'id'> & { id?: string }) {
  return (row: ExpressionBuilder<Schema, 'grants'>): ExpressionWrapper<Schema, 'grants', SqlBool> =>
    row.and([
      row('grants.targetKind', '=', thing.kind),
      row('grants.target', '=', thing.id),
      row('grants.subjectKind', '=', subject.kind),
      ...(subject.id === undefined ? [] : [row('grants.subject', '=', subject.id)]),
    ]);
}

/** Grants a user or a team a level on a thing, instead of what was granted before, and records it. */
export async function grant(
  trx: Transaction,
  audit: RecordAudit,
  {
    organization,
    thing,
    subject,
    role,
    now,
  }: {
    organization: string;
    thing: Thing;
    subject: Subject;
    role: Role;
    now: Date;
  },
): Promise<void> {
  const before = await trx
    .selectFrom('grants')
    .select('role')
    .where(isGrant(thing, subject))
    .executeTakeFirst();
  if (before?.role === role) return;
  await trx
    .insertInto('grants')
    .values({
      organization,
      targetKind: thing.kind,
      target: thing.id,
      subjectKind: subject.kind,
      subject: subject.id,
      role,
      createdAt: now.toISOString(),
    })
    .onConflict((conflict) =>
      conflict.columns(['targetKind', 'target', 'subjectKind', 'subject']).doUpdateSet({ role }),
    )
    .execute();
  await audit(trx, grantEvent(organization, thing, subject, before?.role, role));
}

/** The event of a grant that is created, changed or, without a role after it, deleted. */
export function grantEvent(
  organization: string,
  thing: Thing,
  subject: Subject,
  before: Role | undefined,
  after: Role | undefined,
): NewAuditEvent {
  const change = before ? 'changed' : 'created';
  return {
    organization,
    action: `grant.${after ? change : 'deleted'}`,
    resource: { type: thing.kind, id: thing.id },
    details: {
      subject: { type: subject.kind, id: subject.id },
      ...(before && { before }),
      ...(after && { after }),
    },
  };
}
