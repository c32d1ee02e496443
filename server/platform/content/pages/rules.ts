import { openBranch } from '../../../content/branch.ts';
import { type OpenRevision, openContent } from '../../../content/store/content.ts';
import { findRevision, type RevisionRow } from '../../../content/store/revisions.ts';
import { notFound } from '../../../errors/errors.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import type { Context } from '../../kit/slice.ts';
import { spaceFor } from '../../spaces/spaces/queries.ts';
import { type BranchPath, branchFor } from '../content-branches/queries.ts';
import { withComputedPages } from '../openapi-specs/queries/computed.ts';
import { findReplacedRevision } from '../revisions/queries.ts';

/** Path parameters of content to read: of a space, of a change request, or of a revision of either. */
export type SourcePath = BranchPath & { revisionId?: string };

/** Content to read, and who reads it. */
export interface Source extends OpenRevision {
  /** The site, if a visitor reads it; undefined for a user. */
  site: string | undefined;
}

/**
 * Opens the content that a path names, if the caller may read the space, or a published site shows the revision to the
 * visitor.
 *
 * @param computed whether it has computed pages in place of their entries
 * @throws ContractError 404 if it does not exist or is not visible to the caller
 */
export async function openSource(
  ctx: Context,
  { computed, ...path }: SourcePath & { computed: boolean },
): Promise<Source> {
  const { revision, content, site } = await openStored(ctx, path);
  return {
    revision,
    site,
    content: computed ? withComputedPages(ctx, revision.organization, content) : content,
  };
}

async function openStored(ctx: Context, path: SourcePath): Promise<Source> {
  const { query } = ctx.database;
  const { spaceId, revisionId } = path;
  if (revisionId === undefined) {
    return {
      ...(await openBranch(query, await branchFor(query, ctx.caller.id, path, 'view'))),
      site: undefined,
    };
  }
  const isMember =
    !ctx.visitor && (await unlessNotFound(spaceFor(query, ctx.caller.id, spaceId, 'view'))) !== undefined;
  const { revision, site } = isMember
    ? { revision: await findRevision(query, spaceId, revisionId), site: undefined }
    : await publishedRevision(ctx, spaceId, revisionId);
  if (!revision) {
    throw notFound('revision');
  }
  return { revision, site, content: await openContent(query, revision) };
}

/** Finds a revision that a published site shows to the visitor. */
async function publishedRevision(
  ctx: Context,
  spaceId: string,
  id: string,
): Promise<{ revision: RevisionRow | undefined; site: string }> {
  const { query } = ctx.database;
  const { row, site } = await ctx.hooks.publishedSpaceFor(ctx, spaceId, undefined);
  const revision =
    row.revision === id
      ? await findRevision(query, spaceId, id)
      : await findReplacedRevision(query, { space: spaceId, current: row.revision, id }, ctx.clock());
  return { revision, site: site.id };
}
