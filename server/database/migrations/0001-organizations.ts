import type { Kysely } from 'kysely';
import { columnTypes, index, key, ownedBy, required, table, unique } from './columns.ts';

/** Users and their tokens, organizations and their members. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);

  await table(db, 'settings').addColumn('key', text, key).addColumn('value', text, required).execute();

  await table(db, 'users')
    .addColumn('id', text, key)
    .addColumn('email', text, unique)
    .addColumn('displayName', text, required)
    .addColumn('photoURL', text)
    .addColumn('createdAt', text, required)
    .execute();

  await table(db, 'tokens')
    .addColumn('id', text, key)
    .addColumn('hash', text, (column) => column.notNull().unique())
    .addColumn('user', text, ownedBy('users.id'))
    .addColumn('label', text, required)
    .addColumn('createdAt', text, required)
    .addColumn('expiresAt', text)
    .addColumn('revokedAt', text)
    .addColumn('lastUsedAt', text)
    .execute();
  await index(db, 'tokens', ['user']);

  await table(db, 'organizations')
    .addColumn('id', text, key)
    .addColumn('title', text, required)
    .addColumn('emailDomains', text, required)
    .addColumn('hostname', text, unique)
    .addColumn('type', text, required)
    .addColumn('useCase', text)
    .addColumn('communityType', text)
    .addColumn('defaultRole', text)
    .addColumn('hasDefaultRole', integer, required)
    .addColumn('defaultContent', text)
    .addColumn('sso', integer, required)
    .addColumn('ai', integer, required)
    .addColumn('inviteLinks', integer, required)
    .addColumn('plan', text, required)
    .addColumn('logo', text)
    .addColumn('createdAt', text, required)
    .execute();
  await index(db, 'organizations', ['createdAt', 'id']);

  await table(db, 'members')
    .addColumn('organization', text, ownedBy('organizations.id'))
    .addColumn('user', text, ownedBy('users.id'))
    .addColumn('role', text)
    .addColumn('disabled', integer, required)
    .addColumn('sso', integer, required)
    .addColumn('joinedAt', text, required)
    .addColumn('lastSeenAt', text)
    .addPrimaryKeyConstraint('members_key', ['organization', 'user'])
    .execute();
  await index(db, 'members', ['user', 'organization']);
  await index(db, 'members', ['organization', 'joinedAt', 'user']);
  await index(db, 'members', ['organization', 'lastSeenAt', 'user']);

  await table(db, 'teams')
    .addColumn('id', text, key)
    .addColumn('organization', text, ownedBy('organizations.id'))
    .addColumn('title', text, required)
    .addColumn('createdAt', text, required)
    .addColumn('createdBy', text)
    .execute();
  await index(db, 'teams', ['organization', 'createdAt', 'id']);

  await table(db, 'teamMembers')
    .addColumn('organization', text, ownedBy('organizations.id'))
    .addColumn('team', text, ownedBy('teams.id'))
    .addColumn('user', text, ownedBy('users.id'))
    .addColumn('role', text, required)
    .addPrimaryKeyConstraint('teamMembers_key', ['team', 'user'])
    .execute();
  await index(db, 'teamMembers', ['organization', 'user', 'team']);

  await table(db, 'grants')
    .addColumn('organization', text, ownedBy('organizations.id'))
    .addColumn('targetKind', text, required)
    .addColumn('target', text, required)
    .addColumn('subjectKind', text, required)
    .addColumn('subject', text, required)
    .addColumn('role', text, required)
    .addColumn('createdAt', text, required)
    .addPrimaryKeyConstraint('grants_key', ['targetKind', 'target', 'subjectKind', 'subject'])
    .execute();
  await index(db, 'grants', ['organization', 'subjectKind', 'subject']);
  await index(db, 'grants', ['organization', 'targetKind', 'target', 'createdAt']);

  await table(db, 'linkInvites')
    .addColumn('id', text, key)
    .addColumn('organization', text, ownedBy('organizations.id'))
    .addColumn('role', text)
    .addColumn('level', text)
    .addColumn('targetKind', text)
    .addColumn('target', text)
    .addColumn('createdAt', text, required)
    .addColumn('createdBy', text, required)
    .execute();
  await index(db, 'linkInvites', ['organization', 'createdAt', 'id']);

  await table(db, 'invites')
    .addColumn('id', text, key)
    .addColumn('organization', text, ownedBy('organizations.id'))
    .addColumn('email', text, required)
    .addColumn('role', text)
    .addColumn('sso', integer, required)
    .addColumn('createdAt', text, required)
    .addColumn('createdBy', text, required)
    .addColumn('acceptedAt', text)
    .execute();
  await index(db, 'invites', ['organization', 'createdAt', 'id']);
  await index(db, 'invites', ['email']);

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

  await table(db, 'counters')
    .addColumn('organization', text, required)
    .addColumn('name', text, required)
    .addColumn('value', integer, required)
    .addPrimaryKeyConstraint('counters_key', ['organization', 'name'])
    .execute();
}
