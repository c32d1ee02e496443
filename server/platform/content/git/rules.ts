import type { components } from '../../../../generated/schema.d.ts';
import type { Transaction } from '../../../database/database.ts';
import { readJson } from '../../../database/json.ts';
import { spaceLocked } from '../../../errors/errors.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import { type JobKind, jobKind } from '../../../jobs/queue.ts';
import { sealingKey, sealSecret, splitCredentials } from '../../../outgoing/credentials.ts';
import { requireRef } from '../../../outgoing/git/git-address.ts';
import { requireRepository, requireUsable } from '../../kit/callable-urls.ts';
import { requireJobQuota } from '../../kit/jobs/job-quota.ts';
import type { Context } from '../../kit/slice.ts';
import { readTime } from '../../kit/times.ts';
import { spaceFor } from '../../spaces/spaces/queries.ts';
import { extendSpaceMap } from '../references/space-map-write.ts';
import { createRun, runOfJob } from '../runs/record.ts';
import { forgetSyncedBranch } from './jobs/synced-branches.ts';

type Schemas = components['schemas'];

/** Path parameters of a space. */
interface SpacePath {
  spaceId: string;
}

/** The common payload of imports and exports. Its URL is sealed, because it may contain credentials. */
export interface GitTransfer extends Omit<Schemas['GitImport'], 'url' | 'standalone' | 'spaceMap'> {
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

/** Returns the context that the sealed URL of a space is bound to. */
export const sealContext = (space: string) => `git ${space}`;

/**
 * Requests an import, which a job runs.
 *
 * @returns the ID of the run
 * @throws ContractError 400 for input that the job would always reject, 409 if the space is locked
 */
export async function requestImport(
  trx: Transaction,
  ctx: Context,
  { spaceId, standalone, spaceMap, ...body }: SpacePath & Schemas['GitImport'],
): Promise<string> {
  const { row } = await spaceFor(trx, ctx.caller.id, spaceId, 'triggerGitSync');
  if (row.editMode === 'locked') {
    throw spaceLocked();
  }
  if (spaceMap) {
    await extendSpaceMap(trx, ctx, { caller: ctx.caller.id, organization: row.organization, spaceMap });
  }
  const transfer = transferOf(ctx, row, body);
  const payload = { ...transfer, ...(standalone !== undefined && { standalone }) };
  return await enqueue(trx, ctx, row, { kind: gitImport, payload, url: body.url });
}

/**
 * Requests an export, which a job runs. It does not change the content, so locked spaces can be exported too.
 *
 * @returns the ID of the run
 * @throws ContractError 400 for input that the job would always reject
 */
export async function requestExport(
  trx: Transaction,
  ctx: Context,
  { spaceId, commitMessage, ...body }: SpacePath & Schemas['GitExport'],
): Promise<string> {
  const { row } = await spaceFor(trx, ctx.caller.id, spaceId, 'edit');
  const payload = { ...transferOf(ctx, row, body), commitMessage };
  return await enqueue(trx, ctx, row, { kind: gitExport, payload, url: body.url });
}

/**
 * Enqueues a job and creates its run. Imports and exports of a space run one at a time, in the order of their
 * `timestamp`s.
 */
async function enqueue<Payload extends GitTransfer>(
  trx: Transaction,
  ctx: Context,
  { id: space, organization }: { id: string; organization: string },
  { kind, payload, url }: { kind: JobKind<Payload>; payload: Payload; url: string },
): Promise<string> {
  await requireJobQuota(trx, ctx, organization);
  const job = await ctx.queue.enqueue(trx, {
    kind,
    organization,
    key: `space ${space}`,
    ...(payload.timestamp !== undefined && { orderKey: payload.timestamp }),
    maxAttempts: 3,
    payload,
  });
  const run = runOfJob({ id: job });
  await createRun(trx, ctx, {
    id: run,
    organization,
    space,
    kind: kind === gitImport ? 'git-import' : 'git-export',
    url: withoutCredentials(url),
    ref: payload.ref,
  });
  return run;
}

function transferOf(
  { caller, clock, secretKey, outgoing }: Context,
  { id: space }: { id: string },
  { url, ...body }: Omit<Schemas['GitImport'], 'standalone' | 'spaceMap'>,
): GitTransfer {
  requireRepository('url', url, outgoing.allow);
  requireUsable('ref', () => requireRef(body.ref));
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
    user: caller.id,
  };
}

/** Removes the credentials of a URL. Returns other text unchanged. */
function withoutCredentials(text: string): string {
  const url = URL.parse(text);
  return url && (url.username !== '' || url.password !== '') ? splitCredentials(text).url.href : text;
}

/**
 * Deletes the legacy Git installation of a space. Installations of integrations are unchanged.
 *
 * @throws ContractError 403 if the caller may not install integrations on the space
 */
export async function deleteLegacyInstallation(
  trx: Transaction,
  { caller, audit }: Context,
  { spaceId }: SpacePath,
): Promise<void> {
  const space = await unlessNotFound(spaceFor(trx, caller.id, spaceId, 'installIntegration'));
  if (!space) {
    return;
  }
  const git = readJson(space.row.git);
  if (git?.installationProvider !== 'github-legacy') {
    return;
  }
  const { id, organization } = space.row;
  await trx.updateTable('spaces').set({ git: null }).where('id', '=', id).execute();
  await forgetSyncedBranch(trx, id, git);
  await audit(trx, { organization, action: 'git_installation.deleted', resource: { type: 'space', id } });
}
