import type { components } from '../../../generated/schema.d.ts';
import { keepableText } from '../../content/tree/hash.ts';
import type { Transaction } from '../../database/database.ts';
import { fieldInvalid, specificationSlugTaken } from '../../errors.ts';
import { requireInOrganization } from '../../identity/access.ts';
import type { CallerId } from '../../identity/caller.ts';
import { unlessNotFound } from '../../identity/errors.ts';
import { type JobKind, jobKind } from '../../jobs/queue.ts';
import { type SpecName, specFor, specsOf } from '../../models/openapi-specs/queries.ts';
import { OutgoingError } from '../../outgoing/errors.ts';
import { requireFetchable } from '../../outgoing/fetch.ts';
import { enqueueDependents } from '../kit/indexing.ts';
import type { Context, Services } from '../kit/slice.ts';

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

/**
 * Creates a specification, and enqueues the processing of its source.
 *
 * @throws ContractError 409 if the slug is already used
 */
export async function createSpec(
  trx: Transaction,
  services: Services,
  user: string,
  { organization, slug }: SpecName,
  source: Schemas['OpenAPISource'],
): Promise<void> {
  await requireInOrganization(trx, user, organization, 'createOpenAPISpec');
  const other = await specsOf(trx, organization).where('slug', '=', slug).executeTakeFirst();
  if (other) {
    throw slugTaken(slug);
  }
  const id = services.makeId('oas');
  const now = services.clock().toISOString();
  await trx
    .insertInto('openAPISpecs')
    .values({
      id,
      organization,
      slug,
      visibility: 'private',
      ...columnsOf(services, source),
      generation: 1,
      processingState: 'pending',
      lastVersion: null,
      lastProcessedAt: null,
      lastProcessErrorCode: null,
      createdAt: now,
      updatedAt: now,
    })
    .execute();
  await enqueueProcessing(trx, services, organization, { spec: id, generation: 1 });
}

/** Creates a specification or replaces its source, and enqueues the processing of the source. */
export async function putSpec(
  trx: Transaction,
  services: Services,
  user: CallerId,
  name: SpecName,
  source: Schemas['OpenAPISource'],
): Promise<void> {
  const existing = await specsOf(trx, name.organization).where('slug', '=', name.slug).executeTakeFirst();
  if (!existing) {
    return await createSpec(trx, services, user, name, source);
  }
  const { row } = await specFor(trx, user, name, 'edit');
  const generation = row.generation + 1;
  await trx
    .updateTable('openAPISpecs')
    .set({
      ...columnsOf(services, source),
      generation,
      processingState: 'pending',
      updatedAt: services.clock().toISOString(),
    })
    .where('id', '=', row.id)
    .execute();
  await enqueueProcessing(trx, services, name.organization, { spec: row.id, generation });
}

/** Updates the visibility of a specification. */
export async function updateSpec(
  trx: Transaction,
  { clock }: Services,
  { caller, audit }: Context,
  name: SpecName,
  { visibility }: Schemas['OpenAPISpecPatch'],
): Promise<void> {
  const { row } = await specFor(trx, caller.id, name, 'edit');
  await trx
    .updateTable('openAPISpecs')
    .set({ visibility, updatedAt: clock().toISOString() })
    .where('id', '=', row.id)
    .execute();
  if (visibility === row.visibility) {
    return;
  }
  await audit(trx, {
    organization: name.organization,
    action: 'openapi_spec.visibility_changed',
    resource: { type: 'openapi-spec', id: row.id },
    details: { before: row.visibility, after: visibility },
  });
}

/** Deletes a specification with its versions and the content computed from them. */
export async function deleteSpec(
  trx: Transaction,
  services: Services,
  { caller, audit }: Context,
  name: SpecName,
): Promise<void> {
  const found = await unlessNotFound(specFor(trx, caller.id, name, 'edit'));
  if (!found) {
    return;
  }
  await trx.deleteFrom('openAPISpecs').where('id', '=', found.row.id).execute();
  await audit(trx, {
    organization: name.organization,
    action: 'openapi_spec.deleted',
    resource: { type: 'openapi-spec', id: found.row.id },
  });
  await enqueueDependents(trx, services, found.row);
}

/** Returns the error for a slug that is already used. */
export const slugTaken = (slug: string) => specificationSlugTaken(slug);

/** @throws ContractError 400 if the URL must not be called */
function columnsOf(
  { outgoing }: Services,
  source: Schemas['OpenAPISource'],
): {
  sourceURL: string | null;
  sourceText: string | null;
} {
  if ('text' in source) {
    return { sourceURL: null, sourceText: keepableText(source.text) };
  }
  try {
    requireFetchable(source.url, outgoing.allow);
  } catch (error) {
    if (error instanceof OutgoingError) {
      throw fieldInvalid('source.url', `cannot be used: ${error.message}`);
    }
    throw error;
  }
  return { sourceURL: source.url, sourceText: null };
}

async function enqueueProcessing(
  trx: Transaction,
  { queue }: Services,
  organization: string,
  payload: SpecSource,
): Promise<void> {
  await queue.enqueue(trx, {
    kind: specProcessing,
    organization,
    key: `openapi ${payload.spec}`,
    payload,
    maxAttempts: 3,
  });
}
