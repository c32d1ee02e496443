import type { Transaction } from '../../../database/database.ts';
import { notFound } from '../../../errors/errors.ts';
import type { CallerId } from '../../../identity/caller.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import type { Membership } from '../../../identity/membership.ts';
import type { RecordAudit } from '../../kit/audit/record.ts';
import type { EventServices } from '../../kit/events/raise.ts';
import type { Context } from '../../kit/slice.ts';
import { readRows, type StructureRows, writeRows } from '../../spaces/publications/rows.ts';
import { raisingVisibilityEvents } from '../../spaces/publications/visibility-events.ts';
import { type SiteName, siteFor } from '../sites/queries.ts';
import { ENTRY_NOUNS, type EntryPointer, type EntryPosition, moveEntry, siblingsOf } from './edit/order.ts';
import type { TitleOf } from './edit/sections.ts';

/** The structure of a site, with the caller's membership in its organization. */
export interface StructureWithAccess {
  rows: StructureRows;
  member: Membership;
}

/**
 * Finds a site if the caller may change its structure.
 *
 * @throws ContractError 404 if it does not exist for the caller, 403 if the caller lacks the permission
 */
export async function structureFor(
  trx: Transaction,
  caller: CallerId,
  name: SiteName,
): Promise<StructureWithAccess> {
  const { row, member } = await siteFor(trx, caller, name, 'structure');
  return { rows: await readRows(trx, row), member };
}

/**
 * Edits the structure of a site as the caller, and saves it.
 *
 * @param edit returns the changed rows, with what else the edit created
 * @throws ContractError 404 if the site does not exist for the caller, 403 if the caller lacks the permission
 */
export async function editStructure<Edited extends { rows: StructureRows }>(
  trx: Transaction,
  ctx: Context,
  name: SiteName,
  edit: (before: StructureRows) => Edited | Promise<Edited>,
): Promise<Edited & StructureWithAccess> {
  const { rows: before, member } = await structureFor(trx, ctx.caller.id, name);
  const edited = await edit(before);
  return { ...edited, rows: await saveStructure(trx, ctx, before, edited.rows), member };
}

/** Removes entries from the structure of a site. Changes nothing if the site does not exist for the caller. */
export async function removeFromStructure(
  trx: Transaction,
  ctx: Context,
  name: SiteName,
  remove: (before: StructureRows) => StructureRows,
): Promise<void> {
  const site = await unlessNotFound(structureFor(trx, ctx.caller.id, name));
  if (site) {
    await saveStructure(trx, ctx, site.rows, remove(site.rows));
  }
}

/**
 * Moves an entry of the structure of a site among its siblings.
 *
 * @throws ContractError 404 if the entry does not exist, 400 if the position does not name adjacent siblings
 */
export async function moveInStructure(
  trx: Transaction,
  ctx: Context,
  name: SiteName,
  { type, id, position }: EntryPointer & { position: EntryPosition | undefined },
): Promise<StructureWithAccess> {
  return await editStructure(trx, ctx, name, (before) => {
    if (siblingsOf(before, { type, id }).length === 0) {
      throw notFound(ENTRY_NOUNS[type]);
    }
    return { rows: moveEntry(before, { type, id }, position) };
  });
}

/** Services that record changes of sites, and raise their events. */
export interface StructureServices extends EventServices {
  audit: RecordAudit;
}

/**
 * Writes the changed structure of a site, and records the spaces that it shows now, or no longer, and the conditions
 * that changed.
 */
export async function saveStructure(
  trx: Transaction,
  services: StructureServices,
  before: StructureRows,
  after: StructureRows,
): Promise<StructureRows> {
  const { audit } = services;
  const { id, organization, published } = before.site;
  const [previous, current] = [spacesOf(before), spacesOf(after)];
  const changed = previous.symmetricDifference(current);
  const write = () => writeRows(trx, before, after);
  const written =
    published === 1 && changed.size > 0
      ? await raisingVisibilityEvents(trx, services, { organization, spaces: () => [...changed] }, write)
      : await write();
  for (const [action, spaces] of [
    ['site.space_removed', previous.difference(current)],
    ['site.space_added', current.difference(previous)],
  ] as const) {
    for (const space of spaces) {
      await audit(trx, {
        organization,
        action,
        resource: { type: 'site', id },
        details: { subject: { type: 'space', id: space } },
      });
    }
  }
  const conditions = [
    ...changedConditions('site-section', before.sections, after.sections),
    ...changedConditions('site-space', before.siteSpaces, after.siteSpaces),
  ];
  for (const subject of conditions) {
    await audit(trx, {
      organization,
      action: 'site.conditions_changed',
      resource: { type: 'site', id },
      details: { subject, fields: ['condition'] },
    });
  }
  return written;
}

/** Returns the existing entries whose condition changed. */
function changedConditions<Type extends 'site-section' | 'site-space'>(
  type: Type,
  before: readonly { id: string; condition: string | null }[],
  after: readonly { id: string; condition: string | null }[],
): { type: Type; id: string }[] {
  const previous = new Map(before.map(({ id, condition }) => [id, condition]));
  return after
    .filter(({ id, condition }) => previous.has(id) && previous.get(id) !== condition)
    .map(({ id }) => ({ type, id }));
}

const spacesOf = ({ siteSpaces }: StructureRows) => new Set(siteSpaces.map(({ space }) => space));

/** Returns an entry by ID. @throws ContractError 404 if it does not exist */
export function entryFor<Row extends { id: string }>(rows: readonly Row[], id: string, noun: string): Row {
  const row = rows.find((entry) => entry.id === id);
  if (!row) {
    throw notFound(noun);
  }
  return row;
}

/** Reads the title of the first space at the root, as the name of a section. */
export async function readRootTitle(trx: Transaction, { site, siteSpaces }: StructureRows): Promise<TitleOf> {
  const first = siteSpaces.find(({ id }) => id === site.defaultSiteSpace);
  const row =
    first &&
    (await trx.selectFrom('spaces').select('title').where('id', '=', first.space).executeTakeFirst());
  return () => row?.title ?? '';
}
