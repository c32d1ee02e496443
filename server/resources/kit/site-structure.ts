import type { Queries, Transaction } from '../../database/database.ts';
import type { StructureWithAccess } from '../../models/sites/change.ts';
import { StructurePresenter } from '../../models/sites/present-structure.ts';
import { type SiteName, siteFor } from '../../models/sites/queries.ts';
import { type SiteStructure, structureOf } from '../../models/sites/structure.ts';
import { readView, wholeView } from '../../models/sites/visible.ts';
import { siteLock } from './locks.ts';
import type { Context } from './slice.ts';

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

/**
 * Reads the structure of a site as the caller sees it.
 *
 * @throws ContractError 404 if the caller does not see the site
 */
export async function readSiteStructure(
  { caller, database, resourceUrls }: Context,
  path: SitePath,
): Promise<{ structure: SiteStructure; presenter: StructurePresenter }> {
  const { query: queries } = database;
  const view = await readView(queries, await siteFor(queries, caller.id, siteNameOf(path), 'view'));
  return { structure: view.structure, presenter: new StructurePresenter(queries, view, resourceUrls) };
}

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
