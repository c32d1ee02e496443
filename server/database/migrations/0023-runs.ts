import type { Kysely } from 'kysely';
import { columnTypes, index, key, ownedBy, required, table } from './columns.ts';

/** Imports and exports of content: status, progress and result, with the problems of their source. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);
  await table(db, 'runs')
    .addColumn('id', text, key)
    .addColumn('organization', text, required)
    .addColumn('space', text, ownedBy('spaces.id'))
    .addColumn('kind', text, required)
    .addColumn('changeRequest', text)
    .addColumn('source', text)
    .addColumn('url', text, required)
    .addColumn('ref', text)
    .addColumn('oid', text)
    .addColumn('revision', text)
    .addColumn('status', text, required)
    .addColumn('progress', integer, required)
    .addColumn('pages', integer, required)
    .addColumn('files', integer, required)
    .addColumn('problemCount', integer, required)
    .addColumn('problems', text, required)
    .addColumn('failureReason', text)
    .addColumn('failureMessage', text)
    .addColumn('createdAt', text, required)
    .addColumn('startedAt', text)
    .addColumn('endedAt', text)
    .addColumn('expiresAt', text)
    .execute();
  await index(db, 'runs', ['space', 'createdAt', 'id']);
}
