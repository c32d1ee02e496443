import type { Kysely } from 'kysely';
import { columnTypes, index, key, longText, ownedBy, required, table } from '../columns.ts';

/** OpenAPI specifications and their versions. */
export async function createOpenAPISpecs(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);

  await table(db, 'openAPISpecs')
    .addColumn('id', text, key)
    .addColumn('organization', text, ownedBy('organizations.id'))
    .addColumn('slug', text, required)
    .addColumn('visibility', text, required)
    .addColumn('sourceURL', text)
    .addColumn('sourceText', text)
    .addColumn('generation', integer, required)
    .addColumn('processingState', text, required)
    .addColumn('lastVersion', text)
    .addColumn('lastProcessedAt', text)
    .addColumn('lastProcessErrorCode', text)
    .addColumn('createdAt', text, required)
    .addColumn('updatedAt', text, required)
    .addUniqueConstraint('openAPISpecs_slug', ['organization', 'slug'])
    .execute();
  await index(db, 'openAPISpecs', ['organization', 'createdAt', 'id']);

  await table(db, 'openAPISpecVersions')
    .addColumn('id', text, key)
    .addColumn('organization', text, required)
    .addColumn('spec', text, ownedBy('openAPISpecs.id'))
    .addColumn('hash', text, required)
    .addColumn('format', text, required)
    .addColumn('text', await longText(db), required)
    .addColumn('document', await longText(db), required)
    .addColumn('createdAt', text, required)
    .execute();
  await index(db, 'openAPISpecVersions', ['spec', 'createdAt', 'id']);
}
