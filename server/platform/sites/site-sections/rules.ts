import type { components } from '../../../../generated/schema.d.ts';
import type { Transaction } from '../../../database/database.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import type { Context } from '../../kit/slice.ts';
import type { SectionRow } from '../../spaces/publications/rows.ts';
import type { SiteName } from '../sites/queries.ts';
import {
  entryFor,
  readRootTitle,
  type StructureWithAccess,
  saveStructure,
  structureFor,
} from '../structure/change.ts';
import { ENTRY_NOUNS, moveEntry } from '../structure/edit/order.ts';
import { addSection, removeSection, updateSection as updateRow } from '../structure/edit/sections.ts';
import { requireShowableSpace } from '../structure/spaces.ts';
import { requireCondition } from '../visitors/conditions.ts';

type Schemas = components['schemas'];

/** IDs of a section, its site and its organization. */
export interface SectionName extends SiteName {
  section: string;
}

const NOUN = ENTRY_NOUNS['site-section'];

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
  const { rows: before, member } = await structureFor(trx, ctx.caller.id, { organization, site });
  const requested = { organization, space: spaceId, field: 'spaceId' };
  const space = await requireShowableSpace(trx, ctx.caller.id, requested);
  const titleOf = await readRootTitle(trx, before);
  const { rows, row } = addSection(before, { space, title, icon }, ctx.createId, titleOf);
  return { rows: await saveStructure(trx, ctx, before, rows), row, member };
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
  const { rows: before, member } = await structureFor(trx, ctx.caller.id, site);
  const row = entryFor(before.sections, section, NOUN);
  if (changes.condition) {
    requireCondition(before.site, changes.condition, 'condition');
  }
  const { rows } = updateRow(before, row, changes);
  return { rows: await saveStructure(trx, ctx, before, rows), member };
}

/** Deletes a section with its variants. */
export async function deleteSection(
  trx: Transaction,
  ctx: Context,
  { section, ...name }: SectionName,
): Promise<void> {
  const existing = await unlessNotFound(structureFor(trx, ctx.caller.id, name));
  if (existing) {
    await saveStructure(trx, ctx, existing.rows, removeSection(existing.rows, section));
  }
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
  const { rows: before, member } = await structureFor(trx, ctx.caller.id, name);
  const { id } = entryFor(before.sections, section, NOUN);
  const pointerOf = (pointer: Schemas['SiteSectionPointer'] | undefined) =>
    pointer && { type: pointer.type, id: pointer.siteSection };
  const requested = { before: pointerOf(position?.before), after: pointerOf(position?.after) };
  const rows = moveEntry(before, { type: 'site-section', id }, requested);
  return { rows: await saveStructure(trx, ctx, before, rows), member };
}
