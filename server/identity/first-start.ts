import type { Transaction } from '../database/database.ts';
import type { CreateId } from '../database/seams.ts';
import { createOrganization } from './organizations.ts';
import { createToken } from './tokens.ts';

/** Resources that the first start created. The token cannot be retrieved again. */
export interface FirstStart {
  organization: string;
  user: string;
  email: string;
  token: string;
}

/**
 * Initializes a new database with an organization, its admin and an access token of the admin.
 *
 * @param bootstrapToken the token to use instead of a random one
 * @returns undefined if the database already has users
 */
export async function firstStart(
  trx: Transaction,
  { now, createId, bootstrapToken }: { now: Date; createId: CreateId; bootstrapToken: string | undefined },
): Promise<FirstStart | undefined> {
  const existing = await trx.selectFrom('users').select('id').limit(1).executeTakeFirst();
  if (existing) {
    return undefined;
  }
  const createdAt = now.toISOString();
  const email = 'admin@localhost';
  const user = createId('usr');
  await trx
    .insertInto('users')
    .values({ id: user, email, displayName: 'Admin', photoURL: null, createdAt })
    .execute();
  const { id } = await createOrganization(trx, { title: 'My organization', admin: user, now, createId });
  const { token } = await createToken(trx, {
    user,
    label: 'first start',
    now,
    createId,
    token: bootstrapToken,
  });
  return { organization: id, user, email, token };
}
