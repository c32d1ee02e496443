import type { Kysely } from 'kysely';
import { columnTypes, index, key, ownedBy, required, table } from '../columns.ts';

/** Providers of SAML, sessions of members, and the requests and assertions of their sign-ins. */
export async function createSaml(db: Kysely<unknown>): Promise<void> {
  const { text } = columnTypes(db);

  await table(db, 'samlProviders')
    .addColumn('id', text, key)
    .addColumn('organization', text, ownedBy('organizations.id'))
    .addColumn('label', text, required)
    .addColumn('ssoURL', text)
    .addColumn('entityID', text)
    .addColumn('certificate', text)
    .addColumn('defaultTeam', text, (column) => column.references('teams.id').onDelete('set null'))
    .addColumn('defaultRole', text)
    .addColumn('createdAt', text, required)
    .execute();
  await index(db, 'samlProviders', ['organization', 'createdAt', 'id']);
  await index(db, 'samlProviders', ['defaultTeam']);

  await table(db, 'sessions')
    .addColumn('hash', text, key)
    .addColumn('organization', text, ownedBy('organizations.id'))
    .addColumn('user', text, ownedBy('users.id'))
    .addColumn('samlProvider', text, ownedBy('samlProviders.id'))
    .addColumn('createdAt', text, required)
    .addColumn('expiresAt', text, required)
    .addForeignKeyConstraint(
      'sessions_member',
      ['organization', 'user'],
      'members',
      ['organization', 'user'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute();
  await index(db, 'sessions', ['organization', 'user']);
  await index(db, 'sessions', ['user']);
  await index(db, 'sessions', ['samlProvider']);
  await index(db, 'sessions', ['expiresAt']);

  await table(db, 'samlRequests')
    .addColumn('relayStateHash', text, key)
    .addColumn('requestId', text, required)
    .addColumn('organization', text, ownedBy('organizations.id'))
    .addColumn('samlProvider', text, ownedBy('samlProviders.id'))
    .addColumn('browserHash', text)
    .addColumn('returnPath', text)
    .addColumn('createdAt', text, required)
    .addColumn('expiresAt', text, required)
    .execute();
  await index(db, 'samlRequests', ['organization']);
  await index(db, 'samlRequests', ['samlProvider']);
  await index(db, 'samlRequests', ['expiresAt']);

  await table(db, 'samlAssertions')
    .addColumn('samlProvider', text, ownedBy('samlProviders.id'))
    .addColumn('assertionHash', text, required)
    .addColumn('organization', text, ownedBy('organizations.id'))
    .addColumn('expiresAt', text, required)
    .addPrimaryKeyConstraint('samlAssertions_key', ['samlProvider', 'assertionHash'])
    .execute();
  await index(db, 'samlAssertions', ['organization']);
  await index(db, 'samlAssertions', ['expiresAt']);
}
