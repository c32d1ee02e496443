import type { Kysely } from 'kysely';
import { columnTypes, index, key, ownedBy, required, table, unique } from '../columns.ts';

/** Users and their access tokens. */
export async function createUsers(db: Kysely<unknown>): Promise<void> {
  const { text } = columnTypes(db);

  await table(db, 'users')
    .addColumn('id', text, key)
    .addColumn('email', text, unique)
    .addColumn('displayName', text, required)
    .addColumn('photoURL', text)
    .addColumn('createdAt', text, required)
    .execute();

  await table(db, 'tokens')
    .addColumn('id', text, key)
    .addColumn('hash', text, (column) => unique(required(column)))
    .addColumn('user', text, ownedBy('users.id'))
    .addColumn('label', text, required)
    .addColumn('scopes', text)
    .addColumn('createdAt', text, required)
    .addColumn('expiresAt', text)
    .addColumn('revokedAt', text)
    .addColumn('lastUsedAt', text)
    .execute();
  await index(db, 'tokens', ['user']);
}
