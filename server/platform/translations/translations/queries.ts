import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { components } from '../../../../generated/schema.d.ts';
import type { Document } from '../../../content/markdown/document.ts';
import { readWireDocument } from '../../../content/wire/read.ts';
import type { Queries } from '../../../database/database.ts';
import { type JsonText, readJson, writeJson } from '../../../database/json.ts';
import type { TranslationsTable } from '../../../database/schema/translations/translations.ts';
import { notFound, permissionMissing } from '../../../errors/errors.ts';
import type { CallerId } from '../../../identity/caller.ts';
import { type Membership, requireMember } from '../../../identity/membership.ts';
import { translationPermissions } from '../../../identity/permissions.ts';

/** The state of a translation that was requested, before its first run. */
export const BEFORE_FIRST_RUN = {
  status: 'pending',
  requestedRun: 1,
  run: 0,
  running: 0,
  runStartedAt: null,
  runSource: null,
  runInstructions: null,
  translatedSource: null,
  translatedGlossary: null,
  resultSpace: null,
  resultRevision: null,
  failureReason: null,
  failureMessage: null,
  runs: 0,
  totalWords: 0,
  totalPages: 0,
  totalDuration: 0,
  latestDuration: 0,
  latestPages: 0,
  latestWords: 0,
} as const;

/** A row of the translations table. */
export type TranslationRow = Selectable<TranslationsTable>;

/** Path parameters that identify a translation. */
export interface TranslationName {
  organization: string;
  id: string;
}

/** A translation with the caller's membership. */
export interface TranslationWithAccess {
  row: TranslationRow;
  access: Membership;
}

/** Selects the translations of an organization. */
export const translationsOf = (queries: Queries, organization: string) =>
  queries.selectFrom('translations').selectAll().where('organization', '=', organization);

/**
 * Finds a translation, and requires a permission on it.
 *
 * @throws ContractError 404 if it does not exist for the caller, 403 if the caller lacks the permission
 */
export async function translationFor(
  queries: Queries,
  caller: CallerId,
  { organization, id }: TranslationName,
  permission: 'view' | 'edit',
): Promise<TranslationWithAccess> {
  const access = await requireMember(queries, caller, organization);
  const row = await translationsOf(queries, organization).where('id', '=', id).executeTakeFirst();
  if (!row) {
    throw notFound('translation');
  }
  if (!translationPermissions(access.role)[permission]) {
    throw permissionMissing('translation', permission);
  }
  return { row, access };
}

/** Returns stored instructions. They were validated as a document of the contract before they were written. */
export const instructionsOf = (instructions: JsonText<unknown>): Document =>
  readJson(instructions) as Document;

/** Converts instructions of the contract to their stored form. */
export const storedInstructions = (instructions: components['schemas']['Document']): JsonText<unknown> =>
  writeJson(readWireDocument(instructions));

/** The size of a row in lists. */
export const TRANSLATION_BYTES: RawBuilder<number> = sql<number>`octet_length("translations"."instructions")`;
