import { storeBlobs } from '../../../content/store/blobs.ts';
import { countSweeps } from '../../../content/store/revisions.ts';
import { sweepObjects } from '../../../content/store/sweep.ts';
import { storableText } from '../../../content/tree/hash.ts';
import type { Transaction } from '../../../database/database.ts';
import { organizationFileLimitExceeded } from '../../../errors/errors.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import { requireInOrganization } from '../../../identity/membership.ts';
import { jobKind } from '../../../jobs/queue.ts';
import type { decodeImage } from '../../kit/images.ts';
import type { Context, Services } from '../../kit/slice.ts';
import { findOrganizationFile, type OrganizationFileRow } from './queries.ts';

/** Maximum number of files of an organization. */
export const MAX_ORGANIZATION_FILES = 1000;

/** Deletes the bytes of deleted files. */
const sweepFiles = jobKind<{ organization: string }>('organization-files-sweep');

/** Registers the worker that deletes the bytes of deleted files. */
export function registerFileSweeps({ queue, database, clock }: Services): void {
  queue.register(sweepFiles, async ({ payload }, signal) => {
    await sweepObjects(database, payload.organization, clock, signal);
  });
}

/**
 * Stores an image, or finds the file with the same content.
 *
 * @throws ContractError 409 if the organization has the maximum number of files, 403 if it would have too many bytes
 */
export async function createOrganizationFile(
  trx: Transaction,
  { caller, clock, createId, quotas }: Context,
  {
    organization,
    name,
    image: { bytes, hash, contentType, extension },
  }: { organization: string; name: string; image: ReturnType<typeof decodeImage> },
): Promise<OrganizationFileRow> {
  await requireInOrganization(trx, caller.id, organization, 'createContent');
  const existing = await findOrganizationFile(trx, organization, hash);
  if (existing) {
    return existing;
  }
  const { count } = await trx
    .selectFrom('organizationFiles')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization', '=', organization)
    .executeTakeFirstOrThrow();
  if (count >= MAX_ORGANIZATION_FILES) {
    throw organizationFileLimitExceeded(MAX_ORGANIZATION_FILES);
  }
  // Conflicts with a concurrent sweep.
  await countSweeps(trx, organization);
  await storeBlobs(trx, quotas, organization, [bytes]);
  const row: OrganizationFileRow = {
    id: createId('file'),
    organization,
    hash,
    name: storableText(name),
    contentType,
    extension,
    size: bytes.byteLength,
    createdAt: clock().toISOString(),
  };
  await trx.insertInto('organizationFiles').values(row).execute();
  return row;
}

/** Deletes a file. Its bytes are deleted afterwards, unless content has the same. */
export async function deleteOrganizationFile(
  trx: Transaction,
  { caller, queue }: Context,
  { organization, file }: { organization: string; file: string },
): Promise<void> {
  const member = await unlessNotFound(requireInOrganization(trx, caller.id, organization, 'createContent'));
  if (!member) {
    return;
  }
  const { numDeletedRows } = await trx
    .deleteFrom('organizationFiles')
    .where('id', '=', file)
    .where('organization', '=', organization)
    .executeTakeFirstOrThrow();
  if (numDeletedRows > 0) {
    await queue.enqueue(trx, {
      kind: sweepFiles,
      organization,
      key: organization,
      payload: { organization },
    });
  }
}
