import type { components } from '../../../../generated/schema.d.ts';
import type { Queries, Transaction } from '../../../database/database.ts';
import type { CallerId } from '../../../identity/caller.ts';
import { requireInOrganization } from '../../../identity/membership.ts';
import type { Context } from '../../kit/slice.ts';
import { findSpaceMap, spacesAmong } from '../references/space-map.ts';
import { writeSpaceMap } from '../references/space-map-write.ts';

type Schemas = components['schemas'];

/** Finds the space map of an organization, without spaces that it no longer has. */
export async function spaceMapFor(
  queries: Queries,
  caller: CallerId,
  organization: string,
): Promise<Schemas['SpaceMap']> {
  await requireInOrganization(queries, caller, organization, 'admin');
  const stored = await findSpaceMap(queries, organization);
  const existing = await spacesAmong(queries, organization, stored?.spaces.values() ?? []);
  const spaces = [...(stored?.spaces ?? [])].filter(([, space]) => existing.has(space));
  return {
    object: 'space-map',
    spaceMap: Object.fromEntries(spaces),
    ...(stored && { updatedAt: stored.updatedAt }),
  };
}

/** Replaces the space map of an organization. */
export async function replaceSpaceMap(
  trx: Transaction,
  ctx: Context,
  { organization, spaceMap }: { organization: string } & Schemas['SpaceMapUpdate'],
): Promise<Schemas['SpaceMap']> {
  await requireInOrganization(trx, ctx.caller.id, organization, 'admin');
  const updatedAt = await writeSpaceMap(trx, ctx, organization, new Map(Object.entries(spaceMap)));
  return { object: 'space-map', spaceMap, ...(updatedAt !== undefined && { updatedAt }) };
}
