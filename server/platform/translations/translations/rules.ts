import type { components } from '../../../../generated/schema.d.ts';
import type { Transaction } from '../../../database/database.ts';
import { fieldInvalid, translationLanguageEqual, translationSourceRequired } from '../../../errors/errors.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import { requireInOrganization } from '../../../identity/membership.ts';
import { type JobKind, jobKind, type NewJob, type Queue } from '../../../jobs/queue.ts';
import { requireJobQuota } from '../../kit/jobs/job-quota.ts';
import type { Context } from '../../kit/slice.ts';
import { requireCreatePermission } from '../../spaces/placements/permissions.ts';
import { spaceFor } from '../../spaces/spaces/queries.ts';
import {
  BEFORE_FIRST_RUN,
  storedInstructions,
  type TranslationName,
  type TranslationRow,
  type TranslationWithAccess,
  translationFor,
} from './queries.ts';

type Schemas = components['schemas'];

/** A part of a run of a translation. */
export interface RunPart {
  translation: string;
  /** Number of the run. */
  run: number;
  /** Number of source texts with translated segments. */
  next: number;
  /** Number of successive failures of the translation service. */
  failures: number;
}

/** Runs a part of a translation, and enqueues the next one. */
export const translationRun: JobKind<RunPart> = jobKind<RunPart>('translation-run');

/** Deletes the segments of a deleted translation. */
export const translationRemoval: JobKind<{ translation: string }> = jobKind<{ translation: string }>(
  'translation-removal',
);

/** Returns the job of a part of a run. The runs of a translation follow each other. */
export const runPartOf = ({
  organization,
  runAt,
  translation,
  run,
  next,
  failures,
}: RunPart & { organization: string; runAt?: Date }): NewJob<RunPart> => ({
  kind: translationRun,
  organization,
  key: `translation ${translation}`,
  orderKey: String(run).padStart(12, '0'),
  payload: { translation, run, next, failures },
  ...(runAt && { runAt }),
  maxAttempts: 3,
});

/** Enqueues a part of a run. */
export async function enqueueRunPart(
  trx: Transaction,
  queue: Queue,
  part: RunPart & { organization: string; runAt?: Date },
): Promise<void> {
  await queue.enqueue(trx, runPartOf(part));
}

/**
 * Creates a translation, and enqueues its first run. Requires permission to read the source, and to create content in
 * its parent.
 *
 * @throws ContractError 400 for a space that the caller cannot read, 409 for the language of the source, and without a
 *   source that can be derived
 */
export async function createTranslation(
  trx: Transaction,
  ctx: Context,
  { organization, language, instructions, ...body }: { organization: string } & Schemas['TranslationCreate'],
): Promise<TranslationWithAccess> {
  const { caller, clock, createId, queue } = ctx;
  const access = await requireInOrganization(trx, caller.id, organization, 'createContent');
  const source = body.source ?? (await onlySource(trx, organization));
  const space = await unlessNotFound(spaceFor(trx, caller.id, source.space, 'view'));
  if (space?.row.organization !== organization) {
    throw fieldInvalid('source.space', 'must be the ID of a space of the organization');
  }
  if (source.language === language) {
    throw translationLanguageEqual();
  }
  await requireCreatePermission(trx, caller.id, space.row);
  await requireJobQuota(trx, ctx, organization);
  const now = clock().toISOString();
  const empty: Schemas['Document'] = { object: 'document', data: { schemaVersion: 1 }, nodes: [] };
  const row = await trx
    .insertInto('translations')
    .values({
      id: createId('trn'),
      organization,
      sourceSpace: source.space,
      sourceLanguage: source.language,
      language,
      instructions: storedInstructions(instructions ?? empty),
      ...BEFORE_FIRST_RUN,
      createdBy: caller.id,
      createdAt: now,
      updatedAt: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await enqueueRunPart(trx, queue, firstPart(row));
  return { row, access };
}

/**
 * Returns the only space of an organization that has a language. It is visible to the caller: members with the
 * permission `createContent` see all spaces.
 */
async function onlySource(trx: Transaction, organization: string): Promise<Schemas['TranslationSource']> {
  const spaces = await trx
    .selectFrom('spaces')
    .select(['id', 'language'])
    .where('organization', '=', organization)
    .where('deletedAt', 'is', null)
    .where('language', 'is not', null)
    .limit(2)
    .execute();
  const [space] = spaces;
  if (spaces.length !== 1 || !space || space.language === null) {
    throw translationSourceRequired();
  }
  return { space: space.id, language: space.language };
}

/** Replaces the instructions. They apply from the next run on. */
export async function updateTranslation(
  trx: Transaction,
  { caller, clock }: Context,
  { instructions, ...name }: TranslationName & Schemas['TranslationUpdate'],
): Promise<TranslationWithAccess> {
  const { row: before, access } = await translationFor(trx, caller.id, name, 'edit');
  const row = await trx
    .updateTable('translations')
    .set({ instructions: storedInstructions(instructions), updatedAt: clock().toISOString() })
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return { row, access };
}

/** Enqueues a run. A run that is requested during another one follows it. */
export async function runTranslation(trx: Transaction, ctx: Context, name: TranslationName): Promise<void> {
  const { caller, clock, queue } = ctx;
  const { row: before } = await translationFor(trx, caller.id, name, 'edit');
  await requireJobQuota(trx, ctx, before.organization);
  const row = await trx
    .updateTable('translations')
    .set({
      requestedRun: before.requestedRun + 1,
      ...(!before.running && { status: 'pending' }),
      updatedAt: clock().toISOString(),
    })
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await enqueueRunPart(trx, queue, firstPart(row));
}

/** Deletes a translation. Its result is retained, and its segments are deleted by a job. */
export async function deleteTranslation(
  trx: Transaction,
  { caller, audit, queue }: Context,
  name: TranslationName,
): Promise<void> {
  const existing = await unlessNotFound(translationFor(trx, caller.id, name, 'edit'));
  if (!existing) {
    return;
  }
  const { id, organization } = existing.row;
  await trx.deleteFrom('translations').where('id', '=', id).execute();
  await queue.enqueue(trx, {
    kind: translationRemoval,
    organization,
    // After a part of a run that still stores segments.
    key: `translation ${id}`,
    orderKey: '~',
    payload: { translation: id },
  });
  await audit(trx, { organization, action: 'translation.deleted', resource: { type: 'translation', id } });
}

/** Returns the first part of the run that was requested last. */
export const firstPart = ({ id, organization, requestedRun }: TranslationRow) => ({
  organization,
  translation: id,
  run: requestedRun,
  next: 0,
  failures: 0,
});
