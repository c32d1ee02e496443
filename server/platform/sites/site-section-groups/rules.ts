import type { components } from '../../../../generated/schema.d.ts';
import type { Transaction } from '../../../database/database.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import type { Context } from '../../kit/slice.ts';
import type { GroupRow } from '../../spaces/publications/rows.ts';
import type { SiteName } from '../sites/queries.ts';
import {
  entryFor,
  readRootTitle,
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
import { ENTRY_NOUNS, moveEntry } from '../structure/edit/order.ts';

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
  const { rows: before, member } = await structureFor(trx, ctx.caller.id, name);
  const titleOf = await readRootTitle(trx, before);
  const { rows, row } = addGroup(before, { title, icon, sections }, ctx.createId, titleOf);
  return { rows: await saveStructure(trx, ctx, before, rows), row, member };
}

/** Updates the fields that the body contains. */
export async function updateGroup(
  trx: Transaction,
  ctx: Context,
  { name: { group, ...site }, ...changes }: { name: GroupName } & Schemas['SiteSectionGroupPatch'],
): Promise<StructureWithAccess> {
  const { rows: before, member } = await structureFor(trx, ctx.caller.id, site);
  const { rows } = updateRow(before, entryFor(before.groups, group, NOUN), changes);
  return { rows: await saveStructure(trx, ctx, before, rows), member };
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
  const { rows: before, member } = await structureFor(trx, ctx.caller.id, name);
  const { id } = entryFor(before.groups, group, NOUN);
  return { rows: await saveStructure(trx, ctx, before, addToGroup(before, id, sectionId)), member };
}

/** Moves a section out of a section group, to the position after it. */
export async function removeSectionFromGroup(
  trx: Transaction,
  ctx: Context,
  { group, section, ...name }: GroupName & { section: string },
): Promise<void> {
  const existing = await unlessNotFound(structureFor(trx, ctx.caller.id, name));
  if (existing) {
    await saveStructure(trx, ctx, existing.rows, removeFromGroup(existing.rows, group, section));
  }
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
  const { rows: before, member } = await structureFor(trx, ctx.caller.id, name);
  const { id } = entryFor(before.groups, group, NOUN);
  const rows = moveEntry(before, { type: 'site-section-group', id }, position);
  return { rows: await saveStructure(trx, ctx, before, rows), member };
}
