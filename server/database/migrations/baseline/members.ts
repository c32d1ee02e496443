import type { Kysely } from 'kysely';
import { columnTypes, defaultsTo, index, key, ownedBy, partialIndex, required, table } from '../columns.ts';

/** The members, teams, grants and invitations of organizations. */
export async function createMembers(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);

  await table(db, 'members')
    .addColumn('organization', text, ownedBy('organizations.id'))
    .addColumn('user', text, ownedBy('users.id'))
    .addColumn('role', text)
    .addColumn('disabled', integer, required)
    .addColumn('sso', integer, required)
    .addColumn('joinedAt', text, required)
    .addColumn('lastSeenAt', text)
    .addColumn('searchedText', text, defaultsTo(''))
    .addPrimaryKeyConstraint('members_key', ['organization', 'user'])
    .execute();
  await index(db, 'members', ['user', 'organization']);
  await index(db, 'members', ['organization', 'lastSeenAt', 'user']);
  await index(db, 'members', ['organization', 'role', 'joinedAt', 'user']);
  await partialIndex(db, 'members', 'guests', ['organization', 'joinedAt', 'user'], '"role" is null');
  // Covers searches in names, in the order of the list.
  await index(db, 'members', ['organization', 'joinedAt', 'user', 'searchedText', 'role']);

  await createTeams(db);
  await createGrants(db);
  await createInvitations(db);
}

async function createTeams(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);

  await table(db, 'teams')
    .addColumn('id', text, key)
    .addColumn('organization', text, ownedBy('organizations.id'))
    .addColumn('title', text, required)
    .addColumn('createdAt', text, required)
    .addColumn('createdBy', text)
    .addColumn('searchedText', text, defaultsTo(''))
    .addColumn('hasOutdatedCopies', integer, defaultsTo(0))
    .execute();
  // Covers searches in names, in the order of the list.
  await index(db, 'teams', ['organization', 'createdAt', 'id', 'searchedText']);
  await partialIndex(db, 'teams', 'outdated_copies', ['organization', 'id'], '"hasOutdatedCopies" = 1');

  await table(db, 'teamMembers')
    .addColumn('organization', text, ownedBy('organizations.id'))
    .addColumn('team', text, ownedBy('teams.id'))
    .addColumn('user', text, ownedBy('users.id'))
    .addColumn('role', text, required)
    // For the members of a team in the order of all members, and the teams of a member in the order of all teams.
    .addColumn('joinedAt', text, defaultsTo(''))
    .addColumn('teamCreatedAt', text, defaultsTo(''))
    .addColumn('teamSearchedText', text, defaultsTo(''))
    .addPrimaryKeyConstraint('teamMembers_key', ['team', 'user'])
    .execute();
  await index(db, 'teamMembers', ['organization', 'user', 'team']);
  await index(db, 'teamMembers', ['team', 'joinedAt', 'user']);
  await db.schema
    .createIndex('teamMembers_titles')
    .on('teamMembers')
    .columns(['organization', 'user', 'teamCreatedAt', 'team', 'role', 'teamSearchedText'])
    .execute();
}

async function createGrants(db: Kysely<unknown>): Promise<void> {
  const { text } = columnTypes(db);

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
  const ofSubject = ['organization', 'subjectKind', 'subject', 'targetKind', 'target'];
  await index(db, 'grants', ['organization', 'targetKind', 'target', 'createdAt']);
  await index(db, 'grants', ofSubject);
  await index(db, 'grants', ['targetKind', 'target', 'subjectKind', 'createdAt', 'subject']);
  // For the administered resources of a subject with many other grants.
  await partialIndex(db, 'grants', 'administering', ofSubject, `"role" = 'admin'`);
}

async function createInvitations(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);

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
  await index(db, 'linkInvites', ['target', 'targetKind']);

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
}
