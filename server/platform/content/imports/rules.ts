import type { components } from '../../../../generated/schema.d.ts';
import { type CommitPlan, commitTo } from '../../../content/branch.ts';
import { addTo } from '../../../content/convert/plan.ts';
import { type ConvertLimits, DEFAULT_LIMITS } from '../../../content/convert/types.ts';
import { imageDimensions } from '../../../content/repository/read/assets.ts';
import { PendingFiles } from '../../../content/store/pending-files.ts';
import type { RevisionRow } from '../../../content/store/revisions.ts';
import { unavailable } from '../../../contract/errors.ts';
import type { Queries } from '../../../database/database.ts';
import { splitCredentials } from '../../../outgoing/credentials.ts';
import { requireCallable, requireRepository } from '../../kit/callable-urls.ts';
import type { Context } from '../../kit/slice.ts';
import { type BranchPath, type BranchWithAccess, writableBranchFor } from '../content-branches/queries.ts';
import { commitServices } from '../indexing/indexing.ts';
import { runFailureOf } from '../runs/failures.ts';
import { type ImportSource, readSource } from '../runs/import-source.ts';
import { INTERRUPTED } from '../runs/present.ts';
import { completeRun, createRun, failRun } from '../runs/record.ts';

/** Time until an unfinished content import is considered interrupted. It exceeds all its time limits. */
export const CONTENT_IMPORT_EXPIRY_MS = 30 * 60_000;

/** An import: the current revision of the branch, and how many of the source's pages and files were imported. */
export interface Imported {
  revision: RevisionRow;
  imported: number;
  total: number;
}

/**
 * Imports content from a URL to a content branch. Pages are added at the end of the tree; existing content is
 * unchanged. The result is also recorded in a run.
 *
 * @throws ContractError 400 for a source that cannot be read, 503 if too many imports are running
 */
export async function importContent(
  ctx: Context,
  { url, source: type, ...path }: BranchPath & components['schemas']['ContentImport'],
  limits: ConvertLimits = DEFAULT_LIMITS,
): Promise<Imported> {
  const { caller, database, slots, log } = ctx;
  // Checks permission and edit mode before anything is fetched.
  const branch = await writableBranchFor(database.query, caller.id, path, 'edit');
  const source = { url: requireSource(ctx, type, url), source: type };
  using _slot = await slots.imports.enter(branch.space.organization, unavailable);
  const run = await startImportRun(ctx, branch, source);
  try {
    return await importInRun(ctx, run, { source, path, limits, branch });
  } catch (error) {
    const failure = runFailureOf(error, ctx.signal) ?? INTERRUPTED;
    await failRun(database.query, ctx, run, failure).catch((err: unknown) =>
      // The caller gets the error of the import. The run expires.
      log.warn({ err, run }, 'could not record the failure of a content import'),
    );
    throw error;
  }
}

/** Wikis are repositories: their URLs may contain credentials. */
const requireSource = ({ outgoing: { allow } }: Context, source: ImportSource['source'], url: string): URL =>
  source === 'github-wiki' ? requireRepository('url', url, allow) : requireCallable('url', url, allow);

async function startImportRun(
  ctx: Context,
  { space, changeRequest }: BranchWithAccess,
  { url, source }: ImportSource,
): Promise<string> {
  const id = ctx.createId('run');
  const shown = splitCredentials(url.href).url;
  // The query may contain a secret, such as a signature.
  shown.search = '';
  const now = ctx.clock();
  await ctx.database.transaction((trx) =>
    createRun(trx, ctx, {
      id,
      organization: space.organization,
      space: space.id,
      kind: 'content-import',
      source,
      url: shown.href,
      startedAt: now.toISOString(),
      expiresAt: new Date(now.getTime() + CONTENT_IMPORT_EXPIRY_MS).toISOString(),
      ...(changeRequest && { changeRequest: changeRequest.id }),
    }),
  );
  return id;
}

async function importInRun(
  ctx: Context,
  run: string,
  {
    source,
    path,
    limits,
    branch: { space },
  }: { source: ImportSource; path: BranchPath; limits: ConvertLimits; branch: BranchWithAccess },
): Promise<Imported> {
  const { caller } = ctx;
  await using files = new PendingFiles(ctx, space.organization, imageDimensions);
  const { imported, total, problems, ...addition } = await readSource(ctx, source, { files, limits });
  const find = (queries: Queries) => writableBranchFor(queries, caller.id, path, 'edit', files);
  const counts = { pages: imported - addition.files.size, files: addition.files.size };
  const { revision } = await commitTo(
    commitServices(ctx),
    { find, files },
    async ({ content }): Promise<CommitPlan<BranchWithAccess>> => ({
      revision: { content: await addTo(content, addition), type: 'edits', createdBy: caller.id },
      also: (trx, { revision: { id } }) => completeRun(trx, ctx, run, { counts, problems, revision: id }),
    }),
  );
  return { revision, imported, total };
}
