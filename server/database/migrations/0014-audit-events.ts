import type { Kysely } from 'kysely';
import { columnTypes, index, key, required, table } from './columns.ts';

/** The audit trail: changes of permissions, and deletions, with an index for each filter of its list. */
export async function up(db: Kysely<unknown>): Promise<void> {
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
