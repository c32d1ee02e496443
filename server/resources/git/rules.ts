import type { components } from '../../../generated/schema.d.ts';
import type { Transaction } from '../../database/database.ts';
import { readJson } from '../../database/json.ts';
import { fieldInvalid, spaceLocked } from '../../errors.ts';
import type { CallerId } from '../../identity/caller.ts';
import { unlessNotFound } from '../../identity/errors.ts';
import { type JobKind, jobKind } from '../../jobs/queue.ts';
import { type FoundSpace, spaceFor } from '../../models/spaces/queries.ts';
import { requireHost } from '../../outgoing/addresses.ts';
import { sealingKey, sealSecret, splitCredentials } from '../../outgoing/credentials.ts';
import { OutgoingError } from '../../outgoing/errors.ts';
import { parseRepositoryUrl, requireRef } from '../../outgoing/git-address.ts';
import type { Context, Services } from '../kit/slice.ts';
import { readTime } from '../kit/times.ts';

type Schemas = components['schemas'];

/** What imports and exports have in common, as the queue keeps it: the address sealed, for it may hold credentials. */
export interface GitTransfer extends Omit<Schemas['GitImport'], 'url' | 'standalone'> {
  space: string;
  /** The address with its credentials, sealed for this space. */
  sealedURL: string;
  /** Who asked for it. */
  user: string;
}

/** A request to import. */
export interface GitImportPayload extends GitTransfer, Pick<Schemas['GitImport'], 'standalone'> {}

/** A request to export. */
export interface GitExportPayload extends GitTransfer, Pick<Schemas['GitExport'], 'commitMessage'> {}

/** Reads the content of a space from a Git repository. */
export const gitImport = jobKind<GitImportPayload>('git-import');

/** Writes the content of a space to a Git repository. */
export const gitExport = jobKind<GitExportPayload>('git-export');

// biome-ignore lint/suspicious/noControlCharactersInRegex: the rule is about control characters
const CONTROL_CHARACTER = /[\x00-\x1f\x7f]/;

/** What a sealed address of a space is bound to. */
export const sealContext = (space: string) => `git ${space}`;

/**
 * Leaves an import to the background.
 *
 * @throws ContractError 400 for what the job would refuse at each try, 409 for a locked space
 */
export async function requestImport(
  trx: Transaction,
  services: Services,
  user: CallerId,
  id: string,
  { standalone, ...body }: Schemas['GitImport'],
): Promise<void> {
  const space = await spaceFor(trx, user, id, 'triggerGitSync');
  if (space.row.editMode === 'locked') throw spaceLocked();
  const transfer = transferOf(services, user, id, body);
  await enqueue(trx, services, space, gitImport, {
    ...transfer,
    ...(standalone !== undefined && { standalone }),
  });
}

/**
 * Leaves an export to the background; the content of the space stays as it is, so a locked one may be exported.
 *
 * @throws ContractError 400 for what the job would refuse at each try
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

/** Imports and exports of a space run one at a time, in the order of their `timestamp`s. */
async function enqueue<Payload extends GitTransfer>(
  trx: Transaction,
  { queue }: Services,
  { row: { id, organization } }: FoundSpace,
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
  usable('url', () => requireHost(parseRepositoryUrl(url).url, outgoing.allow));
  usable('ref', () => requireRef(body.ref));
  if (CONTROL_CHARACTER.test(body.repoProjectDirectory ?? ''))
    throw fieldInvalid('repoProjectDirectory', 'must not contain control characters');
  const { repoTreeURL, repoCommitURL, gitInfo } = body;
  return {
    ...body,
    // People get these to see.
    ...(repoTreeURL !== undefined && { repoTreeURL: bare(repoTreeURL) }),
    ...(repoCommitURL !== undefined && { repoCommitURL: bare(repoCommitURL) }),
    ...(gitInfo?.url !== undefined && { gitInfo: { ...gitInfo, url: bare(gitInfo.url) } }),
    timestamp: (readTime(body.timestamp, { in: 'body', path: 'timestamp' }) ?? clock()).toISOString(),
    space,
    sealedURL: sealSecret(url, sealingKey(secretKey), sealContext(space)),
    user,
  };
}

/** @throws ContractError 400 for what would be refused again whenever the job is tried */
function usable(field: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (error instanceof OutgoingError) throw fieldInvalid(field, `cannot be used: ${error.message}`);
    throw error;
  }
}

/** An address without the credentials that it may hold; what is none stays as it is. */
function bare(address: string): string {
  const url = URL.parse(address);
  return url && (url.username !== '' || url.password !== '') ? splitCredentials(address).url.href : address;
}

/**
 * Forgets the Git installation of a space that came before the integrations; one by an integration stays.
 *
 * @throws ContractError 403 for who may not install integrations on the space
 */
export async function forgetLegacyInstallation(
  trx: Transaction,
  { caller, audit }: Context,
  id: string,
): Promise<void> {
  const found = await unlessNotFound(spaceFor(trx, caller.id, id, 'installIntegration'));
  if (!found || readJson(found.row.git)?.installationProvider !== 'github-legacy') return;
  await trx.updateTable('spaces').set({ git: null }).where('id', '=', id).execute();
  const { organization } = found.row;
  await audit(trx, { organization, action: 'git_installation.deleted', resource: { type: 'space', id } });
}
