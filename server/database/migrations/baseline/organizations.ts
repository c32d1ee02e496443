import type { Kysely } from 'kysely';
import { columnTypes, index, key, ownedBy, required, table, unique } from '../columns.ts';

/** Organizations, their images, and their audit trail. */
export async function createOrganizations(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);

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

  await table(db, 'organizationFiles')
    .addColumn('id', text, key)
    .addColumn('organization', text, ownedBy('organizations.id'))
    .addColumn('hash', text, required)
    .addColumn('name', text, required)
    .addColumn('contentType', text, required)
    .addColumn('extension', text, required)
    .addColumn('size', integer, required)
    .addColumn('createdAt', text, required)
    .addUniqueConstraint('organizationFiles_content', ['organization', 'hash'])
    .execute();
  await index(db, 'organizationFiles', ['organization', 'createdAt', 'id']);

  await createAuditEvents(db);
}

/** Changes of permissions, and deletions, with an index for each filter of their list. */
async function createAuditEvents(db: Kysely<unknown>): Promise<void> {
  const { text } = columnTypes(db);
  await table(db, 'auditEvents')
    .addColumn('id', text, key)
    .addColumn('organization', text, required)
    .addColumn('action', text, required)
    .addColumn('actor', text, required)
    .addColumn('token', text)
    .addColumn('resourceType', text, required)
    .addColumn('resource', text, required)
    .addColumn('details', text, required)
    .addColumn('requestId', text)
    .addColumn('address', text)
    .addColumn('occurredAt', text, required)
    .execute();
  await index(db, 'auditEvents', ['occurredAt']);
  await index(db, 'auditEvents', ['organization', 'occurredAt', 'id']);
  for (const filter of ['actor', 'action', 'resourceType', 'resource', 'requestId', 'address']) {
    await index(db, 'auditEvents', ['organization', filter, 'occurredAt', 'id']);
  }
}
