import type { components } from '../../../../../generated/schema.d.ts';
import { batched } from '../../../../database/batched.ts';
import type { Queries } from '../../../../database/database.ts';
import type { CallerId } from '../../../../identity/caller.ts';
import { membershipsIn } from '../../../integrations/installations/queries/targets.ts';
import type { ResourceUrls } from '../../../kit/resource-urls.ts';
import { selectSites } from '../../../spaces/publications/rows.ts';
import { sitePresenter } from '../present.ts';

type Schemas = components['schemas'];

/** The target of an installation on a site, and its organization. */
interface InstalledTarget {
  target: string;
  organization: string;
}

/** Creates a function that converts the sites of installations to their representation. Those of a page are batched. */
export const siteExpander = (queries: Queries, caller: CallerId, resourceUrls: ResourceUrls) =>
  batched<InstalledTarget, Schemas['Site'] | undefined>(async (rows) => {
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
