import { sql } from 'kysely';
import { hashOf } from '../../../content/tree/hash.ts';
import type { ContentObject } from '../../../content/tree/objects.ts';
import type { Queries } from '../../../database/database.ts';
import { userTransfer } from '../../accounts/users/transfer.ts';
import type { Transfer } from '../../kit/transfer/define.ts';
import { TransferError } from '../errors.ts';
import type { Manifest } from '../folder/manifest.ts';
import { OBJECTS_PATH, recordsPath } from '../folder/paths.ts';
import { damaged, readJsonLines } from '../folder/read-files.ts';
import { fieldsOf, toRow } from '../folder/records.ts';
import { TRANSFERS } from '../transfers.ts';
import { Replacements } from './replacements.ts';
import type { ImportServices } from './services.ts';
import { matchUsers } from './users.ts';

/** IDs that one statement looks up. */
const BATCH_IDS = 500;

export interface ExamineOptions {
  folder: string;
  manifest: Manifest;
  /** Whether all resources get new IDs. */
  newIds: boolean;
}

/**
 * Examines every record and object before anything is written, and determines the IDs of the resources.
 *
 * @throws TransferError if one is damaged, or the server already has a resource with its ID
 */
export async function examine(
  services: ImportServices,
  { folder, manifest, newIds }: ExamineOptions,
): Promise<{ replacements: Replacements; organization: string }> {
  const { database, createId, publicURL, signal } = services;
  const former = manifest.publicURL;
  const isMoved = former !== null && publicURL !== undefined;
  const replacements = new Replacements(isMoved ? { former, current: publicURL } : undefined);
  for (const transfer of TRANSFERS) {
    let count = 0;
    const batches = rowBatches(folder, transfer);
    for await (const rows of batches) {
      signal?.throwIfAborted();
      count += rows.length;
      if (transfer === userTransfer) {
        await matchUsers(services, replacements, rows);
        continue;
      }
      const ids = idsOf(transfer, rows);
      if (newIds) {
        for (const id of ids) {
          replacements.setId(id, createId(id.slice(0, id.indexOf('_'))));
        }
      } else {
        await requireUnused(database.query, transfer, ids);
      }
    }
    if (count !== manifest.records[transfer.table]) {
      throw damaged(`${recordsPath(transfer)} does not have the number of records in the manifest`);
    }
  }
  if (manifest.records.organizations !== 1) {
    throw damaged('it does not contain exactly one organization');
  }
  for await (const object of readContentObjects(folder)) {
    signal?.throwIfAborted();
    if (hashOf(object.data) !== object.hash) {
      throw damaged(`the object ${object.hash} of ${OBJECTS_PATH} does not have this hash`);
    }
  }
  return { replacements, organization: replacements.replace(manifest.organization.id) };
}

/** Reads and checks the records of a noun. */
export async function* rowBatches(
  folder: string,
  transfer: Transfer,
  size: number = BATCH_IDS,
): AsyncGenerator<Record<string, unknown>[]> {
  const fields = fieldsOf(transfer);
  let batch: Record<string, unknown>[] = [];
  let characters = 0;
  for await (const line of readJsonLines(folder, recordsPath(transfer))) {
    batch.push(toRow(fields, line));
    characters += line.length;
    if (batch.length >= size || characters >= BATCH_CHARACTERS) {
      yield batch;
      batch = [];
      characters = 0;
    }
  }
  if (batch.length > 0) {
    yield batch;
  }
}

/** Characters of records that are in memory at a time, unless one is longer. */
const BATCH_CHARACTERS = 1_048_576;

/** Reads the objects of the content. */
export async function* readContentObjects(folder: string): AsyncGenerator<ContentObject> {
  for await (const { value, place } of readJsonLines(folder, OBJECTS_PATH)) {
    if (!isContentObject(value)) {
      throw damaged(`${place} is not an object of content`);
    }
    yield value;
  }
}

const isContentObject = (value: unknown): value is ContentObject =>
  typeof value === 'object' &&
  value !== null &&
  'hash' in value &&
  typeof value.hash === 'string' &&
  'data' in value &&
  typeof value.data === 'string' &&
  'kind' in value &&
  (value.kind === 'content' || value.kind === 'tree' || value.kind === 'text');

function idsOf(transfer: Transfer, rows: readonly Record<string, unknown>[]): string[] {
  const name = fieldsOf(transfer).find(([, { role }]) => role === 'id')?.[0];
  return name === undefined ? [] : rows.map((row) => String(row[name]));
}

/** @throws TransferError if the server has a resource with one of the IDs */
async function requireUnused(queries: Queries, { table }: Transfer, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) {
    return;
  }
  const { rows } = await sql<{ id: string }>`
    select "id" from ${sql.table(table)} where "id" in (${sql.join(ids)}) limit 1`.execute(queries);
  const [existing] = rows;
  if (existing) {
    throw new TransferError(
      `The server already has ${existing.id}, a resource of the organization. ` +
        'Add --new-ids to import a copy with other IDs.',
    );
  }
}
