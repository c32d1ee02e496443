import type { components } from '../../../../generated/schema.d.ts';
import type { Transaction } from '../../../database/database.ts';
import type { Context } from '../../kit/slice.ts';
import type { SiteSpaceRow } from '../../spaces/publications/rows.ts';
import type { SiteName } from '../sites/queries.ts';
import {
  editStructure,
  entryFor,
  moveInStructure,
  removeFromStructure,
  type StructureWithAccess,
} from '../structure/change.ts';
import { ENTRY_NOUNS } from '../structure/edit/order.ts';
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
  return await editStructure(trx, ctx, { organization, site }, async (before) => {
    const requested = { organization, space: spaceId, field: 'spaceId' };
    const space = await requireShowableSpace(trx, ctx.caller.id, requested);
    return addSiteSpace(before, { space, section: sectionId }, ctx.createId);
  });
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
  return await editStructure(trx, ctx, name, async (before) => {
    const row = entryFor(before.siteSpaces, siteSpace, ENTRY_NOUNS['site-space']);
    if (condition) {
      requireCondition(before.site, condition, 'condition');
    }
    if (spaceId !== undefined && spaceId !== row.space) {
      const { organization } = name;
      await requireShowableSpace(trx, ctx.caller.id, { organization, space: spaceId, field: 'spaceId' });
    }
    return updateRow(before, row, {
      ...(path !== undefined && { path }),
      ...(condition !== undefined && { condition }),
      ...(spaceId !== undefined && { space: spaceId }),
    });
  });
}

/** Removes a space from a site, and its section if it has no other site space. */
export async function deleteSiteSpace(
  trx: Transaction,
  ctx: Context,
  { siteSpace, ...name }: SiteSpaceName,
): Promise<void> {
  await removeFromStructure(trx, ctx, name, (before) =>
    removeSiteSpaces(before, ({ id }) => id === siteSpace),
  );
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
  const pointerOf = (pointer: Schemas['SiteSpacePointer'] | undefined) =>
    pointer && { type: pointer.type, id: pointer.siteSpace };
  return await moveInStructure(trx, ctx, name, {
    type: 'site-space',
    id: siteSpace,
    position: { before: pointerOf(position?.before), after: pointerOf(position?.after) },
  });
}
