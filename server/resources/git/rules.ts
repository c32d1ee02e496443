import type { components } from '../../../generated/schema.d.ts';
import type { Transaction } from '../../database/database.ts';
import { readJson } from '../../database/json.ts';
import { fieldInvalid, spaceLocked } from '../../errors.ts';
import type { CallerId } from '../../identity/caller.ts';
import { unlessNotFound } from '../../identity/errors.ts';
import { type JobKind, jobKind } from '../../jobs/queue.ts';
import { type SpaceWithAccess, spaceFor } from '../../models/spaces/queries.ts';
import { requireHost } from '../../outgoing/addresses.ts';
import { sealingKey, sealSecret, splitCredentials } from '../../outgoing/credentials.ts';
import { OutgoingError } from '../../outgoing/errors.ts';
import { parseRepositoryUrl, requireRef } from '../../outgoing/git-address.ts';
import type { Context, Services } from '../kit/slice.ts';
import { readTime } from '../kit/times.ts';

type Schemas = components['schemas'];

/** The common payload of imports and exports. Its URL is sealed, because it may contain credentials. */
export interface GitTransfer extends Omit<Schemas['GitImport'], 'url' | 'standalone'> {
  space: string;
  /** The URL with its credentials, sealed for this space. */
  sealedURL: string;
  /** ID of the user who requested it. */
  user: string;
}

/** Payload of an import. */
export interface GitImportPayload extends GitTransfer, Pick<Schemas['GitImport'], 'standalone'> {}

/** Payload of an export. */
export interface GitExportPayload extends GitTransfer, Pick<Schemas['GitExport'], 'commitMessage'> {}

/** Imports the content of a space from a Git repository. */
export const gitImport = jobKind<GitImportPayload>('git-import');

/** Exports the content of a space to a Git repository. */
export const gitExport = jobKind<GitExportPayload>('git-export');

// biome-ignore lint/suspicious/noControlCharactersInRegex: the rule is about control characters
const CONTROL_CHARACTER = /[\x00-\x1f\x7f]/;

/** Returns the context that the sealed URL of a space is bound to. */
export const sealContext = (space: string) => `git ${space}`;

/**
 * Enqueues an import.
 *
 * @throws ContractError 400 for input that the job would always reject, 409 if the space is locked
 */
export async function requestImport(
  trx: Transaction,
  services: Services,
  user: CallerId,
  id: string,
  { standalone, ...body }: Schemas['GitImport'],
): Promise<void> {
  const space = await spaceFor(trx, user, id, 'triggerGitSync');
  if (space.row.editMode === 'locked') {
    throw spaceLocked();
  }
  const transfer = transferOf(services, user, id, body);
  await enqueue(trx, services, space, gitImport, {
    ...transfer,
    ...(standalone !== undefined && { standalone }),
  });
}

/**
 * Enqueues an export. It does not change the content, so locked spaces can be exported too.
 *
 * @throws ContractError 400 for input that the job would always reject
 */
export async function requestExport(
  trx: Transaction,
  services: Services,
  user: CallerId,
  id: string,
  { commitMessage, ...body }: Schemas['GitExport'],
): Promise<void> {
  const space = await spaceFor(trx, user, id, 'edit');
  const transfer = transferOf(services, user, id, body);
  await enqueue(trx, services, space, gitExport, { ...transfer, commitMessage });
}

/** Enqueues a job. Imports and exports of a space run one at a time, in the order of their `timestamp`s. */
async function enqueue<Payload extends GitTransfer>(
  trx: Transaction,
  { queue }: Services,
  { row: { id, organization } }: SpaceWithAccess,
  kind: JobKind<Payload>,
  payload: Payload,
): Promise<void> {
  await queue.enqueue(trx, {
    kind,
    organization,
    key: `space ${id}`,
    ...(payload.timestamp !== undefined && { orderKey: payload.timestamp }),
    maxAttempts: 3,
    payload,
  });
}

function transferOf(
  { clock, secretKey, outgoing }: Services,
  user: string,
  space: string,
  { url, ...body }: Omit<Schemas['GitImport'], 'standalone'>,
): GitTransfer {
  requireUsable('url', () => requireHost(parseRepositoryUrl(url).url, outgoing.allow));
  requireUsable('ref', () => requireRef(body.ref));
  if (CONTROL_CHARACTER.test(body.repoProjectDirectory ?? '')) {
    throw fieldInvalid('repoProjectDirectory', 'must not contain control characters');
  }
  const { repoTreeURL, repoCommitURL, gitInfo } = body;
  return {
    ...body,
    // These URLs are shown to readers.
    ...(repoTreeURL !== undefined && { repoTreeURL: withoutCredentials(repoTreeURL) }),
    ...(repoCommitURL !== undefined && { repoCommitURL: withoutCredentials(repoCommitURL) }),
    ...(gitInfo?.url !== undefined && { gitInfo: { ...gitInfo, url: withoutCredentials(gitInfo.url) } }),
    timestamp: (readTime(body.timestamp, { in: 'body', path: 'timestamp' }) ?? clock()).toISOString(),
    space,
    sealedURL: sealSecret(url, sealingKey(secretKey), sealContext(space)),
    user,
  };
}

/** @throws ContractError 400 if the check fails, as it would in each attempt of the job */
function requireUsable(field: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (error instanceof OutgoingError) {
      throw fieldInvalid(field, `cannot be used: ${error.message}`);
    }
    throw error;
  }
}

/** Removes the credentials of a URL. Returns other text unchanged. */
function withoutCredentials(text: string): string {
  const url = URL.parse(text);
  return url && (url.username !== '' || url.password !== '') ? splitCredentials(text).url.href : text;
}

/**
 * Removes the legacy Git installation of a space. Installations of integrations are unchanged.
 *
 * @throws ContractError 403 if the caller may not install integrations on the space
 */
export async function removeLegacyInstallation(
  trx: Transaction,
  { caller, audit }: Context,
  id: string,
): Promise<void> {
  const found = await unlessNotFound(spaceFor(trx, caller.id, id, 'installIntegration'));
  if (!found || readJson(found.row.git)?.installationProvider !== 'github-legacy') {
    return;
  }
  await trx.updateTable('spaces').set({ git: null }).where('id', '=', id).execute();
  const { organization } = found.row;
  await audit(trx, { organization, action: 'git_installation.deleted', resource: { type: 'space', id } });
}
