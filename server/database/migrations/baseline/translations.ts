import type { Kysely } from 'kysely';
import { columnTypes, index, key, ownedBy, required, table } from '../columns.ts';

/** Translations of spaces and their translated segments. */
export async function createTranslations(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);

  await table(db, 'translations')
    .addColumn('id', text, key)
    .addColumn('organization', text, ownedBy('organizations.id'))
    .addColumn('sourceSpace', text, required)
    .addColumn('sourceLanguage', text, required)
    .addColumn('language', text, required)
    .addColumn('instructions', text, required)
    .addColumn('status', text, required)
    .addColumn('requestedRun', integer, required)
    .addColumn('run', integer, required)
    .addColumn('running', integer, required)
    .addColumn('runStartedAt', text)
    .addColumn('runSource', text)
    .addColumn('runInstructions', text)
    .addColumn('translatedSource', text)
    .addColumn('translatedGlossary', text)
    .addColumn('resultSpace', text)
    .addColumn('resultRevision', text)
    .addColumn('runs', integer, required)
    .addColumn('totalWords', integer, required)
    .addColumn('totalPages', integer, required)
    .addColumn('totalDuration', integer, required)
    .addColumn('latestDuration', integer, required)
    .addColumn('latestPages', integer, required)
    .addColumn('latestWords', integer, required)
    .addColumn('createdBy', text, required)
    .addColumn('createdAt', text, required)
    .addColumn('updatedAt', text, required)
    .execute();
  await index(db, 'translations', ['organization', 'createdAt', 'id']);

  // A job deletes the segments of a deleted translation, because there may be many.
  await table(db, 'translationSegments')
    .addColumn('organization', text, required)
    .addColumn('translation', text, required)
    .addColumn('hash', text, required)
    .addColumn('run', integer, required)
    .addColumn('text', text)
    .addPrimaryKeyConstraint('translationSegments_pk', ['translation', 'hash'])
    .execute();
}
