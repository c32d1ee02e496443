import type { Transaction } from '../../../database/database.ts';
import { acceptPendingInvitations } from '../../../identity/organizations.ts';
import { memberAddedEvent, type RecordAudit } from '../../kit/audit/record.ts';
import type { AnyRow } from '../../kit/transfer/define.ts';
import type { Replacements } from './replacements.ts';
import type { ImportServices } from './services.ts';

/** What identifies a user. */
interface KnownUser {
  id: string;
  email: string | null;
}

/**
 * Determines which users of an organization the server has: those with the same email address. Others keep their IDs,
 * unless somebody else has them.
 */
export async function matchUsers(
  { database, createId }: Pick<ImportServices, 'database' | 'createId'>,
  replacements: Replacements,
  rows: readonly AnyRow[],
): Promise<void> {
  const users = rows.map(userOf);
  const emails = users.flatMap(({ email }) => email ?? []);
  const existing = await database.query
    .selectFrom('users')
    .select(['id', 'email'])
    .where((is) =>
      is.or([
        is(
          'id',
          'in',
          users.map(({ id }) => id),
        ),
        is('email', 'in', emails),
      ]),
    )
    .execute();
  const byEmail = new Map(existing.map((user) => [user.email, user.id]));
  const byId = new Map(existing.map((user) => [user.id, user]));
  for (const { id, email } of users) {
    const sameEmail = email === null ? undefined : byEmail.get(email);
    const sameId = byId.get(id);
    if (sameEmail !== undefined) {
      replacements.setId(id, sameEmail);
    } else if (sameId && (sameId.email !== null || email !== null)) {
      replacements.setId(id, createId('usr'));
    }
  }
}

/** Returns those users that the server does not have. */
export async function newUsers<Row extends AnyRow>(
  queries: ImportServices['database']['query'],
  rows: readonly Row[],
): Promise<Row[]> {
  if (rows.length === 0) {
    return [];
  }
  const existing = await queries
    .selectFrom('users')
    .select('id')
    .where(
      'id',
      'in',
      rows.map((row) => userOf(row).id),
    )
    .execute();
  const ids = new Set(existing.map(({ id }) => id));
  return rows.filter((row) => !ids.has(userOf(row).id));
}

/**
 * Adds users to the organizations that invited their email addresses: imported users to those of this server, and users
 * of this server to the imported one.
 */
export async function acceptInvitations(
  trx: Transaction,
  { clock }: Pick<ImportServices, 'clock'>,
  audit: RecordAudit,
): Promise<void> {
  const invited = await trx
    .selectFrom('invites')
    .innerJoin('users', 'users.email', 'invites.email')
    .select(['users.id', 'invites.email'])
    .distinct()
    .where('invites.acceptedAt', 'is', null)
    .execute();
  for (const { id: user, email } of invited) {
    for (const { organization, role } of await acceptPendingInvitations(trx, { user, email, now: clock() })) {
      await audit(trx, memberAddedEvent(organization, user, role));
    }
  }
}

const userOf = ({ id, email }: AnyRow): KnownUser => ({
  id: String(id),
  email: typeof email === 'string' ? email : null,
});
