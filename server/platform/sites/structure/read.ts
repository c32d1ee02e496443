import type { Queries, Transaction } from '../../../database/database.ts';
import { siteLock } from '../../kit/locks.ts';
import type { Context } from '../../kit/slice.ts';
import { type SiteStructure, structureOf } from '../../spaces/publications/structure.ts';
import { type SiteName, siteFor } from '../sites/queries.ts';
import { siteReaderOf } from '../visitors/reader.ts';
import type { StructureWithAccess } from './change.ts';
import { StructurePresenter } from './present.ts';
import { readView, readViewOf, type StructureView, wholeView } from './visible.ts';

/** Path parameters of a site. */
export interface SitePath {
  organizationId: string;
  siteId: string;
}

/** Returns the name of the site of a path. */
export const siteNameOf = ({ organizationId, siteId }: SitePath): SiteName => ({
  organization: organizationId,
  site: siteId,
});

/** A structure, and the presenter of its entries for the same reader. */
interface PresentedStructure {
  structure: SiteStructure;
  presenter: StructurePresenter;
}

/**
 * Reads the structure of a site as a member of its organization sees it.
 *
 * @throws ContractError 404 if the caller does not see the site
 */
export async function readSiteStructure(ctx: Context, path: SitePath): Promise<PresentedStructure> {
  const { query: queries } = ctx.database;
  return presented(
    ctx,
    await readView(queries, await siteFor(queries, ctx.caller.id, siteNameOf(path), 'view')),
  );
}

/**
 * Reads the structure of a site as a member of its organization or a visitor sees it.
 *
 * @throws ContractError 404 if the caller does not see the site, 401 if a credential is missing or invalid
 */
export async function readPublishedStructure(
  ctx: Context,
  path: SitePath,
  shareKey: string | undefined,
): Promise<PresentedStructure> {
  const reader = await siteReaderOf(ctx, siteNameOf(path), shareKey);
  return presented(ctx, await readViewOf(ctx.database.query, reader));
}

const presented = ({ database, resourceUrls }: Context, view: StructureView): PresentedStructure => ({
  structure: view.structure,
  presenter: new StructurePresenter(database.query, view, resourceUrls),
});

/** Changes a site in a transaction. Writers of one site take turns. */
export const changeSite = <Result>(
  { database }: Context,
  path: SitePath,
  change: (trx: Transaction) => Promise<Result>,
): Promise<Result> => database.transaction(change, { lock: siteLock(path.siteId) });

/** Creates the presenter of a structure that the caller changed. */
export const changedStructure = (
  queries: Queries,
  { resourceUrls }: Context,
  { rows, member }: StructureWithAccess,
): StructurePresenter => new StructurePresenter(queries, wholeView(structureOf(rows), member), resourceUrls);
