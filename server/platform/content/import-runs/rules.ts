import type { components } from '../../../../generated/schema.d.ts';
import { openBranch } from '../../../content/branch.ts';
import type { Content } from '../../../content/tree/content.ts';
import type { Transaction } from '../../../database/database.ts';
import { writeJson } from '../../../database/json.ts';
import type { StoredImportSource } from '../../../database/schema/content/runs.ts';
import { fieldInvalid } from '../../../errors/errors.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import { requireMember } from '../../../identity/membership.ts';
import { jobKind } from '../../../jobs/queue.ts';
import { sealingKey, sealSecret, splitCredentials } from '../../../outgoing/credentials.ts';
import { requireCallable } from '../../kit/callable-urls.ts';
import { requireJobQuota } from '../../kit/jobs/job-quota.ts';
import type { Context } from '../../kit/slice.ts';
import { spaceFor } from '../../spaces/spaces/queries.ts';
import { type BranchWithAccess, writableBranchFor } from '../content-branches/queries.ts';
import { importRunFor } from '../runs/imports.ts';
import type { RunRow } from '../runs/queries.ts';
import { createRun, runOfJob } from '../runs/record.ts';

type Schemas = components['schemas'];

/** Payload of an import. */
export interface ImportPayload {
  space: string;
  changeRequest?: string;
  page?: string;
  /** ID of the user who started it. */
  user: string;
  /** The {@link ImportedUrl}s as JSON, sealed for this space: their queries may contain secrets. */
  sealedUrls: string;
}

/** A part of a source, and the field of the request that contains its URL. */
export interface ImportedUrl {
  field: string;
  url: string;
  source: Schemas['ImportSource'];
}

/** Imports a website or files. */
export const importJob = jobKind<ImportPayload>('import');

/** Returns the context that the sealed URLs of a space are bound to. */
export const sealContext = (space: string) => `import ${space}`;

/** Types of files by the endings of their names. */
const FILE_TYPES: ReadonlyMap<string, Schemas['ImportSource']> = new Map([
  ['md', 'markdown'],
  ['markdown', 'markdown'],
  ['html', 'html'],
  ['htm', 'html'],
  ['docx', 'docx'],
  ['zip', 'zip'],
]);

/**
 * Starts an import, which a job runs.
 *
 * @throws ContractError 400 for a target or a source that cannot be used, 409 for a target that cannot be written to
 */
export async function startImportRun(
  ctx: Context,
  { organizationId, source, target }: { organizationId: string } & Schemas['ImportRunCreate'],
): Promise<RunRow> {
  const { caller, database, secretKey } = ctx;
  await requireMember(database.query, caller.id, organizationId);
  const urls = urlsOf(ctx, source);
  const { space, changeRequest } = await findTarget(ctx, organizationId, target);
  const path = { spaceId: space.id, ...(changeRequest && { changeRequestId: changeRequest.id }) };
  const page = target.page === undefined ? {} : { page: target.page };
  const payload: ImportPayload = {
    space: space.id,
    ...(changeRequest && { changeRequest: changeRequest.id }),
    ...page,
    user: caller.id,
    sealedUrls: sealSecret(JSON.stringify(urls), sealingKey(secretKey), sealContext(space.id)),
  };
  return await database.transaction(async (trx) => {
    await writableBranchFor(trx, caller.id, path, 'edit', { organization: organizationId });
    await requireJobQuota(trx, ctx, organizationId);
    const job = await ctx.queue.enqueue(trx, {
      kind: importJob,
      organization: organizationId,
      key: `space ${space.id}`,
      maxAttempts: 3,
      payload,
    });
    const run = runOfJob({ id: job });
    await createRun(trx, ctx, {
      id: run,
      organization: organizationId,
      space: space.id,
      kind: 'import',
      url: withoutQuery(urls[0]?.url ?? ''),
      request: writeJson({ source: withoutQueries(source), ...page }),
      createdBy: caller.id,
      ...(changeRequest && { changeRequest: changeRequest.id }),
    });
    return await importRunFor(trx, caller.id, { organization: organizationId, run });
  });
}

/**
 * Cancels an import run. One that has ended is unchanged.
 *
 * @throws ContractError 403 if the caller may not edit the space
 */
export async function cancelImportRun(
  trx: Transaction,
  { caller, clock }: Context,
  name: { organization: string; run: string },
): Promise<RunRow> {
  const row = await importRunFor(trx, caller.id, name, 'edit');
  if (row.endedAt !== null) {
    return row;
  }
  const changes = { status: 'cancelled' as const, endedAt: clock().toISOString() };
  await trx.updateTable('runs').set(changes).where('id', '=', row.id).execute();
  return { ...row, ...changes };
}

/** Returns the target of an import. Its page is read without a transaction. */
async function findTarget(
  { caller, database: { query } }: Context,
  organization: string,
  target: Schemas['ImportRunTarget'],
): Promise<BranchWithAccess> {
  const space = await unlessNotFound(spaceFor(query, caller.id, target.space, 'edit'));
  if (space?.row.organization !== organization) {
    throw fieldInvalid('target.space', 'must be the ID of a space of the organization');
  }
  const path = {
    spaceId: target.space,
    ...(target.changeRequest !== undefined && { changeRequestId: target.changeRequest }),
  };
  const branch = await unlessNotFound(writableBranchFor(query, caller.id, path, 'edit'));
  if (!branch) {
    throw fieldInvalid('target.changeRequest', 'must be the ID or number of a change request of the space');
  }
  if (target.page !== undefined) {
    await requireParent((await openBranch(query, branch)).content, target.page);
  }
  return branch;
}

/** @throws ContractError 400 if the content has no such page, or it can have no subpages */
export async function requireParent(content: Content, page: string): Promise<void> {
  const record = (await content.readPages([page])).get(page);
  if (record?.type !== 'document' && record?.type !== 'group') {
    throw fieldInvalid('target.page', 'must be the ID of a document or group of the content');
  }
}

/** @throws ContractError 400 for the first URL that cannot be called, or that has a file of unknown type */
function urlsOf({ outgoing: { allow } }: Context, source: Schemas['ImportRunSource']): ImportedUrl[] {
  if (source.type === 'website') {
    const field = 'source.url';
    return [{ field, url: requireCallable(field, source.url, allow).href, source: 'website' }];
  }
  return source.files.map((file, index) => {
    const field = `source.files.${index}`;
    const url = requireCallable(field, file, allow);
    const type = FILE_TYPES.get(url.pathname.slice(url.pathname.lastIndexOf('.') + 1).toLowerCase());
    if (!type) {
      throw fieldInvalid(field, `must end with one of .${[...FILE_TYPES.keys()].join(', .')}`);
    }
    return { field, url: url.href, source: type };
  });
}

function withoutQueries(source: Schemas['ImportRunSource']): StoredImportSource {
  return source.type === 'website'
    ? { type: 'website', url: withoutQuery(source.url) }
    : { type: 'file', files: source.files.map(withoutQuery) };
}

/** Removes the query of a URL, which may contain a secret, such as a signature. */
function withoutQuery(text: string): string {
  const { url } = splitCredentials(text);
  url.search = '';
  return url.href;
}
