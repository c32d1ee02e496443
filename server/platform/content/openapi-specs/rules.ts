import type { components } from '../../../../generated/schema.d.ts';
import { storableText } from '../../../content/tree/hash.ts';
import type { Transaction } from '../../../database/database.ts';
import { specificationSlugTaken } from '../../../errors/errors.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import { requireOrganizationPermission } from '../../../identity/membership.ts';
import { type JobKind, jobKind, type NewJob } from '../../../jobs/queue.ts';
import { requireCallable } from '../../kit/callable-urls.ts';
import { enqueueDependentIndexing } from '../../kit/indexing-jobs.ts';
import { requireJobQuota } from '../../kit/jobs/job-quota.ts';
import type { Context } from '../../kit/slice.ts';
import {
  requireSpecPermission,
  SPEC_COLUMNS,
  type SpecName,
  type SpecRow,
  type SpecWithAccess,
  specFor,
  specMember,
  specsOf,
} from './queries.ts';

type Schemas = components['schemas'];

/** Processes the source of a specification, and creates a version of it. */
export const specProcessing: JobKind<SpecSource> = jobKind<SpecSource>('openapi-processing');

/** A source of a specification. */
export interface SpecSource {
  /** ID of the specification. */
  spec: string;
  /** Number of the source, incremented with each new one. */
  generation: number;
}

/** Slug and organization of a specification, and its source. */
type SpecWithSource = SpecName & { source: Schemas['OpenAPISource'] };

/**
 * Creates a specification, and enqueues the processing of its source.
 *
 * @throws ContractError 409 if the slug is already used
 */
export async function createSpec(
  trx: Transaction,
  ctx: Context,
  spec: SpecWithSource,
): Promise<SpecWithAccess> {
  const { organization, slug } = spec;
  const access = await specMember(trx, ctx.caller.id, organization);
  requireOrganizationPermission(access, 'createOpenAPISpec');
  const existing = await specsOf(trx, organization).where('slug', '=', slug).executeTakeFirst();
  if (existing) {
    throw specificationSlugTaken(slug);
  }
  return { row: await insertSpec(trx, ctx, spec), access };
}

/** Creates a specification or replaces its source, and enqueues the processing of the source. */
export async function putSpec(trx: Transaction, ctx: Context, spec: SpecWithSource): Promise<SpecWithAccess> {
  const { organization, slug, source } = spec;
  const access = await specMember(trx, ctx.caller.id, organization);
  const existing = await specsOf(trx, organization).where('slug', '=', slug).executeTakeFirst();
  if (!existing) {
    requireOrganizationPermission(access, 'createOpenAPISpec');
    return { row: await insertSpec(trx, ctx, spec), access };
  }
  requireSpecPermission(access, 'edit');
  const { id, generation } = existing;
  const row = await trx
    .updateTable('openAPISpecs')
    .set({
      ...columnsOf(ctx, source),
      generation: generation + 1,
      processingState: 'pending',
      updatedAt: ctx.clock().toISOString(),
    })
    .where('id', '=', id)
    .returning(SPEC_COLUMNS)
    .executeTakeFirstOrThrow();
  await enqueueProcessing(trx, ctx, row);
  return { row, access };
}

async function insertSpec(
  trx: Transaction,
  ctx: Context,
  { organization, slug, source }: SpecWithSource,
): Promise<SpecRow> {
  const now = ctx.clock().toISOString();
  const row = await trx
    .insertInto('openAPISpecs')
    .values({
      id: ctx.createId('oas'),
      organization,
      slug,
      visibility: 'private',
      ...columnsOf(ctx, source),
      generation: 1,
      processingState: 'pending',
      lastVersion: null,
      lastProcessedAt: null,
      lastProcessErrorCode: null,
      createdAt: now,
      updatedAt: now,
    })
    // If two transactions insert the same slug at once, PostgreSQL makes one of them retry with `DO NOTHING`, which then
    // finds the specification of the other.
    .onConflict((conflict) => conflict.columns(['organization', 'slug']).doNothing())
    .returning(SPEC_COLUMNS)
    .executeTakeFirstOrThrow();
  await enqueueProcessing(trx, ctx, row);
  return row;
}

/** Updates the visibility of a specification. */
export async function updateSpec(
  trx: Transaction,
  { caller, audit, clock }: Context,
  { visibility, ...name }: SpecName & Schemas['OpenAPISpecPatch'],
): Promise<SpecWithAccess> {
  const { row: before, access } = await specFor(trx, caller.id, name, 'edit');
  const row = await trx
    .updateTable('openAPISpecs')
    .set({ visibility, updatedAt: clock().toISOString() })
    .where('id', '=', before.id)
    .returning(SPEC_COLUMNS)
    .executeTakeFirstOrThrow();
  if (visibility === before.visibility) {
    return { row, access };
  }
  await audit(trx, {
    organization: name.organization,
    action: 'openapi_spec.visibility_changed',
    resource: { type: 'openapi-spec', id: row.id },
    details: { before: before.visibility, after: visibility },
  });
  return { row, access };
}

/** Deletes a specification with its versions and the content computed from them. */
export async function deleteSpec(trx: Transaction, ctx: Context, name: SpecName): Promise<void> {
  const spec = await unlessNotFound(specFor(trx, ctx.caller.id, name, 'edit'));
  if (!spec) {
    return;
  }
  await trx.deleteFrom('openAPISpecs').where('id', '=', spec.row.id).execute();
  await ctx.audit(trx, {
    organization: name.organization,
    action: 'openapi_spec.deleted',
    resource: { type: 'openapi-spec', id: spec.row.id },
  });
  await enqueueDependentIndexing(trx, ctx, spec.row);
}

/** @throws ContractError 400 if the URL must not be called */
function columnsOf(
  { outgoing }: Context,
  source: Schemas['OpenAPISource'],
): {
  sourceURL: string | null;
  sourceText: string | null;
} {
  if ('text' in source) {
    return { sourceURL: null, sourceText: storableText(source.text) };
  }
  requireCallable('source.url', source.url, outgoing.allow);
  return { sourceURL: source.url, sourceText: null };
}

async function enqueueProcessing(trx: Transaction, ctx: Context, row: SpecRow): Promise<void> {
  await requireJobQuota(trx, ctx, row.organization);
  await ctx.queue.enqueue(trx, processingOf(row));
}

/** Returns the job that processes the source of a specification. */
export const processingOf = ({
  id,
  organization,
  generation,
}: Pick<SpecRow, 'id' | 'organization' | 'generation'>): NewJob<SpecSource> => ({
  kind: specProcessing,
  organization,
  key: `openapi ${id}`,
  payload: { spec: id, generation },
  maxAttempts: 3,
});
