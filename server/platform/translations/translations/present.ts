import type { components } from '../../../../generated/schema.d.ts';
import { writeDocument } from '../../../content/wire/write.ts';
import type { Role } from '../../../identity/levels.ts';
import { translationPermissions } from '../../../identity/permissions.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';
import { instructionsOf, type TranslationRow } from './queries.ts';

type Schemas = components['schemas'];

/**
 * Converts a translation to its representation in the API for a member of its organization.
 *
 * @param role the member's role; undefined for a guest
 */
export function presentTranslation(
  row: TranslationRow,
  role: Role | undefined,
  resourceUrls: ResourceUrls,
): Schemas['Translation'] {
  const { resultSpace: space, resultRevision: revision } = row;
  return {
    object: 'translation',
    id: row.id,
    status: row.status,
    source: { space: row.sourceSpace, language: row.sourceLanguage },
    language: row.language,
    instructions: writeDocument(instructionsOf(row.instructions)),
    // The space is created by the first run, and empty until the end of that run.
    ...(row.translatedSource !== null &&
      space !== null &&
      revision !== null && { result: { space, revision, language: row.language } }),
    ...(row.failureReason !== null && {
      failure: { reason: row.failureReason, message: row.failureMessage ?? '' },
    }),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    stats: {
      runs: row.runs,
      totalWords: row.totalWords,
      totalPages: row.totalPages,
      totalDuration: row.totalDuration / 1000,
      latestRunDuration: row.latestDuration / 1000,
      latestPages: row.latestPages,
      latestWords: row.latestWords,
    },
    permissions: translationPermissions(role),
    urls: resourceUrls.translation(row.organization, row.id),
  };
}
