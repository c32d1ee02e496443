import type { Transaction } from '../../../database/database.ts';
import { type ContentEvent, type EventServices, hasRecipients, storeEvents } from '../../kit/events/raise.ts';
import { findVisibilities } from './publications.ts';

/**
 * Makes a change that may affect the visibility of spaces, and raises an event for each space with a changed
 * visibility. Reads nothing else if no installation of the organization can receive these events.
 *
 * @param spaces finds the IDs of the spaces before the change
 */
export async function raisingVisibilityEvents<Result>(
  trx: Transaction,
  services: EventServices,
  {
    organization,
    spaces,
  }: {
    organization: string;
    spaces: (trx: Transaction) => Promise<readonly string[]> | readonly string[];
  },
  change: () => Promise<Result>,
): Promise<Result> {
  if (!(await hasRecipients(trx, organization, 'space_visibility_updated'))) {
    return await change();
  }
  const ids = await spaces(trx);
  const before = await findVisibilities(trx, ids);
  const result = await change();
  const after = await findVisibilities(trx, ids);
  const events: ContentEvent[] = [];
  for (const [spaceId, previousVisibility] of before) {
    const visibility = after.get(spaceId);
    if (visibility !== undefined && visibility !== previousVisibility) {
      const fields = { spaceId, previousVisibility, visibility };
      events.push({ organization, type: 'space_visibility_updated', fields });
    }
  }
  await storeEvents(trx, services, events);
  return result;
}

/** Finds the spaces that a site shows. */
export async function spacesOnSite(trx: Transaction, site: string): Promise<string[]> {
  const rows = await trx
    .selectFrom('siteSpaces')
    .select('space')
    .distinct()
    .where('site', '=', site)
    .execute();
  return rows.map(({ space }) => space);
}
