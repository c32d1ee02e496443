import { openBranch } from '../../../content/branch.ts';
import { type Link, type LinkScope, linksFrom, linksIn } from '../../../content/links/graph.ts';
import { openContent } from '../../../content/store/content.ts';
import { requireRevision } from '../../../content/store/revisions.ts';
import { addressFinder } from '../../../content/threads/addresses.ts';
import type { Content, LocatedPage } from '../../../content/tree/content.ts';
import type { FileRecord } from '../../../content/tree/records.ts';
import { notFound } from '../../../errors/errors.ts';
import type { Context } from '../../kit/slice.ts';
import { ancestorOf } from '../change-requests/queries.ts';
import { type BranchPath, type BranchWithAccess, branchFor } from '../content-branches/queries.ts';
import { withComputedPages } from '../openapi-specs/queries/computed.ts';
import { spaceAddressFinder } from '../references/space-urls.ts';
import { type CheckedLink, checkLinks } from './present/link-status.ts';
import { Locations } from './present/locations.ts';

/** The content of a branch as readers see it, with its computed pages. */
export interface BranchContent {
  branch: BranchWithAccess;
  content: Content;
  locations: Locations;
}

/**
 * Opens the content of a branch that a path names.
 *
 * @throws ContractError 404 if it does not exist or is not visible to the caller
 */
export async function openBranchContent(ctx: Context, path: BranchPath): Promise<BranchContent> {
  const { query } = ctx.database;
  const branch = await branchFor(query, ctx.caller.id, path, 'view');
  const { revision, content: stored } = await openBranch(query, branch);
  const content = withComputedPages(ctx, branch.space.organization, stored);
  const locations = await Locations.of(ctx, branch, { revision, content });
  return { branch, content, locations };
}

/** @throws ContractError 404 if the page does not exist */
export async function requirePage(content: Content, id: string): Promise<LocatedPage> {
  const page = await findPage(content, id);
  if (!page) {
    throw notFound('page');
  }
  return page;
}

/** @throws ContractError 404 if the file does not exist */
export async function requireFile(content: Content, id: string): Promise<FileRecord> {
  const file = await content.readFile(id);
  if (!file) {
    throw notFound('file');
  }
  return file;
}

async function findPage(content: Content, id: string): Promise<LocatedPage | undefined> {
  return (await content.readLocatedPages([id])).get(id);
}

/** Returns what the links of a branch are resolved with. */
export const linkScope = (
  { database, resourceUrls }: Context,
  { branch: { space } }: BranchContent,
): LinkScope => ({
  space: space.id,
  findSpaceAddresses: spaceAddressFinder(database.query, resourceUrls, space.organization),
});

/** Links with their status, and how many of them are broken. */
export interface CheckedLinks {
  links: CheckedLink[];
  broken: number;
  /** Number of broken links that were not broken before the change request; undefined outside of change requests. */
  newlyBroken: number | undefined;
}

/** Checks all links in the content of a branch. */
export async function checkContentLinks(ctx: Context, opened: BranchContent): Promise<CheckedLinks> {
  return await checkBranchLinks(ctx, opened, (content) => linksIn(content, linkScope(ctx, opened)));
}

/** Checks the links in a page. */
export async function checkPageLinks(
  ctx: Context,
  opened: BranchContent,
  page: string,
): Promise<CheckedLinks> {
  const findAddresses = addressFinder(ctx, opened.branch.space.organization);
  const scope = linkScope(ctx, opened);
  return await checkBranchLinks(ctx, opened, async (content) => {
    // The page may not exist in the content before a change request.
    const current = await findPage(content, page);
    return current ? await linksFrom(content, current, scope, findAddresses) : [];
  });
}

/** Checks the links that `read` finds in the content of a branch, and compares them with those before its changes. */
async function checkBranchLinks(
  ctx: Context,
  { branch, content, locations }: BranchContent,
  read: (content: Content) => Promise<Link[]>,
): Promise<CheckedLinks> {
  const links = await checkLinks(ctx, locations, await read(content));
  const broken = links.filter(({ status }) => status === 'broken');
  if (!branch.changeRequest) {
    return { links, broken: broken.length, newlyBroken: undefined };
  }
  const { query: queries } = ctx.database;
  const ancestor = await requireRevision(queries, branch.space.id, ancestorOf(branch.changeRequest));
  const stored = await openContent(queries, ancestor);
  const before = withComputedPages(ctx, branch.space.organization, stored);
  const linksBefore = await checkLinks(ctx, locations, await read(before));
  const brokenBefore = new Set(
    linksBefore.flatMap(({ link, status }) => (status === 'broken' ? [link.key] : [])),
  );
  const newlyBroken = broken.filter(({ link }) => !brokenBefore.has(link.key)).length;
  return { links, broken: broken.length, newlyBroken };
}
