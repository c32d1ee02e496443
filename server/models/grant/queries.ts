import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from 'kysely';
import type { Transaction } from '../../database/database.ts';
import type { GrantsTable, Schema } from '../../database/schema.ts';
import type { Role } from '../../identity/levels.ts';
import type { Thing } from '../placement/thing.ts';

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

/** Grants a user or a team a level on a thing, instead of what was granted before. */
export async function grant(
  trx: Transaction,
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
}
