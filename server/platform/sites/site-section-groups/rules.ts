import type { components } from '../../../../generated/schema.d.ts';
import type { Transaction } from '../../../database/database.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import type { Context } from '../../kit/slice.ts';
import type { GroupRow } from '../../spaces/publications/rows.ts';
import type { SiteName } from '../sites/queries.ts';
import {
  editStructure,
  entryFor,
  moveInStructure,
  readRootTitle,
  removeFromStructure,
  type StructureWithAccess,
  saveStructure,
  structureFor,
} from '../structure/change.ts';
import {
  addGroup,
  addToGroup,
  removeFromGroup,
  removeGroup,
  updateGroup as updateRow,
} from '../structure/edit/groups.ts';
import { ENTRY_NOUNS } from '../structure/edit/order.ts';

type Schemas = components['schemas'];

/** IDs of a section group, its site and its organization. */
export interface GroupName extends SiteName {
  group: string;
}

const NOUN = ENTRY_NOUNS['site-section-group'];

/**
 * Creates a section group at the end of a site, and moves sections into it.
 *
 * @throws ContractError 400 if one of the sections does not exist
 */
export async function createGroup(
  trx: Transaction,
  ctx: Context,
  { title, icon = null, sections = [], ...name }: SiteName & Schemas['SiteSectionGroupCreate'],
): Promise<StructureWithAccess & { row: GroupRow }> {
  return await editStructure(trx, ctx, name, async (before) => {
    const titleOf = await readRootTitle(trx, before);
    return addGroup(before, { title, icon, sections }, ctx.createId, titleOf);
  });
}

/** Updates the fields that the body contains. */
export async function updateGroup(
  trx: Transaction,
  ctx: Context,
  { name: { group, ...site }, ...changes }: { name: GroupName } & Schemas['SiteSectionGroupPatch'],
): Promise<StructureWithAccess> {
  return await editStructure(trx, ctx, site, (before) =>
    updateRow(before, entryFor(before.groups, group, NOUN), changes),
  );
}

/** Deletes a section group. Its sections remain at its position. */
export async function deleteGroup(
  trx: Transaction,
  ctx: Context,
  { group, ...name }: GroupName,
): Promise<void> {
  const existing = await unlessNotFound(structureFor(trx, ctx.caller.id, name));
  if (existing?.rows.groups.some(({ id }) => id === group)) {
    const { site } = existing.rows;
    await saveStructure(trx, ctx, existing.rows, removeGroup(existing.rows, group));
    await ctx.audit(trx, {
      organization: site.organization,
      action: 'site.section_group_deleted',
      resource: { type: 'site', id: site.id },
      details: { subject: { type: 'site-section-group', id: group } },
    });
  }
}

/**
 * Moves a section of the site to the end of a section group.
 *
 * @throws ContractError 400 if the section does not exist
 */
export async function addSectionToGroup(
  trx: Transaction,
  ctx: Context,
  { group, sectionId, ...name }: GroupName & Schemas['SiteSectionGroupAddition'],
): Promise<StructureWithAccess> {
  return await editStructure(trx, ctx, name, (before) => {
    const { id } = entryFor(before.groups, group, NOUN);
    return { rows: addToGroup(before, id, sectionId) };
  });
}

/** Moves a section out of a section group, to the position after it. */
export async function removeSectionFromGroup(
  trx: Transaction,
  ctx: Context,
  { group, section, ...name }: GroupName & { section: string },
): Promise<void> {
  await removeFromStructure(trx, ctx, name, (before) => removeFromGroup(before, group, section));
}

/**
 * Moves a section group among the section groups and ungrouped sections.
 *
 * @throws ContractError 400 if the position does not name adjacent siblings
 */
export async function moveGroup(
  trx: Transaction,
  ctx: Context,
  { group, position, ...name }: GroupName & Schemas['SiteSectionGroupMove'],
): Promise<StructureWithAccess> {
  return await moveInStructure(trx, ctx, name, { type: 'site-section-group', id: group, position });
}
