import type { ReferenceScope } from '../../../content/links/page-references.ts';
import type { Context } from '../../kit/slice.ts';
import { spaceAddressFinder } from './space-urls.ts';
import { visibleAddresses } from './visible.ts';

/** The caller who reads content, and the services that find what it refers to. */
export interface ReferenceContext extends Pick<Context, 'database' | 'resourceUrls'> {
  caller: Pick<Context['caller'], 'id'>;
}

/** Returns what the references in the content of a space are resolved against, as visible to the caller. */
export function referenceScope(
  { caller, database, resourceUrls }: ReferenceContext,
  { id, organization }: { id: string; organization: string },
): Pick<ReferenceScope, 'space' | 'app' | 'findSpaceAddresses' | 'findVisible'> {
  return {
    space: id,
    app: resourceUrls.at('/app'),
    findSpaceAddresses: spaceAddressFinder(database.query, resourceUrls, organization),
    findVisible: (addresses) => visibleAddresses(database.query, caller.id, organization, addresses),
  };
}
