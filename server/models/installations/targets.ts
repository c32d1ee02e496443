import type { components } from '../../../generated/schema.d.ts';
import type { Queries } from '../../database/database.ts';
import { loadAccess } from '../../identity/access.ts';
import type { CallerId } from '../../identity/caller.ts';
import { findMembership, type Membership } from '../../identity/membership.ts';
import { batched } from '../batched.ts';
import type { ResourceUrls } from '../resource-urls.ts';
import { sitePresenter } from '../sites/present.ts';
import { publicationFinder } from '../sites/publications.ts';
import { selectSites } from '../sites/rows.ts';
import { presentSpace } from '../spaces/present.ts';
import { spaceCounter } from '../spaces/queries.ts';
import type { ContentInstallationRow } from './queries.ts';

type Schemas = components['schemas'];

/** Finds the caller's memberships in the organizations of some installations. */
async function membershipsIn(
  queries: Queries,
  caller: CallerId,
  rows: readonly ContentInstallationRow[],
): Promise<Membership[]> {
  const organizations = [...new Set(rows.map(({ organization }) => organization))];
  const members = organizations.map((organization) => findMembership(queries, caller, organization));
  return (await Promise.all(members)).filter((member) => member !== undefined);
}

/** Creates a function that converts the spaces of installations to their representation. Those of a page are batched. */
export const spaceExpander = (queries: Queries, caller: CallerId, resourceUrls: ResourceUrls) =>
  batched<ContentInstallationRow, Schemas['Space'] | undefined>(async (rows) => {
    const rowsOfSpaces = await queries
      .selectFrom('spaces')
      .selectAll('spaces')
      .where(
        'spaces.id',
        'in',
        rows.map(({ target }) => target),
      )
      .execute();
    const spaces = await Promise.all(rowsOfSpaces.map(spaceCounter(queries)));
    const findPublication = publicationFinder(queries, resourceUrls);
    const publications = await Promise.all(spaces.map(({ id }) => findPublication(id)));
    const publicationOf = new Map(spaces.map(({ id }, at) => [id, publications[at]]));
    const presented = new Map<string, Schemas['Space']>();
    for (const member of await membershipsIn(queries, caller, rows)) {
      const resources = spaces.filter(({ organization }) => organization === member.organization);
      const access = await loadAccess(queries, member, { kind: 'space', resources });
      for (const space of resources) {
        presented.set(space.id, presentSpace(space, access, resourceUrls, publicationOf.get(space.id)));
      }
    }
    return ({ target }) => presented.get(target);
  });

/** Creates a function that converts the sites of installations to their representation. Those of a page are batched. */
export const siteExpander = (queries: Queries, caller: CallerId, resourceUrls: ResourceUrls) =>
  batched<ContentInstallationRow, Schemas['Site'] | undefined>(async (rows) => {
    const sites = await selectSites(queries)
      .where(
        'sites.id',
        'in',
        rows.map(({ target }) => target),
      )
      .execute();
    const presented = new Map<string, Schemas['Site']>();
    for (const member of await membershipsIn(queries, caller, rows)) {
      const present = sitePresenter(queries, member, resourceUrls);
      const own = sites.filter(({ organization }) => organization === member.organization);
      for (const site of await Promise.all(own.map(present))) {
        presented.set(site.id, site);
      }
    }
    return ({ target }) => presented.get(target);
  });
