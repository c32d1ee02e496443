import type { components } from '../../../../generated/schema.d.ts';
import type { Transaction } from '../../../database/database.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import type { Context } from '../../kit/slice.ts';
import type { SiteSpaceRow } from '../../spaces/publications/rows.ts';
import type { SiteName } from '../sites/queries.ts';
import { entryFor, type StructureWithAccess, saveStructure, structureFor } from '../structure/change.ts';
import { ENTRY_NOUNS, moveEntry } from '../structure/edit/order.ts';
import {
  addSiteSpace,
  removeSiteSpaces,
  updateSiteSpace as updateRow,
} from '../structure/edit/site-spaces.ts';
import { requireShowableSpace } from '../structure/spaces.ts';
import { requireCondition } from '../visitors/conditions.ts';

type Schemas = components['schemas'];

/** IDs of a site space, its site and its organization. */
export interface SiteSpaceName extends SiteName {
  siteSpace: string;
}

const NOUN = ENTRY_NOUNS['site-space'];

/**
 * Adds a space to a site. If the level already shows it, returns the existing site space.
 *
 * @throws ContractError 400 if the space or the section does not exist, 403 if the caller may not show the space
 */
export async function createSiteSpace(
  trx: Transaction,
  ctx: Context,
  { organization, site, spaceId, sectionId }: SiteName & Schemas['SiteSpaceCreate'],
): Promise<StructureWithAccess & { row: SiteSpaceRow }> {
  const { rows: before, member } = await structureFor(trx, ctx.caller.id, { organization, site });
  const requested = { organization, space: spaceId, field: 'spaceId' };
  const space = await requireShowableSpace(trx, ctx.caller.id, requested);
  const { rows, row } = addSiteSpace(before, { space, section: sectionId }, ctx.createId);
  return { rows: await saveStructure(trx, ctx, before, rows), row, member };
}

/**
 * Updates the fields that the body contains.
 *
 * @throws ContractError 400 if the condition is invalid or the space does not exist, 409 if a sibling has the path or
 *   shows the space
 */
export async function updateSiteSpace(
  trx: Transaction,
  ctx: Context,
  { siteSpace, path, condition, spaceId, ...name }: SiteSpaceName & Schemas['SiteSpacePatch'],
): Promise<StructureWithAccess> {
  const { rows: before, member } = await structureFor(trx, ctx.caller.id, name);
  const row = entryFor(before.siteSpaces, siteSpace, NOUN);
  if (condition) {
    requireCondition(before.site, condition, 'condition');
  }
  if (spaceId !== undefined && spaceId !== row.space) {
    const { organization } = name;
    await requireShowableSpace(trx, ctx.caller.id, { organization, space: spaceId, field: 'spaceId' });
  }
  const { rows } = updateRow(before, row, {
    ...(path !== undefined && { path }),
    ...(condition !== undefined && { condition }),
    ...(spaceId !== undefined && { space: spaceId }),
  });
  return { rows: await saveStructure(trx, ctx, before, rows), member };
}

/** Removes a space from a site, and its section if it has no other site space. */
export async function deleteSiteSpace(
  trx: Transaction,
  ctx: Context,
  { siteSpace, ...name }: SiteSpaceName,
): Promise<void> {
  const existing = await unlessNotFound(structureFor(trx, ctx.caller.id, name));
  if (existing) {
    const { rows } = existing;
    await saveStructure(
      trx,
      ctx,
      rows,
      removeSiteSpaces(rows, ({ id }) => id === siteSpace),
    );
  }
}

/**
 * Moves a site space among its siblings.
 *
 * @throws ContractError 400 if the position does not name adjacent siblings
 */
export async function moveSiteSpace(
  trx: Transaction,
  ctx: Context,
  { siteSpace, position, ...name }: SiteSpaceName & Schemas['SiteSpaceMove'],
): Promise<StructureWithAccess> {
  const { rows: before, member } = await structureFor(trx, ctx.caller.id, name);
  const { id } = entryFor(before.siteSpaces, siteSpace, NOUN);
  const pointerOf = (pointer: Schemas['SiteSpacePointer'] | undefined) =>
    pointer && { type: pointer.type, id: pointer.siteSpace };
  const requested = { before: pointerOf(position?.before), after: pointerOf(position?.after) };
  const rows = moveEntry(before, { type: 'site-space', id }, requested);
  return { rows: await saveStructure(trx, ctx, before, rows), member };
}
