import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from 'kysely';
import type { Queries, Transaction } from '../../../database/database.ts';
import type { GrantsTable } from '../../../database/schema/spaces/grants.ts';
import type { Schema } from '../../../database/schema.ts';
import type { Role } from '../../../identity/levels.ts';
import type { NewAuditEvent, RecordAudit } from '../../kit/audit/record.ts';
import type { SpaceOrCollection } from '../placements/target.ts';

/** The user or team that holds a grant. */
export interface Subject {
  kind: GrantsTable['subjectKind'];
  id: string;
}

/** Selects the grant of a subject on a space or collection, or the grants of all subjects of a kind. */
export function isGrant(target: SpaceOrCollection, subject: Omit<Subject, 'id'> & { id?: string }) {
  return (row: ExpressionBuilder<Schema, 'grants'>): ExpressionWrapper<Schema, 'grants', SqlBool> =>
    row.and([
      row('grants.targetKind', '=', target.kind),
      row('grants.target', '=', target.id),
      row('grants.subjectKind', '=', subject.kind),
      ...(subject.id === undefined ? [] : [row('grants.subject', '=', subject.id)]),
    ]);
}

/** Selects the grants of users on a space or collection, with the users. */
export const userGrantsOn = (queries: Queries, target: SpaceOrCollection) =>
  queries
    .selectFrom('grants')
    .where(isGrant(target, { kind: 'user' }))
    .innerJoin('users', 'users.id', 'grants.subject')
    .selectAll('users')
    .select('grants.role');

/** Selects the grants of teams on a space or collection. */
export const teamGrantsOn = (queries: Queries, target: SpaceOrCollection) =>
  queries
    .selectFrom('grants')
    .where(isGrant(target, { kind: 'team' }))
    .select(['grants.subject', 'grants.role']);

/** Grants a user or a team a level on a space or collection, replaces an existing grant, and records the change. */
export async function grant(
  trx: Transaction,
  audit: RecordAudit,
  {
    organization,
    target,
    subject,
    role,
    now,
  }: {
    organization: string;
    target: SpaceOrCollection;
    subject: Subject;
    role: Role;
    now: Date;
  },
): Promise<void> {
  const before = await trx
    .selectFrom('grants')
    .select('role')
    .where(isGrant(target, subject))
    .executeTakeFirst();
  if (before?.role === role) {
    return;
  }
  await trx
    .insertInto('grants')
    .values({
      organization,
      targetKind: target.kind,
      target: target.id,
      subjectKind: subject.kind,
      subject: subject.id,
      role,
      createdAt: now.toISOString(),
    })
    .onConflict((conflict) =>
      conflict.columns(['targetKind', 'target', 'subjectKind', 'subject']).doUpdateSet({ role }),
    )
    .execute();
  await audit(trx, grantEvent(organization, target, subject, before?.role, role));
}

/** Returns the event of a grant that is created, changed or, if `after` is undefined, deleted. */
export function grantEvent(
  organization: string,
  target: SpaceOrCollection,
  subject: Subject,
  before: Role | undefined,
  after: Role | undefined,
): NewAuditEvent {
  const change = before ? 'changed' : 'created';
  return {
    organization,
    action: `grant.${after ? change : 'deleted'}`,
    resource: { type: target.kind, id: target.id },
    details: {
      subject: { type: subject.kind, id: subject.id },
      ...(before && { before }),
      ...(after && { after }),
    },
  };
}
