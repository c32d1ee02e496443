import type { components } from '../../../../../generated/schema.d.ts';
import { batched } from '../../../../database/batched.ts';
import type { Queries } from '../../../../database/database.ts';
import { loadAccess } from '../../../../identity/access.ts';
import type { CallerId } from '../../../../identity/caller.ts';
import { findMembership, type Membership } from '../../../../identity/membership.ts';
import type { ResourceUrls } from '../../../kit/resource-urls.ts';
import { spacePresenter } from '../../../spaces/spaces/present.ts';
import type { ContentInstallationRow } from '../queries.ts';

type Schemas = components['schemas'];

/** Finds the caller's memberships in the organizations of some installations. */
export async function membershipsIn(
  queries: Queries,
  caller: CallerId,
  rows: ReadonlyArray<{ organization: string }>,
): Promise<Membership[]> {
  const organizations = [...new Set(rows.map(({ organization }) => organization))];
  const members = organizations.map((organization) => findMembership(queries, caller, organization));
  return (await Promise.all(members)).filter((member) => member !== undefined);
}

/** Creates a function that converts the spaces of installations to their representation. Those of a page are batched. */
export const spaceExpander = (queries: Queries, caller: CallerId, resourceUrls: ResourceUrls) =>
  batched<ContentInstallationRow, Schemas['Space'] | undefined>(async (rows) => {
    const spaces = await queries
      .selectFrom('spaces')
      .selectAll('spaces')
      .where(
        'spaces.id',
        'in',
        rows.map(({ target }) => target),
      )
      .execute();
    const present = spacePresenter(queries, resourceUrls);
    const presented = new Map<string, Schemas['Space']>();
    for (const member of await membershipsIn(queries, caller, rows)) {
      const resources = spaces.filter(({ organization }) => organization === member.organization);
      const access = await loadAccess(queries, member, { kind: 'space', resources });
      await Promise.all(
        resources.map(async (space) => presented.set(space.id, await present(space, access))),
      );
    }
    return ({ target }) => presented.get(target);
  });
