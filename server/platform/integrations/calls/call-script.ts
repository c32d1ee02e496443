import { type FileStores, readBlob } from '../../../content/store/blobs.ts';
import { hashOf } from '../../../content/tree/hash.ts';
import type { Queries } from '../../../database/database.ts';
import type { PostedMessage } from '../../../outgoing/fetch.ts';
import { ObjectStorageError } from '../../../outgoing/object-storage/errors.ts';
import { SandboxError } from '../../../sandbox/errors.ts';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import {
  type IntegrationCall,
  IntegrationCallError,
  type IntegrationResponse,
  MAX_INTEGRATION_RESPONSE_BYTES,
} from './calls.ts';
import type { CalledIntegration } from './environment.ts';

/** Sends an event to the published script of an integration, and returns its response. */
export async function callScript(
  services: FileStores & { sandbox: Sandbox },
  { row }: CalledIntegration,
  message: PostedMessage,
  {
    deadlineMs,
    signal,
    maxResponseBytes = MAX_INTEGRATION_RESPONSE_BYTES,
    awaitsBackground,
  }: IntegrationCall & { awaitsBackground: boolean },
): Promise<IntegrationResponse> {
  const { database, sandbox } = services;
  if (await isEmptyScript(database.query, row)) {
    // The same status as that of the runtime library for events that a script does not handle.
    return { status: 406, headers: new Headers(), body: new Uint8Array(), logs: [] };
  }
  try {
    return await sandbox.call(
      { owner: row.name, version: row.version, load: () => readScript(services, row) },
      { message, deadlineMs, signal, maxResponseBytes, awaitsBackground },
    );
  } catch (error) {
    if (error instanceof ObjectStorageError) {
      const message = 'The script cannot be read, because the file storage is not available.';
      throw new IntegrationCallError('unreachable', message, [], { cause: error });
    }
    if (error instanceof SandboxError) {
      const reason = error.reason === 'unavailable' ? 'unreachable' : error.reason;
      throw new IntegrationCallError(reason, error.message, error.logs, { cause: error });
    }
    throw error;
  }
}

/** Returns whether an integration was published without a script. */
async function isEmptyScript(
  queries: Queries,
  { name, version }: CalledIntegration['row'],
): Promise<boolean> {
  const row = await queries
    .selectFrom('integrationVersions')
    .select('script')
    .where('integration', '=', name)
    .where('version', '=', version)
    .executeTakeFirst();
  return row?.script === EMPTY_SCRIPT_HASH;
}

const EMPTY_SCRIPT_HASH = hashOf('');

/** Reads the script of the version that is called. */
async function readScript(
  stores: FileStores,
  { name, version }: CalledIntegration['row'],
): Promise<Uint8Array> {
  const row = await stores.database.query
    .selectFrom('integrationVersions')
    .select(['organization', 'script'])
    .where('integration', '=', name)
    .where('version', '=', version)
    .executeTakeFirst();
  const script = row && (await readBlob(stores, row.organization, row.script));
  if (!script) {
    throw new IntegrationCallError('unreachable', 'The version was removed meanwhile. Call the current one.');
  }
  return script;
}
