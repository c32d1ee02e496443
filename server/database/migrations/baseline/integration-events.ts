import type { Kysely } from 'kysely';
import { columnTypes, index, key, numbered, ownedBy, required, table, unique } from '../columns.ts';

/** Events of integrations: those raised, those that integrations receive, and the state of their delivery. */
export async function createIntegrationEvents(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);

  // Owned by nothing: the removal of an installation is an event itself.
  await table(db, 'raisedEvents')
    .addColumn('sequence', integer, numbered(db))
    .addColumn('organization', text, required)
    .addColumn('type', text, required)
    .addColumn('integration', text)
    .addColumn('installation', text)
    .addColumn('fields', text, required)
    .addColumn('configuration', text)
    .addColumn('raisedAt', text, required)
    .execute();

  await table(db, 'integrationEvents')
    .addColumn('sequence', integer, numbered(db))
    .addColumn('id', text, unique)
    .addColumn('integration', text, ownedBy('integrations.name'))
    .addColumn('installation', text, required)
    .addColumn('organization', text, required)
    .addColumn('type', text, required)
    .addColumn('fields', text, required)
    .addColumn('configuration', text)
    .addColumn('state', text, required)
    .addColumn('attempted', integer, required)
    .addColumn('attempts', integer, required)
    .addColumn('logs', text, required)
    .addColumn('createdAt', text, required)
    .addColumn('expiresAt', text)
    .execute();
  await index(db, 'integrationEvents', ['integration', 'attempted', 'createdAt', 'id']);
  await index(db, 'integrationEvents', ['installation', 'state', 'sequence']);
  await index(db, 'integrationEvents', ['expiresAt']);

  await table(db, 'integrationEventStreams')
    .addColumn('installation', text, key)
    .addColumn('integration', text, ownedBy('integrations.name'))
    .addColumn('organization', text, required)
    .addColumn('failures', integer, required)
    .addColumn('dueAt', text, required)
    .addColumn('leaseOwner', text)
    .addColumn('leaseUntil', text)
    .execute();
  await index(db, 'integrationEventStreams', ['dueAt']);
  await index(db, 'integrationEventStreams', ['integration']);
}
