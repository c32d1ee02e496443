import type { components } from '../../../../../generated/schema.d.ts';
import type { Transaction } from '../../../../database/database.ts';
import { fieldInvalid } from '../../../../errors/errors.ts';
import type { Context } from '../../../kit/slice.ts';
import { editStructure, type StructureWithAccess } from '../../structure/change.ts';
import { moveEntry, siblingsOf } from '../../structure/edit/order.ts';
import { readCustomization, writeCustomization } from '../queries/customization.ts';
import { type SiteName, siteFor } from '../queries.ts';

type Schemas = components['schemas'];

/**
 * Moves an entry of a site among its siblings.
 *
 * @throws ContractError 400 if the entry does not exist or the position does not name adjacent siblings
 */
export async function sortStructure(
  trx: Transaction,
  ctx: Context,
  { item, position, ...name }: SiteName & Schemas['SiteStructureSort'],
): Promise<StructureWithAccess> {
  return await editStructure(trx, ctx, name, (before) => {
    if (siblingsOf(before, item).length === 0) {
      throw fieldInvalid('item', 'must name an entry in the structure of the site');
    }
    return { rows: moveEntry(before, item, position) };
  });
}

/** Replaces the customization of a site. */
export async function replaceCustomization(
  trx: Transaction,
  { caller }: Context,
  { customization, ...name }: SiteName & { customization: Schemas['SiteCustomization'] },
): Promise<Schemas['SiteCustomization']> {
  const { row } = await siteFor(trx, caller.id, name, 'admin');
  const changed = { customization: writeCustomization(customization), version: row.version + 1 };
  await trx.updateTable('sites').set(changed).where('id', '=', row.id).execute();
  return readCustomization(changed);
}
