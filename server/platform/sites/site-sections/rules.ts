import type { components } from '../../../../generated/schema.d.ts';
import type { Transaction } from '../../../database/database.ts';
import type { Context } from '../../kit/slice.ts';
import type { SectionRow } from '../../spaces/publications/rows.ts';
import type { SiteName } from '../sites/queries.ts';
import {
  editStructure,
  entryFor,
  moveInStructure,
  readRootTitle,
  removeFromStructure,
  type StructureWithAccess,
} from '../structure/change.ts';
import { ENTRY_NOUNS } from '../structure/edit/order.ts';
import { addSection, removeSection, updateSection as updateRow } from '../structure/edit/sections.ts';
import { requireShowableSpace } from '../structure/spaces.ts';
import { requireCondition } from '../visitors/conditions.ts';

type Schemas = components['schemas'];

/** IDs of a section, its site and its organization. */
export interface SectionName extends SiteName {
  section: string;
}

/**
 * Creates a section at the end of a site, with a space as its first variant.
 *
 * @throws ContractError 400 if the space does not exist, 403 if the caller may not show it
 */
export async function createSection(
  trx: Transaction,
  ctx: Context,
  { organization, site, spaceId, title = null, icon = null }: SiteName & Schemas['SiteSectionCreate'],
): Promise<StructureWithAccess & { row: SectionRow }> {
  return await editStructure(trx, ctx, { organization, site }, async (before) => {
    const requested = { organization, space: spaceId, field: 'spaceId' };
    const space = await requireShowableSpace(trx, ctx.caller.id, requested);
    const titleOf = await readRootTitle(trx, before);
    return addSection(before, { space, title, icon }, ctx.createId, titleOf);
  });
}

/**
 * Updates the fields that the body contains.
 *
 * @throws ContractError 400 if the condition is invalid or the default is no variant of the section, 409 if another
 *   section has the path
 */
export async function updateSection(
  trx: Transaction,
  ctx: Context,
  { name: { section, ...site }, ...changes }: { name: SectionName } & Schemas['SiteSectionPatch'],
): Promise<StructureWithAccess> {
  return await editStructure(trx, ctx, site, (before) => {
    const row = entryFor(before.sections, section, ENTRY_NOUNS['site-section']);
    if (changes.condition) {
      requireCondition(before.site, changes.condition, 'condition');
    }
    return updateRow(before, row, changes);
  });
}

/** Deletes a section with its variants. */
export async function deleteSection(
  trx: Transaction,
  ctx: Context,
  { section, ...name }: SectionName,
): Promise<void> {
  await removeFromStructure(trx, ctx, name, (before) => removeSection(before, section));
}

/**
 * Moves a section among its siblings: the sections of its group, or the sections and section groups of the root.
 *
 * @throws ContractError 400 if the position does not name adjacent siblings
 */
export async function moveSection(
  trx: Transaction,
  ctx: Context,
  { section, position, ...name }: SectionName & Schemas['SiteSectionMove'],
): Promise<StructureWithAccess> {
  const pointerOf = (pointer: Schemas['SiteSectionPointer'] | undefined) =>
    pointer && { type: pointer.type, id: pointer.siteSection };
  return await moveInStructure(trx, ctx, name, {
    type: 'site-section',
    id: section,
    position: { before: pointerOf(position?.before), after: pointerOf(position?.after) },
  });
}
