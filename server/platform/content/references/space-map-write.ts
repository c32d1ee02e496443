import type { Transaction } from '../../../database/database.ts';
import { writeJson } from '../../../database/json.ts';
import type { Clock } from '../../../database/seams.ts';
import { fieldInvalid } from '../../../errors/errors.ts';
import type { CallerId } from '../../../identity/caller.ts';
import { requireMember, requireOrganizationPermission } from '../../../identity/membership.ts';
import { spacesVisibleAmong } from '../../../identity/visible-spaces.ts';
import type { RecordAudit } from '../../kit/audit/record.ts';
import { findSpaceMap, MAX_MAPPED_SPACES, type SpaceMap, spacesAmong } from './space-map.ts';

/** Services that changing a space map requires. */
interface MapServices {
  clock: Clock;
  audit: RecordAudit;
}

/**
 * Replaces the space map of an organization, and records that it changed.
 *
 * @returns the time of the last change; undefined if the map is still empty
 * @throws ContractError 400 for spaces that are not in the organization, and for more than {@link MAX_MAPPED_SPACES}
 */
export async function writeSpaceMap(
  trx: Transaction,
  { clock, audit }: MapServices,
  organization: string,
  spaces: SpaceMap,
): Promise<string | undefined> {
  if (spaces.size > MAX_MAPPED_SPACES) {
    throw fieldInvalid('spaceMap', `must leave at most ${MAX_MAPPED_SPACES} entries in the space map`);
  }
  const stored = await findSpaceMap(trx, organization);
  const added = [...spaces].filter(([former, space]) => stored?.spaces.get(former) !== space);
  const existing = await spacesAmong(
    trx,
    organization,
    added.map(([, space]) => space),
  );
  for (const [former, space] of added) {
    if (!existing.has(space)) {
      throw fieldInvalid(`spaceMap.${former}`, 'must be the ID of a space of the organization');
    }
  }
  if (added.length === 0 && spaces.size === (stored?.spaces.size ?? 0)) {
    return stored?.updatedAt;
  }
  const row = {
    spaces: writeJson([...spaces]),
    version: (stored?.version ?? 0) + 1,
    updatedAt: clock().toISOString(),
  };
  await trx
    .insertInto('spaceMaps')
    .values({ organization, ...row })
    .onConflict((conflict) => conflict.column('organization').doUpdateSet(row))
    .execute();
  await audit(trx, {
    organization,
    action: 'organization.settings_changed',
    resource: { type: 'organization', id: organization },
    details: { fields: ['spaceMap'] },
  });
  return row.updatedAt;
}

/** Entries that an import adds to the space map of its organization. */
export interface SpaceMapExtension {
  caller: CallerId;
  organization: string;
  spaceMap: Readonly<Record<string, string>>;
}

/**
 * Adds entries to the space map of an organization, as an import requests it.
 *
 * @throws ContractError 400 for spaces that do not exist for the caller, 403 if the caller is not an admin and an entry
 *   changes an existing one
 */
export async function extendSpaceMap(
  trx: Transaction,
  services: MapServices,
  { caller, organization, spaceMap }: SpaceMapExtension,
): Promise<void> {
  const member = await requireMember(trx, caller, organization);
  const entries = Object.entries(spaceMap);
  const ids = [...new Set(entries.map(([, space]) => space))];
  const rows = await spacesVisibleAmong(trx, member, ids).select('spaces.id').execute();
  const visible = new Set(rows.map(({ id }) => id));
  const spaces = new Map((await findSpaceMap(trx, organization))?.spaces);
  for (const [former, space] of entries) {
    if (!visible.has(space)) {
      throw fieldInvalid(`spaceMap.${former}`, 'must be the ID of a space of the organization');
    }
    if ((spaces.get(former) ?? space) !== space) {
      requireOrganizationPermission(member, 'admin');
    }
    spaces.set(former, space);
  }
  await writeSpaceMap(trx, services, organization, spaces);
}
